"""The product and the lab read the wall clock in one module each, and SQL never does: `GAVEL_TEST_CLOCK` then sets the time of all."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.architecture.test_house_rules import BACKEND, ROOT

_CLOCKS = {BACKEND / "gavel/clock.py", BACKEND / "gavel_lab/clocks.py"}
# A reference is enough: a default factory reads the clock without a call in sight.
_WALL_CLOCKS = {
    *(f"time.{name}" for name in ("time", "time_ns", "clock_gettime", "clock_gettime_ns")),
    *(f"datetime.datetime.{name}" for name in ("now", "utcnow", "today")),
    "datetime.date.today",
    "email.utils.localtime",
    "email.utils.make_msgid",
    "uuid.uuid1",
    "structlog.processors.TimeStamper",
}
# Calls read the clock unless they have so many arguments, or this keyword.
_WITHOUT = {
    "time.gmtime": (1, "secs"),
    "time.localtime": (1, "secs"),
    "time.ctime": (1, "secs"),
    "time.asctime": (1, "t"),
    "time.strftime": (2, "t"),
    "email.utils.formatdate": (1, "timeval"),
    "gzip.compress": (3, "mtime"),
}
_TIME_OF_SQL = re.compile(
    r"\b(?:now|clock_timestamp|statement_timestamp|transaction_timestamp|timeofday)\s*\(\s*\)"
    r"|\b(?:current_timestamp|current_date|current_time|localtimestamp|(?<!/)localtime)\b"
    r"|\bage\s*\([^(),]*\)"
    r"|'(?:now|today|tomorrow|yesterday)'\s*::",
    re.IGNORECASE,
)
_TIME_OF_SQLALCHEMY = {"now", "current_timestamp", "current_date", "current_time", "localtimestamp", "localtime"}


def _names(tree: ast.AST) -> dict[str, str]:
    """What a module's names mean: {'dt': 'datetime', 'now': 'datetime.datetime.now'}."""
    meant: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            meant |= {one.asname or one.name.partition(".")[0]: one.name if one.asname else one.name.partition(".")[0]
                      for one in node.names}  # fmt: skip
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            meant |= {one.asname or one.name: f"{node.module}.{one.name}" for one in node.names}
    return meant


def _dotted(node: ast.AST, meant: dict[str, str]) -> str | None:
    """The full name of `dt.datetime.now`, or None for anything but names and attributes of a module's imports."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in meant:
        return None
    return ".".join([meant[node.id], *reversed(parts)])


def _is_now_of_numpy(node: ast.Call, name: str) -> bool:
    first = node.args[0] if node.args else None
    return name == "numpy.datetime64" and isinstance(first, ast.Constant) and first.value in ("now", "today")


def _writes_gzip_of_now(node: ast.Call, name: str) -> bool:
    """A gzip file holds the instant of its writing unless it is given one."""
    given = {one.arg: one.value for one in node.keywords}
    modes = [value.value for value in (*node.args[1:], given.get("mode")) if isinstance(value, ast.Constant)]
    writes = any(isinstance(mode, str) and re.fullmatch(r"[wax]b?t?", mode) for mode in modes)
    return name in ("gzip.open", "gzip.GzipFile") and writes and "mtime" not in given


def _reads(source: str) -> Iterator[str]:
    """Every read of the wall clock in a module, as line and name."""
    tree = ast.parse(source)
    meant = _names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and (name := _dotted(node, meant)) in _WALL_CLOCKS:
            yield f"{node.lineno}: {name}"
        elif isinstance(node, ast.Call) and (name := _dotted(node.func, meant)):
            enough, keyword = _WITHOUT.get(name, (0, ""))
            if len(node.args) < enough and keyword not in {one.arg for one in node.keywords}:
                yield f"{node.lineno}: {name} without {keyword}"
            elif _is_now_of_numpy(node, name) or _writes_gzip_of_now(node, name):
                yield f"{node.lineno}: {name}"


def _asks_sql(source: str) -> Iterator[str]:
    """Every question to a database's clock in the texts of a module, and in expressions of SQLAlchemy."""
    tree = ast.parse(source)
    meant = _names(tree)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield from (f"{node.lineno}: {found[0]}" for found in _TIME_OF_SQL.finditer(node.value))
        elif isinstance(node, ast.Attribute) and (name := _dotted(node, meant)):
            owner, _, last = name.rpartition(".")
            if owner.endswith("sqlalchemy.func") or owner == "sqlalchemy.sql.func":
                yield from ([f"{node.lineno}: {name}"] if last in _TIME_OF_SQLALCHEMY else [])


