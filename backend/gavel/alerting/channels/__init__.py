"""One module per kind of channel; each stands in alerting/registry.py."""
