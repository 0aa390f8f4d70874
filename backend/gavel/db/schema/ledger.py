"""What the correlate step knows besides the ledger itself: how far it is, and what the sources' own data proved about their counters."""

from sqlalchemy import (
    ARRAY,
    REAL,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    DateTime,
    ForeignKey,
    Identity,
    Integer,
    SmallInteger,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from gavel.db.schema.base import instant, metadata

# Minutes that begin before `until_at` have been written; moved in the transaction of the rows. Later changes are in `dirty_window`.
# From there to `early_until_at` only rows that need no other source than `early_sources` have been, and the rest is waited for.
# `rules`: minutes of earlier versions than this have been marked to be written again.
correlated = Table(
    "correlated",
    metadata,
    Column("singleton", Boolean, primary_key=True, server_default=text("true")),
    instant("until_at"),
    instant("early_until_at", nullable=True),
    Column("early_sources", ARRAY(Integer), nullable=True),
    Column("rules", SmallInteger, nullable=False, server_default=text("1")),
    CheckConstraint("singleton", name="one_row"),
)

# What was proven of vCenters' counters (`analysis.observed.Proofs`): rounding, latest, scatter_us by source id. A row when that changes.
counter_proof = Table(
    "counter_proof",
    metadata,
    Column("id", Integer, Identity(), primary_key=True),
    Column("proofs", JSONB, nullable=False),
    instant("noted_at"),
)

# By which version of the rules (`analysis.version`), and with which proofs, the rows of each whole minute were written; all of them in one
# transaction. Of minutes from before version 2 of which only roll-ups were left, one row for each of their buckets.
ledger_minute = Table(
    "ledger_minute",
    metadata,
    Column("minute", DateTime(timezone=True), primary_key=True),
    Column("rules", SmallInteger, nullable=False),
    Column("proof_id", Integer, ForeignKey("counter_proof.id"), nullable=True),
)

# Minutes that are to be written, or to be written again. `is_late`: since samples arrived or changed, and not for any other reason.
dirty_minute = Table(
    "dirty_minute",
    metadata,
    Column("minute", DateTime(timezone=True), primary_key=True),
    Column("is_late", Boolean, nullable=False, server_default=text("false")),
)

# Minutes that were recalculated once everything of them should have been there, since samples arrived or changed: when last, how often.
recalculated_minute = Table(
    "recalculated_minute",
    metadata,
    Column("minute", DateTime(timezone=True), primary_key=True),
    instant("recalculated_at"),
    Column("times", Integer, nullable=False),
)

# Whether both arrays of a stretched pod count a mirrored write: found from `ratio` = array ops ÷ host ops over `ops` writes.
pod_mirroring = Table(
    "pod_mirroring",
    metadata,
    Column("pod_key", Text, primary_key=True),
    Column("counted_on_both", Boolean, nullable=False),
    Column("ratio", REAL, nullable=False),
    Column("ops", REAL, nullable=False),
    instant("decided_at"),
)

# What minutes of a vCenter's build have shown of a counter so far: rows that only rounding (of `latest`: a mean) explains, and rows that
# only truncation (an instant) does; `latest_within_…`: samples by how far `latest` was from its twin. A new build starts anew.
counter_evidence = Table(
    "counter_evidence",
    metadata,
    Column("source_id", Integer, ForeignKey("source.id", ondelete="CASCADE"), primary_key=True),
    Column("build", Text, primary_key=True),
    Column("counter", Text, primary_key=True),
    Column("rounds_or_mean", BigInteger, nullable=False),
    Column("truncates_or_instant", BigInteger, nullable=False),
    instant("noted_at"),
)

# What SAN and array usually take at an hour of the day (UTC), from `days` days of good rows; null: its own history is too short.
expectation = Table(
    "expectation",
    metadata,
    Column("entity_id", Integer, primary_key=True, autoincrement=False),
    Column("hour", SmallInteger, primary_key=True, autoincrement=False),
    Column("san_us", REAL),
    Column("array_us", REAL),
    Column("days", SmallInteger, nullable=False),
    instant("computed_at"),
    CheckConstraint("hour BETWEEN 0 AND 23", name="hour"),
)