def _modules(*folders: Path) -> list[Path]:
    return sorted(path for folder in folders for path in folder.rglob("*.py"))


def test_one_module_of_the_product_and_one_of_the_lab_read_the_wall_clock() -> None:
    files = _modules(BACKEND / "gavel", BACKEND / "gavel_lab")
    assert set(files) >= _CLOCKS
    reading = {str(path.relative_to(ROOT)): list(_reads(path.read_text("utf-8"))) for path in files}
    allowed = {str(path.relative_to(ROOT)) for path in _CLOCKS}
    assert {path: reads for path, reads in reading.items() if reads and path not in allowed} == {}
    assert all(len(reading[path]) == 1 for path in allowed)


def test_sql_asks_for_no_time_of_its_own() -> None:
    statements = {path: list(_asks_sql(path.read_text("utf-8"))) for path in _modules(BACKEND / "gavel")}
    for path in sorted((ROOT / "migrations").rglob("*.sql")):
        statements[path] = _TIME_OF_SQL.findall(path.read_text("utf-8"))
    assert len(statements) > 300
    assert {str(path.relative_to(ROOT)): found for path, found in statements.items() if found} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import time\nat = time.time()",
        "import time\nnow = time.time_ns",
        "from time import time as seconds\nseconds()",
        "import time as clock\nclock.clock_gettime(0)",
        "from datetime import UTC, datetime\ndatetime.now(UTC)",
        "import datetime as dt\ndt.datetime.now(tz=dt.UTC)",
        "import datetime\ndatetime.datetime.utcnow()",
        "from datetime import date\ndate.today()",
        "from dataclasses import field\nfrom datetime import datetime\nat: datetime = field(default_factory=datetime.now)",
        "def f():\n    from datetime import datetime\n    return datetime.now()",
        "import time\ntime.strftime('%Y')",
        "import time\ntime.gmtime()",
        "from email.utils import formatdate\nformatdate(usegmt=True)",
        "import structlog\nstructlog.processors.TimeStamper(fmt='iso')",
        "import numpy as np\nnp.datetime64('now')",
        "import gzip\ngzip.compress(b'')",
        "import gzip\ngzip.GzipFile(fileobj=None, mode='wb')",
        "import gzip\ngzip.open('x', 'wt')",
        "import uuid\nuuid.uuid1()",
    ],
)
def test_a_read_of_the_wall_clock_is_found(source: str) -> None:
    assert len(list(_reads(source))) == 1


@pytest.mark.parametrize(
    "source",
    [
        "import time\ntime.monotonic()\ntime.sleep(1)",
        "import time\ntime.strftime('%Y', moment)\ntime.gmtime(0)",
        "from datetime import UTC, datetime\ndatetime.fromtimestamp(0, UTC)\ndatetime.combine(day, at)",
        "from gavel import clock\nclock.now()\nclock.time_s()",
        "from email.utils import formatdate\nformatdate(0, usegmt=True)",
        "import gzip\ngzip.open('x')\ngzip.GzipFile(fileobj=None)\ngzip.GzipFile(mode='wb', mtime=0)\ngzip.compress(b'', mtime=0)",
        "now = context.now()\ntime.time()",
    ],
)
def test_durations_given_instants_and_the_clock_module_are_left_alone(source: str) -> None:
    assert list(_reads(source)) == []


@pytest.mark.parametrize(
    "source",
    [
        'ask = text("SELECT now()")',
        'ask = f"SELECT 1 FROM {table} WHERE at > Now ( ) - :kept"',
        'ask = "SELECT CURRENT_TIMESTAMP"',
        'ask = "DELETE FROM t WHERE day < current_date"',
        'ask = "SELECT clock_timestamp()"',
        'ask = "SELECT age(at)"',
        "ask = \"SELECT 'now'::timestamptz\"",
        "from sqlalchemy import func\nat = func.now()",
        "import sqlalchemy as sa\nat = sa.func.current_timestamp()",
    ],
)
def test_a_question_to_the_clock_of_a_database_is_found(source: str) -> None:
    assert len(list(_asks_sql(source))) == 1


@pytest.mark.parametrize(
    "source",
    ['"""The rows of now()."""', 'ask = "SELECT age(at, :now)"', 'ask = "SELECT current_setting(:name)"', "at = clock.now()",
     'ask = "SELECT :now AS now"', 'path = "/etc/localtime/"'],
)  # fmt: skip
def test_a_bound_instant_is_no_question_to_the_clock_of_a_database(source: str) -> None:
    assert list(_asks_sql(source)) == []
