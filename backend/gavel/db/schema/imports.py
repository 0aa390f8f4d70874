"""Files that people bring: each import with what it holds, and while one is uploaded, its bytes.

A capture's rows are kept by hour and object: `counters` names the rows of `numbers`, each as long as `ended_us`; NaN is not measured.
"""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, REAL

from gavel.db.schema.base import identity, instant, metadata

# state: `domain.imports.ImportState`. options: what was chosen beside the file. starts_at, ends_at: by the file's own clock, in UTC;
# offset_s: how far that clock is ahead of the host's samples. narrows: whether it has a say in the ledger; note: why not.
# left_out: `domain.load_runs.LeftOutFile` of a bundle, as JSON. reads_begun: by processes, of which all but the last
# ended before they had read it.
file_import = Table(
    "file_import",
    metadata,
    identity(),
    Column("format", Text, nullable=False),
    Column("file_name", Text, nullable=False),
    Column("size_bytes", BigInteger, nullable=False),
    Column("read_bytes", BigInteger, nullable=False, server_default=text("0")),
    Column("state", Text, nullable=False),
    Column("error", Text),
    instant("created_at"),
    instant("changed_at"),
    Column("options", JSONB, nullable=False),
    Column("host_name", Text),
    Column("host_id", Integer, ForeignKey("esxi_host.id", ondelete="SET NULL"), index=True),
    instant("starts_at", nullable=True),
    instant("ends_at", nullable=True),
    Column("offset_s", Double),
    Column("offset_error_s", Double),
    Column("offset_by", Text),
    Column("correlation", Double),
    Column("half_us", Double),
    Column("narrows", Boolean, nullable=False, server_default=text("false")),
    Column("note", Text),
    Column("report", JSONB),
    Column("left_out", JSONB, nullable=False, server_default=text("'[]'")),
    Column("reads_begun", Integer, nullable=False, server_default=text("0")),
)

# Unlogged: a crash of the database loses at most what is being uploaded, which then begins anew.
import_chunk = Table(
    "import_chunk",
    metadata,
    Column("import_id", Integer, nullable=False),
    Column("position", BigInteger, nullable=False),
    Column("data", LargeBinary, nullable=False),
    PrimaryKeyConstraint("import_id", "position"),
    prefixes=["UNLOGGED"],
)

# device_id: the device of the chosen host that has this name.
captured_object = Table(
    "captured_object",
    metadata,
    Column("import_id", Integer, ForeignKey("file_import.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("parent", Text),
    Column("part", Text),
    Column("vm_name", Text),
    Column("device_id", Integer, ForeignKey("host_device.id", ondelete="SET NULL"), index=True),
    PrimaryKeyConstraint("import_id", "position"),
)

captured_hour = Table(
    "captured_hour",
    metadata,
    Column("import_id", Integer, ForeignKey("file_import.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),
    Column("hour_at", BigInteger, nullable=False),
    Column("ended_us", ARRAY(BigInteger), nullable=False),
    Column("length_us", ARRAY(BigInteger), nullable=False),
    Column("counters", ARRAY(Text), nullable=False),
    Column("numbers", ARRAY(REAL, dimensions=2), nullable=False),
    PrimaryKeyConstraint("import_id", "position", "hour_at"),
)
