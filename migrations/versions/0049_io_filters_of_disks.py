"""I/O filters that are attached to virtual disks."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0049"
down_revision = "0048"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("vm_disk", sa.Column("io_filters", ARRAY(sa.Text()), nullable=False, server_default=sa.text("'{}'")))


def downgrade() -> None:
    op.drop_column("vm_disk", "io_filters")
