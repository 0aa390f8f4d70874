"""What can keep a server from starting, said so that the reader knows what to do."""


class StartError(Exception):
    """A start that cannot go on. The text names what was tried, on what, and what to do; it is shown as it is."""
