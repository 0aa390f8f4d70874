"""Readings of clocks by time, and those of a source itself: two weeks of them are kept, and the newest is asked for all the time."""

import sqlalchemy as sa
from alembic import op

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_clock_offset_read", "clock_offset", ["read_at"])
    op.create_index(
        "ix_clock_offset_own",
        "clock_offset",
        ["source_id", sa.text("read_at DESC")],
        postgresql_where="subject IS NULL",
    )


def downgrade() -> None:
    op.drop_index("ix_clock_offset_own", "clock_offset")
    op.drop_index("ix_clock_offset_read", "clock_offset")
