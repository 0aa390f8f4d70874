"""What the migrations send to a database, as the linter for PostgreSQL migrations judges it (.squawk.toml)."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from gavel.db.migrate import migrate

ROOT = Path(__file__).parents[2]
_CHANGES = ("CREATE", "ALTER", "DROP", "TRUNCATE")
_ALEMBICS_OWN = "alembic_version"


def judged(sql: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).with_name("squawk")), "--config", ".squawk.toml"],
        input=sql, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def _without_comments(statement: str) -> str:
    lines = statement.splitlines()
    return "\n".join(line for line in lines if not line.startswith("--")).lstrip()


def test_no_statement_of_a_migration_blocks_or_breaks_what_it_need_not(empty_postgres_url: str) -> None:
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        changes = _without_comments(statement).upper().startswith(_CHANGES)
        if changes and _ALEMBICS_OWN not in statement:
            sent.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        migrate(empty_postgres_url)
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    for table in ("volume", "array_volume_sample"):
        assert any(f"CREATE TABLE {table} " in statement for statement in sent), f"{table} was not noted"
    diagnosis = judged(";\n".join(sent) + ";\n")
    assert diagnosis.returncode == 0, diagnosis.stdout + diagnosis.stderr


@pytest.mark.parametrize(
    "harmful",
    [
        "ALTER TABLE volume ALTER COLUMN name SET DATA TYPE varchar(64);",
        "ALTER TABLE volume ADD COLUMN owner text NOT NULL;",
        "ALTER TABLE volume RENAME COLUMN name TO title;",
    ],
)
def test_a_statement_that_would_is_refused(harmful: str) -> None:
    assert judged(harmful).returncode != 0
