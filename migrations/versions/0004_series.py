"""Samples and their roll-ups, as the SQL beside this file has them for each storage mode (made by `gavel.db.series.sql`)."""

from pathlib import Path

from alembic import op

from gavel.db.series import modes
from gavel.db.series.sql import from_script

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

SAMPLES = ("array_volume", "host_device", "vm_disk", "path", "adapter")
ROLLED = ("array_volume", "host_device", "vm_disk")


def upgrade() -> None:
    script = Path(__file__).with_name(f"0004_series.{modes.stored(op.get_bind())}.sql")
    for statement in from_script(script.read_text()):
        op.execute(statement)


def downgrade() -> None:
    rollup = "MATERIALIZED VIEW" if modes.stored(op.get_bind()) is modes.Mode.TIMESCALE else "TABLE"
    for stream in ROLLED:
        op.execute(f"DROP {rollup} {stream}_1h")
        op.execute(f"DROP {rollup} {stream}_5m")
    for stream in SAMPLES:
        op.execute(f"DROP TABLE {stream}_sample")
