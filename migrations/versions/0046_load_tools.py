"""Load tools whose results have rates, and not how many I/Os were done."""

from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE load_run_direction ALTER COLUMN ops DROP NOT NULL")


def downgrade() -> None:
    op.execute("UPDATE load_run_direction SET ops = 0 WHERE ops IS NULL")
    op.execute("ALTER TABLE load_run_direction ALTER COLUMN ops SET NOT NULL")
