"""Managed directories of an array, their samples and roll-ups: the array's side of NFS datastores."""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

from gavel.db.series import modes
from gavel.db.series.sql import from_script

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "array_directory",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("path", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["source_id"], ["source.id"], name=op.f("fk_array_directory_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_array_directory")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_array_directory_source_id_key")),
    )
    script = Path(__file__).with_name(f"0005_directories.{modes.stored(op.get_bind())}.sql")
    for statement in from_script(script.read_text()):
        op.execute(statement)


def downgrade() -> None:
    rollup = "MATERIALIZED VIEW" if modes.stored(op.get_bind()) is modes.Mode.TIMESCALE else "TABLE"
    op.execute(f"DROP {rollup} array_directory_1h")
    op.execute(f"DROP {rollup} array_directory_5m")
    op.execute("DROP TABLE array_directory_sample")
    op.drop_table("array_directory")
