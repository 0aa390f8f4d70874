"""Volume groups of arrays with the limits that their volumes share."""

import sqlalchemy as sa
from alembic import op

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "volume_group",
        sa.Column("id", sa.Integer, sa.Identity(always=True), nullable=False),
        sa.Column("source_id", sa.Integer, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("present", sa.Boolean, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("qos_iops_limit", sa.BigInteger),
        sa.Column("qos_bytes_per_s_limit", sa.BigInteger),
        sa.PrimaryKeyConstraint("id", name="pk_volume_group"),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name="fk_volume_group_source_id", ondelete="CASCADE"),
        sa.UniqueConstraint("source_id", "key", name="uq_volume_group_source_id_key"),
    )
    op.create_index("ix_volume_group_name", "volume_group", ["source_id", "name"])


def downgrade() -> None:
    op.drop_table("volume_group")
