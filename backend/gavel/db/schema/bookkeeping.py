"""Sources and the account of their collection: watermarks, gaps, runs, clocks; and what the store remembers about itself."""

from sqlalchemy import (
    REAL,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    Interval,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from gavel.db.schema.base import identity, instant, metadata, source_id
from gavel.domain.retention import Grain

# `settings` holds no secret; `secrets_encrypted` is an envelope made and opened outside the database, under the key named by
# `secrets_key_id`. `identity` is the array's id or the vCenter's instance UUID, known from the first inventory on;
# `withheld`: what the newest inventory was kept from reading, each a sentence. `settings_after_run`: the newest
# run that had other settings. `tasks_read_at`: the newest inventory whose tasks of VMs were read.
source = Table(
    "source",
    metadata,
    identity(),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False, unique=True),
    Column("address", Text, nullable=False),
    Column("settings", JSONB, nullable=False, server_default=text("'{}'::jsonb")),
    Column("secrets_encrypted", LargeBinary),
    Column("secrets_key_id", Text),
    Column("enabled", Boolean, nullable=False, server_default=text("true")),
    instant("created_at"),
    Column("identity", Text),
    instant("inventory_at", nullable=True),
    Column("inventory_revision", Integer, nullable=False, server_default=text("0")),
    Column("withheld", JSONB, nullable=False, server_default=text("'[]'::jsonb")),
    Column("settings_after_run", BigInteger, nullable=False, server_default=text("0")),
    instant("tasks_read_at", nullable=True),
)

# `next_poll_at`: when a sample that is not stored yet can be read, by Gavel's clock; good for settings with this `settings_after_run`.
# Apart from the source: rows of other tables refer to that, and a snapshot cannot refer to a row that was changed since.
poll_plan = Table(
    "poll_plan",
    metadata,
    Column("source_id", Integer, ForeignKey("source.id", ondelete="CASCADE"), primary_key=True),
    Column("settings_after_run", BigInteger, nullable=False),
    instant("next_poll_at"),
)

# Samples of the stream are stored up to `until_at`, by the source's own clock; moved in the transaction of the samples.
# `complete_until`: all that was to be expected up to here had come with the newest read. `looked_back_at`: what may still change was
# last asked for as a whole when the stream stood there. `settle_s`: so long after its end a sample is asked for; `earlier_at`: when asking
# earlier is tried next.
watermark = Table(
    "watermark",
    metadata,
    Column("source_id", Integer, ForeignKey("source.id", ondelete="CASCADE"), primary_key=True),
    Column("stream", Text, primary_key=True),
    instant("until_at"),
    instant("complete_until", nullable=True),
    instant("looked_back_at", nullable=True),
    Column("settle_s", REAL),
    instant("earlier_at", nullable=True),
)

# Digests of the rows of a stream's last samples (`write.recent`). Unlogged: what a crash loses is compared in the tables instead.
recent_samples = Table(
    "recent_samples",
    metadata,
    Column("source_id", Integer, ForeignKey("source.id", ondelete="CASCADE"), primary_key=True),
    Column("stream", Text, primary_key=True),
    Column("packed", LargeBinary, nullable=False),
    prefixes=["UNLOGGED"],
)

# A missing interval (from_at, to_at] and why. `entity_key` is null when the whole stream is missing.
gap = Table(
    "gap",
    metadata,
    identity(),
    source_id(),
    Column("stream", Text, nullable=False),
    Column("entity_key", Text),
    instant("from_at"),
    instant("to_at"),
    Column("reason", Text, nullable=False),
    Column("state", Text, nullable=False),
    instant("noticed_at"),
    instant("resolved_at", nullable=True),
    CheckConstraint("to_at > from_at", name="order"),
    CheckConstraint("state IN ('pending_backfill', 'explained', 'recovered')", name="state"),
    UniqueConstraint("source_id", "stream", "entity_key", "from_at", "to_at", postgresql_nulls_not_distinct=True),
)

