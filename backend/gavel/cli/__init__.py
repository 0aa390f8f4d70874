"""The `gavel` command."""

from gavel.cli.main import main

__all__ = ["main"]
