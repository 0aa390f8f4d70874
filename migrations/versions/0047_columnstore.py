"""On TimescaleDB, chunks that pack well, and sums packed soon: the policies come to what is there by themselves."""

import re
from datetime import timedelta
from pathlib import Path

from alembic import op

from gavel.db.series import modes
from gavel.db.series.catalog import DEFAULT_KEEP, HOUR, RAWS, ROLLS, Mode
from gavel.db.series.sql import from_script
from gavel.db.series.timescale import pack_after

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None

_SCRIPT = Path(__file__).with_name("0047_columnstore.timescale.sql")
_ROLLS = {timedelta(minutes=5): "1 day", HOUR: "28 days"}


def upgrade() -> None:
    if modes.stored(op.get_bind()) is Mode.TIMESCALE:
        for statement in from_script(_SCRIPT.read_text()):
            op.execute(statement)


def downgrade() -> None:
    if modes.stored(op.get_bind()) is not Mode.TIMESCALE:
        return
    names = re.findall(r"set_chunk_time_interval\('(\w+)'", _SCRIPT.read_text())
    for raw in (RAWS[name] for name in names if name in RAWS):
        op.execute(f"SELECT set_chunk_time_interval('{raw.name}', INTERVAL '2 hours')")
        op.execute(pack_after(raw, 2 * HOUR, HOUR))
    for roll in (ROLLS[name] for name in names if name in ROLLS):
        source = RAWS.get(roll.source) or ROLLS[roll.source]
        op.execute(f"SELECT set_chunk_time_interval('{roll.name}', INTERVAL '{_ROLLS[roll.width]}')")
        op.execute(pack_after(roll, DEFAULT_KEEP[Mode.TIMESCALE][source.grain], 12 * HOUR))
