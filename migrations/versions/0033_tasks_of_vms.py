"""Tasks of VMs that move or copy their data."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "vm_task",
        sa.Column("source_id", sa.Integer, nullable=False),
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("vm_id", sa.Integer, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.Column("started_by", sa.Text),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("source_id", "key", name="pk_vm_task"),
        sa.ForeignKeyConstraint(["source_id"], ["source.id"], name="fk_vm_task_source_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["vm_id"], ["vm.id"], name="fk_vm_task_vm_id", ondelete="CASCADE"),
    )
    op.create_index("ix_vm_task_vm_id", "vm_task", ["vm_id"])
    op.create_index("ix_vm_task_started_at", "vm_task", ["started_at"])


def downgrade() -> None:
    op.drop_table("vm_task")
