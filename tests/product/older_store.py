"""The data directory of an older build: its schema, its key, and what a user added."""

import base64
import json
from pathlib import Path

from alembic import command
from sqlalchemy import text

from gavel.db.engine import Role, open_engine, transaction
from gavel.db.migrate import configuration
from gavel.embedded import postgres

# The oldest schema that this build upgrades.
REVISION = "0057"
# Recorded from build f9783051: a rule, a channel with its encrypted secrets, and a silence.
RECORDED = Path(__file__).with_name("store_0057.json")


def make_older_store(data_dir: Path) -> None:
    """Create `data_dir` as that build leaves it when it is stopped."""
    recorded = json.loads(RECORDED.read_text())
    data_dir.mkdir(mode=0o700, parents=True)
    key = data_dir / "secret.key"
    key.touch(mode=0o600)
    key.write_bytes(base64.b64decode(recorded["key"]))
    with postgres.running(data_dir / "postgres", settings=postgres.UNSAFE_SETTINGS) as server:
        engine = open_engine(server.url(), Role.MIGRATIONS)
        with transaction(engine) as connection:
            command.upgrade(configuration(connection), REVISION)
        with transaction(engine) as connection:
            for table, rows in recorded["rows"].items():
                for row in rows:
                    # The names are those of the recorded file.
                    statement = (
                        f"INSERT INTO {table} OVERRIDING SYSTEM VALUE"
                        f" SELECT * FROM json_populate_record(NULL::{table}, CAST(:row AS json))"
                    )
                    connection.execute(text(statement), {"row": json.dumps(row)})
                connection.execute(text(f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), 100)"))
        engine.dispose()
