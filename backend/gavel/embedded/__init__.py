"""The servers Gavel brings along: PostgreSQL and Valkey from PyPI wheels, run as plain child processes."""
