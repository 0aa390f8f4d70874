"""Builds an `Environment` from its plan, one kind of thing per module."""
