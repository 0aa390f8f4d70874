"""Roll-ups of closed days and weeks are kept in short; maintenance packs what is there, as it comes to it."""

from pathlib import Path

from alembic import op

from gavel.db.series import partitions
from gavel.db.series.catalog import ROLLS
from gavel.db.series.sql import from_script

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None

_SCRIPT = Path(__file__).with_name("0036_packed_rows.sql")


def upgrade() -> None:
    for statement in from_script(_SCRIPT.read_text()):
        op.execute(statement)


def downgrade() -> None:
    partitions.unpack_all(op.get_bind(), ROLLS.values())
    for statement in from_script(_SCRIPT.read_text()):
        if statement.startswith("CREATE TABLE"):
            op.execute(f"DROP TABLE {statement.split()[2]}")
    op.execute("DROP FUNCTION decoded(smallint)")
