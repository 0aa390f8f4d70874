"""What a run had to do without although it succeeded: each a sentence."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    left_out = sa.Column("left_out", JSONB(), server_default=sa.text("'[]'::jsonb"), nullable=False)
    op.add_column("collection_run", left_out)


def downgrade() -> None:
    op.drop_column("collection_run", "left_out")
