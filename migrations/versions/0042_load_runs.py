"""Runs of load tools (fio), as they are imported beside captures."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "load_run",
        sa.Column("id", sa.Integer, sa.Identity(always=True), nullable=False),
        sa.Column("import_id", sa.Integer, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("vm_id", sa.Integer, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("tool", sa.Text, nullable=False),
        sa.Column("tool_version", sa.Text, nullable=False),
        sa.Column("starts_at", sa.DateTime(timezone=True)),
        sa.Column("ends_at", sa.DateTime(timezone=True)),
        sa.Column("outstanding_limit", sa.Integer),
        sa.Column("block_size", sa.Text),
        sa.Column("is_direct", sa.Boolean),
        sa.Column("warnings", JSONB, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_load_run"),
        sa.ForeignKeyConstraint(["import_id"], ["file_import.id"], name="fk_load_run_import_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["vm_id"], ["vm.id"], name="fk_load_run_vm_id", ondelete="CASCADE"),
        sa.UniqueConstraint("import_id", "position", name="uq_load_run_import_id_position"),
    )
    op.create_index("ix_load_run_vm_id", "load_run", ["vm_id"])
    op.create_table(
        "load_run_direction",
        sa.Column("run_id", sa.Integer, nullable=False),
        sa.Column("direction", sa.Text, nullable=False),
        sa.Column("ops", sa.BigInteger, nullable=False),
        sa.Column("ops_per_s", sa.Double, nullable=False),
        sa.Column("bytes_per_s", sa.Double, nullable=False),
        *(sa.Column(name, sa.Double) for name in ("mean_us", "max_us", "p50_us", "p95_us", "p99_us", "p999_us")),
        sa.PrimaryKeyConstraint("run_id", "direction", name="pk_load_run_direction"),
        sa.ForeignKeyConstraint(["run_id"], ["load_run.id"], name="fk_load_run_direction_run_id", ondelete="CASCADE"),
    )


def downgrade() -> None:
    for table in ("load_run_direction", "load_run"):
        op.drop_table(table)
