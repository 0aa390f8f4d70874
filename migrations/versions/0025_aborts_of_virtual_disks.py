"""Aborted commands of virtual disks: a column of their samples, and roll-ups of its own, since those that are there take no new column."""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

from gavel.db.series import modes
from gavel.db.series.sql import from_script

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("vm_disk_sample", sa.Column("aborts", sa.Integer(), nullable=True))
    script = Path(__file__).with_name(f"0025_aborts_of_virtual_disks.{modes.stored(op.get_bind())}.sql")
    for statement in from_script(script.read_text()):
        op.execute(statement)


def downgrade() -> None:
    rollup = "MATERIALIZED VIEW" if modes.stored(op.get_bind()) is modes.Mode.TIMESCALE else "TABLE"
    op.execute(f"DROP {rollup} vm_disk_aborts_1h")
    op.execute(f"DROP {rollup} vm_disk_aborts_5m")
    op.execute("DELETE FROM dirty_window WHERE task LIKE '% vm_disk_aborts_%'")
    op.drop_column("vm_disk_sample", "aborts")
