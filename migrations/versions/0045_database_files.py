"""Where the file of a database lies, which letters the volumes of a guest's disk have, and which VM the guest is."""

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("guest_disk", sa.Column("drives", sa.Text, nullable=True))
    op.add_column("guest_disk", sa.Column("path", sa.Text, nullable=True))
    op.add_column("guest_disk", sa.Column("vm_id", sa.Integer, nullable=True))
    op.create_index("ix_guest_disk_vm_id", "guest_disk", ["vm_id"])


def downgrade() -> None:
    op.drop_index("ix_guest_disk_vm_id", "guest_disk")
    for name in ("vm_id", "path", "drives"):
        op.drop_column("guest_disk", name)
