"""The whole schema, for an empty database: plain, or of TimescaleDB where the server offers it.

Stores with an older revision pass through the last build that holds the way here (`gavel.db.migrate`).
"""

from pathlib import Path

import sqlalchemy as sa
from alembic import op

revision = "0057"
down_revision = None
branch_labels = None
depends_on = None

# The Apache-licensed build of TimescaleDB has neither columnstore nor continuous aggregates: that is plain.
_MODE = """
    SELECT CASE WHEN EXISTS (SELECT FROM pg_extension WHERE extname = 'timescaledb')
        AND current_setting('timescaledb.license', true) = 'timescale' THEN 'timescale' ELSE 'plain' END
"""


def upgrade() -> None:
    mode = op.get_bind().scalar(sa.text(_MODE))
    script = Path(__file__).with_suffix(f".{mode}.sql")
    for statement in script.read_text().split(";\n"):
        if statement.strip():
            op.execute(statement.strip())
    decided = sa.text("INSERT INTO storage_mode (mode, decided_at) VALUES (:mode, :decided_at)")
    op.execute(decided.bindparams(mode=mode, decided_at=op.get_context().config.attributes["now"]))
