"""Virtual disks whose snapshots were not read, as of those from a capture."""

from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE vm_disk ALTER COLUMN snapshot_depth DROP NOT NULL")


def downgrade() -> None:
    op.execute("UPDATE vm_disk SET snapshot_depth = 0 WHERE snapshot_depth IS NULL")
    op.execute("ALTER TABLE vm_disk ALTER COLUMN snapshot_depth SET NOT NULL")
