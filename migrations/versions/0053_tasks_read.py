"""When a source's tasks were read last, and paths without a mark that nothing read."""

import sqlalchemy as sa
from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("source", sa.Column("tasks_read_at", sa.DateTime(timezone=True), nullable=True))
    op.drop_column("path", "is_working")


def downgrade() -> None:
    op.add_column("path", sa.Column("is_working", sa.Boolean(), nullable=True))
    op.drop_column("source", "tasks_read_at")
