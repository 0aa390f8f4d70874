"""Minutes to be written again, and those that were written early for the sources that were there."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("correlated", sa.Column("early_until_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("correlated", sa.Column("early_sources", sa.ARRAY(sa.Integer()), nullable=True))
    op.create_table(
        "dirty_minute",
        sa.Column("minute", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("minute", name=op.f("pk_dirty_minute")),
    )


def downgrade() -> None:
    op.drop_table("dirty_minute")
    op.drop_column("correlated", "early_sources")
    op.drop_column("correlated", "early_until_at")
