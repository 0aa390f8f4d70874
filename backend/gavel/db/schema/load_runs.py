"""Runs of load tools: each with its window and settings, and what the tool measured of each direction."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

from gavel.db.schema.base import identity, instant, metadata

# position: of the run in its file. vm_id, datastore_id, volume_id: what the run is tied to, one of them. starts_at,
# ends_at: by the clock of the hosts' samples.
# warnings: `domain.load_runs.LoadWarning`, as JSON.
load_run = Table(
    "load_run",
    metadata,
    identity(),
    Column("import_id", Integer, ForeignKey("file_import.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("vm_id", Integer, ForeignKey("vm.id", ondelete="CASCADE"), index=True),
    Column("datastore_id", Integer, ForeignKey("datastore.id", ondelete="CASCADE"), index=True),
    Column("volume_id", Integer, ForeignKey("volume.id", ondelete="CASCADE"), index=True),
    Column("name", Text, nullable=False),
    Column("tool", Text, nullable=False),
    Column("tool_version", Text, nullable=False),
    instant("starts_at", nullable=True),
    instant("ends_at", nullable=True),
    Column("outstanding_limit", Integer),
    Column("block_size", Text),
    Column("is_direct", Boolean),
    Column("warnings", JSONB, nullable=False),
    UniqueConstraint("import_id", "position"),
    CheckConstraint("num_nonnulls(vm_id, datastore_id, volume_id) = 1", name="tie"),
)

# direction: read, write, all. I/Os, rates and latencies null: not in the file.
load_run_direction = Table(
    "load_run_direction",
    metadata,
    Column("run_id", Integer, nullable=False),
    Column("direction", Text, nullable=False),
    Column("ops", BigInteger),
    Column("ops_per_s", Double),
    Column("bytes_per_s", Double),
    Column("mean_us", Double),
    Column("max_us", Double),
    Column("p50_us", Double),
    Column("p95_us", Double),
    Column("p99_us", Double),
    Column("p999_us", Double),
    PrimaryKeyConstraint("run_id", "direction"),
    ForeignKeyConstraint(["run_id"], ["load_run.id"], ondelete="CASCADE"),
)

# `domain.load_runs.LoadSeries`, starts_at by the clock of the hosts' samples; arrays of equal length.
load_run_series = Table(
    "load_run_series",
    metadata,
    Column("run_id", Integer, nullable=False),
    Column("direction", Text, nullable=False),
    Column("phase", Text, nullable=False),
    instant("starts_at"),
    Column("step_s", Integer, nullable=False),
    Column("grain_s", Double),
    Column("ops", ARRAY(BigInteger)),
    Column("mean_us", ARRAY(Double), nullable=False),
    Column("lowest_us", ARRAY(Double)),
    Column("highest_us", ARRAY(Double)),
    Column("max_us", ARRAY(Double), nullable=False),
    PrimaryKeyConstraint("run_id", "direction", "phase"),
    ForeignKeyConstraint(["run_id"], ["load_run.id"], ondelete="CASCADE"),
)
