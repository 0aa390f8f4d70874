"""Alembic's entry: runs the migrations on the connection that `gavel.db.migrate` hands over, in its transaction."""

from alembic import context

from gavel.db.schema import metadata


def is_ours(name: str | None, kind: str, parents: dict[str, str | None]) -> bool:
    """Series are made from SQL of their own, and a test compares them; the rest is what the models say."""
    del parents
    return kind != "table" or name in metadata.tables


context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, include_name=is_ours)
context.run_migrations()
