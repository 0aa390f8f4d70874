"""How long rows of each grain stay is the operator's: beside the storage mode, with since when they are all there."""

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

GRAINS = ("samples", "minutes", "five_minutes", "hours")


def upgrade() -> None:
    for grain in GRAINS:
        op.add_column("storage_mode", sa.Column(f"keep_{grain}", sa.Interval(), nullable=True))
    for grain in GRAINS:
        op.add_column("storage_mode", sa.Column(f"{grain}_from", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    for grain in reversed(GRAINS):
        op.drop_column("storage_mode", f"{grain}_from")
    for grain in reversed(GRAINS):
        op.drop_column("storage_mode", f"keep_{grain}")
