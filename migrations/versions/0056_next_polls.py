"""When each source is polled next, and how long after its end a sample is asked for."""

import sqlalchemy as sa
from alembic import op

revision = "0056"
down_revision = "0055"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("source", sa.Column("next_poll_at", sa.DateTime(timezone=True)))
    op.add_column("watermark", sa.Column("settle_s", sa.REAL()))
    op.add_column("watermark", sa.Column("earlier_at", sa.DateTime(timezone=True)))


def downgrade() -> None:
    op.drop_column("watermark", "earlier_at")
    op.drop_column("watermark", "settle_s")
    op.drop_column("source", "next_poll_at")
