"""What the inventory calls a path, and what its counters are served under: two names, and counters that fit no path."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("path", sa.Column("name", sa.Text(), server_default=sa.text("''"), nullable=False))
    op.add_column("path", sa.Column("counter", sa.Text()))
    op.create_table(
        "unknown_path",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean(), nullable=False),
        sa.Column("host_id", sa.Integer(), nullable=False),
        sa.Column("counter", sa.Text(), nullable=False),
        sa.Column("path_names", ARRAY(sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["source.id"], name=op.f("fk_unknown_path_source_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["host_id"], ["esxi_host.id"], name=op.f("fk_unknown_path_host_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_unknown_path")),
        sa.UniqueConstraint("source_id", "key", name=op.f("uq_unknown_path_source_id_key")),
    )
    op.create_index(op.f("ix_unknown_path_host_id"), "unknown_path", ["host_id"])


def downgrade() -> None:
    op.drop_table("unknown_path")
    op.drop_column("path", "counter")
    op.drop_column("path", "name")
