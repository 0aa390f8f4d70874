"""The worst minute of an alert and when its breach ended, and why a rule could not be judged."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("alert", sa.Column("peak", sa.Double(), nullable=True))
    op.add_column("alert", sa.Column("peak_lower", sa.Double(), nullable=True))
    op.add_column("alert", sa.Column("peak_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("alert", sa.Column("breach_ended_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("alert_rule", sa.Column("error", sa.Text(), nullable=True))
    op.add_column("alert_rule", sa.Column("error_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("alert_rule", "error_at")
    op.drop_column("alert_rule", "error")
    op.drop_column("alert", "breach_ended_at")
    op.drop_column("alert", "peak_at")
    op.drop_column("alert", "peak_lower")
    op.drop_column("alert", "peak")
