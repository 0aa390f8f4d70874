"""Samples are completed and corrected by later answers: runs count both, and minutes that were written again for it say when."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("completed", "corrected"):
        op.add_column("collection_run", sa.Column(name, sa.Integer(), server_default=sa.text("0"), nullable=False))
    # Nothing else runs while a schema is raised. What it counted was not taken over, so it is no correction.
    op.execute("-- squawk-ignore ban-drop-column\nALTER TABLE collection_run DROP COLUMN conflicting")
    op.add_column("dirty_minute", sa.Column("is_late", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.create_table(
        "recalculated_minute",
        sa.Column("minute", sa.DateTime(timezone=True), nullable=False),
        sa.Column("recalculated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("times", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("minute", name=op.f("pk_recalculated_minute")),
    )


def downgrade() -> None:
    op.drop_table("recalculated_minute")
    op.drop_column("dirty_minute", "is_late")
    op.add_column("collection_run", sa.Column("conflicting", sa.Integer(), server_default=sa.text("0"), nullable=False))
    for name in ("completed", "corrected"):
        op.drop_column("collection_run", name)
