"""Where guests push to: a listener of its own, on which nothing but ingest answers."""
