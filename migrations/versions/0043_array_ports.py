"""Traffic of arrays' target ports, also in short, and what each port's link carries at most."""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

from gavel.db.series import modes, partitions
from gavel.db.series.catalog import RAWS
from gavel.db.series.sql import from_script

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None

_SAMPLES = "array_port_sample"


def upgrade() -> None:
    op.add_column("array_port", sa.Column("line_rate_bytes_per_s", sa.BigInteger()))
    for part in (str(modes.stored(op.get_bind())), "packed"):
        script = Path(__file__).with_name(f"0043_array_ports.{part}.sql")
        for statement in from_script(script.read_text()):
            op.execute(statement)


def downgrade() -> None:
    partitions.unpack_all(op.get_bind(), [RAWS[_SAMPLES]])
    op.execute(f"DROP TABLE {_SAMPLES}")
    op.execute(f"DROP TABLE {_SAMPLES}_packed")
    op.execute("DELETE FROM watermark WHERE stream = 'array_port'")
    op.execute("DELETE FROM gap WHERE stream = 'array_port'")
    op.drop_column("array_port", "line_rate_bytes_per_s")
