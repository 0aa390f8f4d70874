"""Roll-ups of the ledger know in how many of their minutes something was measured: what they are told by is kept beside them."""

from pathlib import Path

from alembic import op

from gavel.db.series import modes
from gavel.db.series.sql import from_script

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

# Minutes that are still there are rolled up again, this time with what was measured in them; a policy does so on TimescaleDB.
_AGAIN = """
    INSERT INTO dirty_window (task, lo, hi)
    SELECT 'roll ledger_measured_5m', min(ts), max(ts) FROM ledger_1m HAVING count(*) > 0
"""


def upgrade() -> None:
    mode = modes.stored(op.get_bind())
    script = Path(__file__).with_name(f"0014_measured_minutes.{mode}.sql")
    for statement in from_script(script.read_text()):
        op.execute(statement)
    if mode is modes.Mode.PLAIN:
        op.execute(_AGAIN)


def downgrade() -> None:
    rollup = "MATERIALIZED VIEW" if modes.stored(op.get_bind()) is modes.Mode.TIMESCALE else "TABLE"
    op.execute(f"DROP {rollup} ledger_measured_1h")
    op.execute(f"DROP {rollup} ledger_measured_5m")
    op.execute("DELETE FROM dirty_window WHERE task LIKE '% ledger_measured_%'")
