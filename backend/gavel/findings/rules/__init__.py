"""One rule per module: `RULE`, listed in `findings/registry.py` and explained in docs/findings/<id>.md."""
