"""Files that people import: captures of esxtop with their rows, and uploads on their way."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, REAL

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "file_import",
        sa.Column("id", sa.Integer, sa.Identity(always=True), nullable=False),
        sa.Column("format", sa.Text, nullable=False),
        sa.Column("file_name", sa.Text, nullable=False),
        sa.Column("size_bytes", sa.BigInteger, nullable=False),
        sa.Column("read_bytes", sa.BigInteger, nullable=False, server_default=sa.text("0")),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("error", sa.Text),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("options", JSONB, nullable=False),
        sa.Column("host_name", sa.Text),
        sa.Column("host_id", sa.Integer),
        sa.Column("starts_at", sa.DateTime(timezone=True)),
        sa.Column("ends_at", sa.DateTime(timezone=True)),
        sa.Column("offset_s", sa.Double),
        sa.Column("offset_error_s", sa.Double),
        sa.Column("offset_by", sa.Text),
        sa.Column("correlation", sa.Double),
        sa.Column("half_us", sa.Double),
        sa.Column("narrows", sa.Boolean, nullable=False, server_default=sa.text("false")),
        sa.Column("note", sa.Text),
        sa.Column("report", JSONB),
        sa.PrimaryKeyConstraint("id", name="pk_file_import"),
        sa.ForeignKeyConstraint(["host_id"], ["esxi_host.id"], name="fk_file_import_host_id", ondelete="SET NULL"),
    )
    op.create_index("ix_file_import_host_id", "file_import", ["host_id"])
    op.create_table(
        "import_chunk",
        sa.Column("import_id", sa.Integer, nullable=False),
        sa.Column("position", sa.BigInteger, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("import_id", "position", name="pk_import_chunk"),
        prefixes=["UNLOGGED"],
    )
    # Captures are compressed already, or are read once: compressing them costs more than it saves.
    op.execute("ALTER TABLE import_chunk ALTER COLUMN data SET STORAGE EXTERNAL")
    op.create_table(
        "captured_object",
        sa.Column("import_id", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("parent", sa.Text),
        sa.Column("part", sa.Text),
        sa.Column("vm_name", sa.Text),
        sa.Column("device_id", sa.Integer),
        sa.PrimaryKeyConstraint("import_id", "position", name="pk_captured_object"),
        _of_import("captured_object"),
        sa.ForeignKeyConstraint(
            ["device_id"], ["host_device.id"], name="fk_captured_object_device_id", ondelete="SET NULL"
        ),
    )
    op.create_index("ix_captured_object_device_id", "captured_object", ["device_id"])
    op.create_table(
        "captured_hour",
        sa.Column("import_id", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("hour_at", sa.BigInteger, nullable=False),
        sa.Column("ended_us", ARRAY(sa.BigInteger), nullable=False),
        sa.Column("length_us", ARRAY(sa.BigInteger), nullable=False),
        sa.Column("counters", ARRAY(sa.Text), nullable=False),
        sa.Column("numbers", ARRAY(REAL, dimensions=2), nullable=False),
        sa.PrimaryKeyConstraint("import_id", "position", "hour_at", name="pk_captured_hour"),
        _of_import("captured_hour"),
    )


def downgrade() -> None:
    for table in ("captured_hour", "captured_object", "import_chunk", "file_import"):
        op.drop_table(table)


def _of_import(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(["import_id"], ["file_import.id"], name=f"fk_{table}_import_id", ondelete="CASCADE")
