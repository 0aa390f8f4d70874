"""CPU usage of ESXi hosts, and its roll-ups, also in short."""

from pathlib import Path

from alembic import op

from gavel.db.series import modes, partitions
from gavel.db.series.catalog import RAWS, ROLLS, Mode
from gavel.db.series.sql import from_script

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

_ROLLS = ("host_cpu_1h", "host_cpu_5m")
_SAMPLES = "host_cpu_sample"


def upgrade() -> None:
    mode = modes.stored(op.get_bind())
    for part in (str(mode), *(("layout",) if mode is Mode.TIMESCALE else ()), "packed"):
        script = Path(__file__).with_name(f"0048_host_cpu.{part}.sql")
        for statement in from_script(script.read_text()):
            op.execute(statement)


def downgrade() -> None:
    is_timescale = modes.stored(op.get_bind()) is Mode.TIMESCALE
    partitions.unpack_all(op.get_bind(), [RAWS[_SAMPLES], *(ROLLS[name] for name in _ROLLS)])
    for name in _ROLLS:
        op.execute(f"DROP {'MATERIALIZED VIEW' if is_timescale else 'TABLE'} {name}")
    op.execute(f"DROP TABLE {_SAMPLES}")
    for name in (*_ROLLS, _SAMPLES):
        op.execute(f"DROP TABLE {name}_packed")
    op.execute("DELETE FROM dirty_window WHERE series LIKE 'host_cpu_%'")
    op.execute("DELETE FROM watermark WHERE stream = 'host_cpu'")
    op.execute("DELETE FROM gap WHERE stream = 'host_cpu'")