# How many seconds of a stream's history one read of backfill asks for, where that is less than it might.
backfill_slice = Table(
    "backfill_slice",
    metadata,
    Column("source_id", Integer, ForeignKey("source.id", ondelete="CASCADE"), primary_key=True),
    Column("stream", Text, primary_key=True),
    Column("slice_s", Integer, nullable=False),
)

# One row per attempt to read a source. `left_out`: what it had to do without, each a sentence.
# `stream` is a stream's name or 'inventory'; `lag_s` = source's now − newest sample.
# `completed`, `corrected`: samples stored before that lacked values and were filled, or had others and were changed.
collection_run = Table(
    "collection_run",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    source_id(),
    Column("stream", Text, nullable=False),
    Column("queue", Text, nullable=False),
    instant("started_at"),
    Column("duration_s", Double, nullable=False),
    Column("calls", Integer, nullable=False),
    Column("bytes_received", BigInteger, nullable=False),
    Column("samples", Integer, nullable=False),
    Column("new_samples", Integer, nullable=False),
    Column("unknown_keys", Integer, nullable=False),
    Column("completed", Integer, nullable=False, server_default=text("0")),
    Column("corrected", Integer, nullable=False, server_default=text("0")),
    Column("lag_s", Double),
    Column("clock_offset_s", Double),
    Column("error_kind", Text),
    Column("error_message", Text),
    Column("left_out", JSONB, nullable=False, server_default=text("'[]'::jsonb")),
    Index("ix_collection_run_source_stream_started", "source_id", "stream", text("started_at DESC")),
    Index("ix_collection_run_started", "started_at"),
)

# `offset_s` = source − local, true within ± `error_s`; subject null is the source itself, else the key of an ESXi host.
clock_offset = Table(
    "clock_offset",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    source_id(),
    Column("subject", Text),
    instant("read_at"),
    Column("offset_s", Double, nullable=False),
    Column("error_s", Double, nullable=False),
    Index("ix_clock_offset_source_subject_read", "source_id", "subject", text("read_at DESC")),
    # `subject IS NULL` beside an order by time is not found in the one above.
    Index("ix_clock_offset_own", "source_id", text("read_at DESC"), postgresql_where=text("subject IS NULL")),
    Index("ix_clock_offset_read", "read_at"),
)

# Something that changed in the environment: a move, a new name, a path state, a queue depth. `subject` = table and id of the thing.
event = Table(
    "event",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    source_id(),
    instant("happened_at"),
    Column("kind", Text, nullable=False),
    Column("subject_table", Text, nullable=False),
    Column("subject_id", Integer, nullable=False),
    Column("subject_name", Text, nullable=False),
    Column("before", Text),
    Column("after", Text),
    Index("ix_event_subject", "subject_table", "subject_id", "happened_at"),
    Index("ix_event_happened", "happened_at"),
)

# --- the store about itself ----------------------------------------------------------------------------------------------------------

# `keep_…`: how long rows of a grain stay, NULL for the default of the mode. `…_from`: rows of it from then on are all there, as far as
# they are kept; before it they may have gone under a shorter retention than that of now. NULL: it was never lengthened.
storage_mode = Table(
    "storage_mode",
    metadata,
    Column("singleton", Boolean, primary_key=True, server_default=text("true")),
    Column("mode", Text, nullable=False),
    instant("decided_at"),
    *(Column(f"keep_{grain}", Interval) for grain in Grain),
    *(instant(f"{grain}_from", nullable=True) for grain in Grain),
    CheckConstraint("singleton", name="one_row"),
    CheckConstraint("mode IN ('plain', 'timescale')", name="mode"),
)

# Plain mode only: partitions rewritten in key order, and not written to since.
ordered_partition = Table(
    "ordered_partition",
    metadata,
    Column("name", Text, primary_key=True),
    instant("ordered_at"),
)

# Only hashes of tokens are kept. kind: setup (used once), admin, wall.
access_token = Table(
    "access_token",
    metadata,
    identity(),
    Column("kind", Text, nullable=False),
    Column("token_hash", LargeBinary, nullable=False, unique=True),
    instant("created_at"),
    instant("expires_at", nullable=True),
    instant("used_at", nullable=True),
    CheckConstraint("kind IN ('setup', 'admin', 'wall')", name="kind"),
)
