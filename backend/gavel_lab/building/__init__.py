"""Builds an `Estate` from its plan, one kind of thing per module."""
