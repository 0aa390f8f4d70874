"""The one MetaData of Gavel's tables and the columns that many of them share."""

from typing import Any

from sqlalchemy import Boolean, Column, DateTime, ForeignKey, Identity, Integer, MetaData, Table, Text, UniqueConstraint

# Fixed names, so that a migration can speak of a constraint it did not create.
metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def instant(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, DateTime(timezone=True), nullable=nullable)


def identity() -> Column[Any]:
    return Column("id", Integer, Identity(always=True), primary_key=True)


def source_id() -> Column[Any]:
    return Column("source_id", Integer, ForeignKey("source.id", ondelete="CASCADE"), nullable=False)


def reference(name: str, target: str, *, nullable: bool = False) -> Column[Any]:
    """The id of a row of `target`; the row goes when its target goes, which only the removal of a source does."""
    return Column(name, Integer, ForeignKey(f"{target}.id", ondelete="CASCADE"), nullable=nullable, index=True)


def inventory_table(name: str, *columns: Any) -> Table:
    """A table of things of a source, each under its natural key.

    `present`: in the newest inventory of its source. `last_seen_at` is exact for what is no longer present; what is present was seen
    at `source.inventory_at`. A row whose key came back with another identity is retired: its key gets the suffix `~<id>`.
    """
    return Table(
        name,
        metadata,
        identity(),
        source_id(),
        Column("key", Text, nullable=False),
        instant("first_seen_at"),
        instant("last_seen_at"),
        Column("present", Boolean, nullable=False),
        *columns,
        UniqueConstraint("source_id", "key"),
    )
