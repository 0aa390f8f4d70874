"""What a source keeps from its account: known since the newest inventory, and told wherever sources are."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    withheld = sa.Column("withheld", JSONB(), server_default=sa.text("'[]'::jsonb"), nullable=False)
    op.add_column("source", withheld)


def downgrade() -> None:
    op.drop_column("source", "withheld")
