"""Offline environments that are being made from files; what is made is a database of its own, and its build is gone."""

from sqlalchemy import Boolean, Column, ForeignKey, Integer, PrimaryKeyConstraint, Table, Text, UniqueConstraint, text

from gavel.db.schema.base import identity, instant, metadata, reference

# step: how far it is, a sentence. error: why it cannot be made. makers_begun: by processes, of which all but the last ended before it
# was made.
offline_build = Table(
    "offline_build",
    metadata,
    identity(),
    Column("name", Text, nullable=False),
    instant("created_at"),
    Column("step", Text),
    Column("error", Text),
    Column("makers_begun", Integer, nullable=False, server_default=text("0")),
    UniqueConstraint("name"),
)

# is_upload: the file came for this build alone, and goes with it; else it is a capture that is imported.
offline_build_file = Table(
    "offline_build_file",
    metadata,
    Column("build_id", Integer, ForeignKey("offline_build.id", ondelete="CASCADE"), nullable=False),
    reference("import_id", "file_import"),
    Column("is_upload", Boolean, nullable=False),
    PrimaryKeyConstraint("build_id", "import_id"),
)
