"""Samples and minutes of closed hours are kept in short; maintenance packs what is there, as it comes to it."""

from pathlib import Path

from alembic import op

from gavel.db.series import partitions
from gavel.db.series.catalog import RAWS
from gavel.db.series.sql import from_script

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None

_SCRIPT = Path(__file__).with_name("0038_packed_samples.sql")


def upgrade() -> None:
    for statement in from_script(_SCRIPT.read_text()):
        op.execute(statement)


def downgrade() -> None:
    partitions.unpack_all(op.get_bind(), RAWS.values())
    for statement in from_script(_SCRIPT.read_text()):
        if statement.startswith("CREATE TABLE"):
            op.execute(f"DROP TABLE {statement.split()[2]}")
        else:
            op.execute(statement.replace("STORAGE MAIN", "STORAGE EXTENDED"))
