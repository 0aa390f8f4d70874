"""A verdict is a property of the code: tests read no wall clock and wait for events, not for lengths of time."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.architecture.test_house_rules import ROOT
from tests.architecture.test_one_clock import _dotted, _names, _reads

# Campaigns, benchmarks and living products are made of time.
_MADE_OF_TIME = {"benchmarks", "chaos", "frozen", "peers", "product", "stories", "truth"}
_STORE = "writes around the instant at which the store of the test was made, where its partitions are"
_PEER = "reads a source that has the machine's clock: a process of the lab, or another vendor's simulator"
_SERVER = "compares with the clock of the API or the listener that it started"
# Files that may read the wall clock or sleep, with the reason. A file that no longer does has to leave.
_ALLOWED = {
    "alerting/receivers.py": "stamps what arrives, and holds an answer back as long as a test says",
    "api/ledgers.py": _STORE,
    "api/test_alerts.py": _SERVER,
    "api/test_answers.py": _SERVER,
    "api/test_array_traffic.py": _STORE,
    "api/test_arrays.py": _SERVER,
    "api/test_database_files.py": _SERVER,
    "api/test_findings.py": _SERVER,
    "api/test_guests.py": _SERVER,
    "api/test_kept.py": "lets the second of the database's own clock end",
    "api/test_sessions.py": _SERVER,
    "api/test_sources.py": _SERVER,
    "cli/test_status.py": _SERVER,
    "cli/test_token.py": _SERVER,
    "collectors/arrays/flasharray/test_export.py": _PEER,
    "collectors/arrays/flasharray/test_preflight.py": _PEER,
    "collectors/hosts/vcenter/conftest.py": _PEER,
    "collectors/hosts/vcenter/test_lab.py": _PEER,
    "collectors/hosts/vcenter/test_vcsim.py": _PEER,
    "collectors/test_contract.py": _PEER,
    "correlate/test_baseline.py": _STORE,
    "correlate/test_big_environment.py": _STORE,
    "db/clock.py": _STORE,
    "db/conftest.py": _STORE,
    "db/queries/test_age.py": _STORE,
    "db/queries/test_kept.py": _STORE,
    "db/queries/test_newest_parts.py": _STORE,
    "db/queries/test_unmatched.py": _STORE,
    "db/series/test_columnstore.py": _STORE,
    "db/series/test_maintenance.py": _STORE,
    "db/series/test_packed_samples.py": _STORE,
    "db/series/test_retention.py": _STORE,
    "db/series/test_rollups.py": _STORE,
    "db/series/test_series.py": _STORE,
    "db/small_environment.py": _STORE,
    "db/test_bookkeeping.py": _STORE,
    "db/test_concurrency.py": _STORE,
    "db/test_crash.py": _STORE,
    "db/write/test_completing.py": _STORE,
    "db/write/test_inventory.py": _STORE,
    "db/write/test_ledger.py": _STORE,
    "db/write/test_recent.py": _STORE,
    "db/write/test_samples.py": _STORE,
    "hostile/api/test_api.py": "waits for the minute of a limit on wrong tokens",
    "ingest/test_following_changes.py": _PEER,
    "ingest/test_guest_matching.py": _STORE,
    "jobs/test_full_disk.py": _SERVER,
    "jobs/test_schedule.py": _SERVER,
    "lab/guests/test_pushing.py": "shows that agents of the lab push nothing for a while",
    "listener/test_listener.py": _SERVER,
    "listener/test_overload.py": _SERVER,
    "listener/test_script.py": _SERVER,
    "shifted.py": "shifts the clock of a run of tests",
    "test_clock.py": "holds the product's clock beside the machine's",
    "waiting.py": "the pause between two looks at a condition",
}


def _sleeps(source: str) -> Iterator[str]:
    """Every mention of `time.sleep` and `asyncio.sleep`, but for the sleep of 0 s that lets others run."""
    tree = ast.parse(source)
    meant = _names(tree)
    yields = {
        id(node.func)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and node.args
        and isinstance(node.args[0], ast.Constant)
        and node.args[0].value == 0
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and id(node) not in yields:
            name = _dotted(node, meant)
            if name in ("time.sleep", "asyncio.sleep"):
                yield f"{node.lineno}: {name}"


def _unsteady(source: str) -> list[str]:
    return [*_reads(source), *_sleeps(source)]


def _files() -> list[Path]:
    tests = ROOT / "tests"
    every = (path for path in tests.rglob("*.py") if "node_modules" not in path.parts)
    return sorted(path for path in every if path.relative_to(tests).parts[0] not in _MADE_OF_TIME)


def test_tests_read_no_wall_clock_and_do_not_sleep_but_for_a_reason() -> None:
    files = {str(path.relative_to(ROOT / "tests")): _unsteady(path.read_text("utf-8")) for path in _files()}
    assert len(files) > 300
    assert {path: found for path, found in files.items() if found and path not in _ALLOWED} == {}
    assert [path for path in _ALLOWED if not files.get(path)] == []


@pytest.mark.parametrize(
    "source",
    [
        "import time\ntime.sleep(0.1)",
        "from time import sleep\nsleep(1)",
        "import asyncio\nasync def f():\n    await asyncio.sleep(1)",
        "import time\npause = time.sleep",
        "from datetime import UTC, datetime\nNOW = datetime.now(UTC)",
        "import time\nbegan = time.time()",
    ],
)
def test_what_makes_a_verdict_depend_on_the_hour_or_on_the_load_is_seen(source: str) -> None:
    assert _unsteady(source)


@pytest.mark.parametrize(
    "source",
    [
        "import asyncio\nasync def f():\n    await asyncio.sleep(0)",
        "import time\nbegan = time.monotonic()",
        "from tests.instants import AT\nNOW = AT",
        "class Lab:\n    def sleep(self): ...\nLab().sleep()",
    ],
)
def test_what_does_not_is_let_be(source: str) -> None:
    assert _unsteady(source) == []
