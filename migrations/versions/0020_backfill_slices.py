"""A source whose history is slow to read is asked for less of it at a time."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "backfill_slice",
        sa.Column("source_id", sa.Integer(), nullable=False),
        sa.Column("stream", sa.Text(), nullable=False),
        sa.Column("slice_s", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["source_id"], ["source.id"], name=op.f("fk_backfill_slice_source_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("source_id", "stream", name=op.f("pk_backfill_slice")),
    )


def downgrade() -> None:
    op.drop_table("backfill_slice")
