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
# Before the first release there is no client of an older schema beside a newer one.
_CHANGED_UNRELEASED = {
    "alert": ("impact", "breach_ended_at"), "alert_late": ("found_at",), "alert_transition": ("found_at",),
    "collection_run": ("strangers",), "storage_array": ("purity_version", "rest_version", "usec_includes_queue"),
    "vm": ("tags",), "dirty_window": ("task", "kind"), "volume": ("tags",), "load_run_direction": ("ops", "ops_per_s", "bytes_per_s"),
    "load_run": ("vm_id",),
    "vm_disk": ("snapshot_depth",), "path": ("is_working",),
    **dict.fromkeys(("ledger_leaf_1m", "ledger_1m", "ledger_5m", "ledger_1h"), ("grade_reasons",)),
}  # fmt: skip


def judged(sql: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).with_name("squawk")), "--config", ".squawk.toml"],
        input=sql, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip


def _is_unreleased(statement: str) -> bool:
    words = statement.replace(" COLUMN ", " ").split()
    return words[3:4] in (["RENAME"], ["DROP"], ["ALTER"]) and words[4] in _CHANGED_UNRELEASED.get(words[2], ())


def test_no_statement_of_a_migration_blocks_or_breaks_what_it_need_not(empty_postgres_url: str) -> None:
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if (
            statement.lstrip().upper().startswith(_CHANGES)
            and _ALEMBICS_OWN not in statement
            and not _is_unreleased(statement)
        ):
            sent.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        migrate(empty_postgres_url)
    finally:
        event.remove(Engine, "before_cursor_execute", note)
    assert any("CREATE TABLE volume" in statement for statement in sent), (
        "the migrations written in Python were not seen"
    )
    assert any("CREATE TABLE array_volume_sample" in statement for statement in sent), (
        "those written in SQL were not seen"
    )
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
