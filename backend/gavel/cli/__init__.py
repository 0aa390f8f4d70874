"""The `gavel` command."""

from gavel.cli.commands import main

__all__ = ["main"]
