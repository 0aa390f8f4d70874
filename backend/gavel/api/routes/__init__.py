"""One module per subject; thin: parse, ask, answer."""
