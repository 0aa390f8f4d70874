"""Which alerts a minute opens and ends, which are put together, which are kept back. Pure."""
