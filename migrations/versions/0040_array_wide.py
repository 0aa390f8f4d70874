"""Samples of an array as a whole, and their roll-ups, also in short: its load, and what is usual for it."""

from pathlib import Path

from alembic import op

from gavel.db.series import modes, partitions
from gavel.db.series.catalog import RAWS, ROLLS, Mode
from gavel.db.series.sql import from_script

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None

_ROLLS = ("array_wide_1h", "array_wide_5m")
_SAMPLES = "array_wide_sample"


def upgrade() -> None:
    for part in (str(modes.stored(op.get_bind())), "packed"):
        script = Path(__file__).with_name(f"0040_array_wide.{part}.sql")
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
    op.execute("DELETE FROM dirty_window WHERE series LIKE 'array_wide_%'")
    op.execute("DELETE FROM watermark WHERE stream = 'array_wide'")
    op.execute("DELETE FROM gap WHERE stream = 'array_wide'")
