"""Findings: what rules report about objects, and each change of their state."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from gavel.db.schema.base import identity, instant, metadata, source_id

# One row per (rule, object, part) for good: what comes back is raised again in its row. `objects`: "kind:id" of the object and of all that
# it touches. `document`: what the rule wrote, apart from the columns. `magnitude`: at the newest evaluation; `accepted_magnitude`: when it
# was accepted. `seen_at`: the newest evaluation that had it.
finding = Table(
    "finding",
    metadata,
    identity(),
    source_id(),
    Column("rule", Text, nullable=False),
    Column("object_kind", Text, nullable=False),
    Column("object_id", Integer, nullable=False),
    Column("part", Text, nullable=False),
    Column("object_name", Text, nullable=False),
    Column("objects", ARRAY(Text), nullable=False),
    Column("severity", Text, nullable=False),
    Column("confidence", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("document", JSONB, nullable=False),
    Column("magnitude", Double, nullable=False),
    Column("state", Text, nullable=False),
    instant("raised_at"),
    instant("seen_at"),
    instant("cleared_at", nullable=True),
    instant("accepted_at", nullable=True),
    instant("accepted_until", nullable=True),
    Column("accepted_by", Text),
    Column("accepted_why", Text),
    Column("accepted_magnitude", Double),
    UniqueConstraint("rule", "object_kind", "object_id", "part"),
    CheckConstraint("state IN ('open', 'accepted', 'cleared')", name="state"),
    CheckConstraint("(state = 'accepted') = (accepted_at IS NOT NULL)", name="acceptance"),
    CheckConstraint("(state = 'cleared') = (cleared_at IS NOT NULL)", name="clearing"),
    Index("ix_finding_objects", "objects", postgresql_using="gin"),
    Index("ix_finding_source_id", "source_id"),
)

# A change of state. `made_by` null: by itself.
finding_event = Table(
    "finding_event",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("finding_id", Integer, ForeignKey("finding.id", ondelete="CASCADE"), nullable=False),
    instant("happened_at"),
    Column("before", Text),
    Column("after", Text, nullable=False),
    Column("made_by", Text),
    Column("note", Text, nullable=False, server_default=text("''")),
    Index("ix_finding_event_finding_id", "finding_id", "id"),
    Index("ix_finding_event_happened_at", "happened_at"),
)

# How far findings are evaluated: when last, and through which minute of the ledger.
finding_evaluation = Table(
    "finding_evaluation",
    metadata,
    Column("singleton", Boolean, primary_key=True, server_default=text("true")),
    instant("evaluated_at"),
    instant("ledger_until_at", nullable=True),
    CheckConstraint("singleton", name="one_row"),
)
