"""What every test may ask for: the shared folder, and fresh databases of both kinds on real servers.

Databases: `postgres_url` is one of its own for every test, `environment_url` the same with a small environment in it,
`module_postgres_url` one for all tests of a file, and `timescale_url` the same on TimescaleDB; all hold the current schema.
`empty_…` come without it.
Time: every run begins at the same instant, or where GAVEL_TEST_CLOCK says, before a test module reads the clock (`tests.shifted`).
Outside CI a test whose needs are missing is skipped and says why; in CI it fails.
"""

import itertools
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

import psycopg
import pytest
import structlog
from hypothesis import HealthCheck, settings
from sqlalchemy import URL, make_url
from tests.shifted import ahead_s

from gavel import clock
from gavel.db.migrate import migrate
from gavel.embedded import postgres

pytest_plugins = ["tests.splitting"]
ROOT = Path(__file__).resolve().parent.parent
BRIDGE = ROOT / "tests/timescale_bridge"
NATIVE_TIMESCALE = "GAVEL_TEST_TS_URL"
TEMPLATE = "migrated"
STOP_DEADLINE_S = 10
MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of its own in it, with a name that nobody can guess
IN_MEMORY = "gavel-test-"
# Twice what a worker's server grows to with the databases that tests of a file leave at a time.
ROOM_BYTES = 1 << 30
# Of one property. `make test` always has the same, so more of them are only new in `make explore`.
EXAMPLES, EXPLORED_EXAMPLES = 50, 400
# (name, what fills the database with a URL) → the name to copy it by.
FilledTemplate = Callable[[str, Callable[[str], None]], str]

# A busy machine is no counter-example: laws are about values, never about how long an example took.
house = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None)
# The same examples in every run: the verdict depends on the code alone. `explore` draws others, and more of them.
settings.register_profile("house", house, derandomize=True, max_examples=EXAMPLES)
settings.register_profile("explore", house, derandomize=False, max_examples=EXPLORED_EXAMPLES, print_blob=True)
settings.load_profile(os.environ.get("GAVEL_TEST_PROFILE") or "house")


def log_plainly() -> None:
    """structlog's own default draws every local of a traceback: a minute of processor time for one fault inside a web framework."""
    renderer = structlog.dev.ConsoleRenderer(colors=False, exception_formatter=structlog.dev.plain_traceback)
    structlog.reset_defaults()
    structlog.configure(processors=[*structlog.get_config()["processors"][:-1], renderer])


log_plainly()


def pytest_report_header() -> str | None:
    """Show the shift and the time of a run of tests."""
    return f"GAVEL_TEST_CLOCK: {ahead_s():+g} s, it is {clock.now():%Y-%m-%d %H:%M:%S} UTC" if ahead_s() else None


def missing(what: str) -> NoReturn:
    """Skip the test that needs `what`, or fail it where everything has to be there."""
    if os.environ.get("CI"):
        pytest.fail(f"{what} In CI nothing is skipped.", pytrace=False)
    pytest.skip(what)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with design, facts and captured data: GAVEL_SHARED, else `shared` beside this repository."""
    folder = Path(os.environ.get("GAVEL_SHARED") or ROOT.parent / "shared")
    if not (folder / "data").is_dir():
        missing(f"{folder} holds no data folder: set GAVEL_SHARED to the shared folder.")
    return folder


@pytest.fixture(scope="session", autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Neither read nor replace the developer's note of the last `gavel up`."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        yield


# --- PostgreSQL -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def postgres_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[postgres.DataDirectory]:
    """An embedded PostgreSQL of this worker, without the waits that make data safe; in memory where there is room.

    Copying the 800 files of a database costs a tenth there.
    """
    log = tmp_path_factory.mktemp("postgres") / "log"
    with folder_in_memory() as memory:
        data = (memory or log.parent) / "data"
        with postgres.running(data, settings=postgres.UNSAFE_SETTINGS, log=log) as cluster:
            yield cluster


@contextmanager
def folder_in_memory() -> Iterator[Path | None]:
    """A folder that ends with this process, or with the next that looks; None where there is no file system in memory, or no room."""
    if not os.access(MEMORY, os.W_OK) or shutil.disk_usage(MEMORY).free < ROOM_BYTES:
        yield None
        return
    for left_behind in MEMORY.glob(f"{IN_MEMORY}*"):
        if not Path(f"/proc/{left_behind.name.split('-')[2]}").exists():
            shutil.rmtree(left_behind, ignore_errors=True)
    with TemporaryDirectory(prefix=f"{IN_MEMORY}{os.getpid()}-", dir=MEMORY, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def migrated_template(postgres_server: postgres.DataDirectory) -> str:
    """Name of a database with the current schema, to be copied."""
    migrate(postgres_server.create_database(TEMPLATE))
    return TEMPLATE


_numbers = itertools.count(1)


@contextmanager
def database(server: postgres.DataDirectory, template: str) -> Iterator[str]:
    """URL of a copy of `template`, file by file: without the log that a copy is usually written to, which costs four times as much."""
    name = f"test_{next(_numbers)}"
    with psycopg.connect(libpq(make_url(server.url("postgres"))), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
    yield server.url(name)
    with psycopg.connect(libpq(make_url(server.url("postgres"))), autocommit=True) as connection:
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture(scope="session")
def filled_template(postgres_server: postgres.DataDirectory, migrated_template: str) -> FilledTemplate:
    """Gives the name of a database to be copied that was filled once; by a name of what is in it."""
    templates: set[str] = set()

    def template(name: str, fill: Callable[[str], None]) -> str:
        if name not in templates:
            fill(postgres_server.create_database(name, migrated_template))
            templates.add(name)
        return name

    return template


@pytest.fixture
def empty_postgres_url(postgres_server: postgres.DataDirectory) -> Iterator[str]:
    """URL of an empty database for one test."""
    with database(postgres_server, "template0") as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: postgres.DataDirectory, migrated_template: str) -> Iterator[str]:
    """URL of a migrated, otherwise empty database for one test."""
    with database(postgres_server, migrated_template) as url:
        yield url


@pytest.fixture
def environment_url(postgres_server: postgres.DataDirectory, filled_template: FilledTemplate) -> Iterator[str]:
    """URL of a database for one test that holds the small environment of `tests.api.ledgers`: see `Environment.stored`."""
    from tests.api.ledgers import make_environment  # noqa: PLC0415 - NumPy and the store, for these tests alone

    with database(postgres_server, filled_template("small_environment", make_environment)) as url:
        yield url


@pytest.fixture(scope="module")
def module_postgres_url(postgres_server: postgres.DataDirectory, migrated_template: str) -> Iterator[str]:
    """URL of a migrated database that all tests of a file share."""
    with database(postgres_server, migrated_template) as url:
        yield url


# --- TimescaleDB ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def empty_timescale_url() -> Iterator[str]:
    """URL of an empty database with the timescaledb extension, for all tests of a file.

    A native server when GAVEL_TEST_TS_URL names one (a role that may create databases), else the WebAssembly build
    behind the bridge. The bridge has one session for all connections: open engines with `server_side_prepare=False`.
    """
    native = os.environ.get(NATIVE_TIMESCALE)
    with native_timescale(native) if native else timescale_bridge() as url:
        yield url


@pytest.fixture(scope="module")
def timescale_url(empty_timescale_url: str) -> str:
    """URL of a migrated database on TimescaleDB, for all tests of a file. See `empty_timescale_url`."""
    migrate(empty_timescale_url, server_side_prepare=False)
    return empty_timescale_url


@contextmanager
def native_timescale(server: str) -> Iterator[str]:
    """A database of its own on a given server, whose policies never run by themselves: a refresh beside that of a test is refused."""
    url = make_url(server)
    name = f"gavel_test_{os.getpid()}_{next(_numbers)}"
    with psycopg.connect(libpq(url), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        try:
            fresh = url.set(drivername="postgresql+psycopg", database=name)
            with psycopg.connect(libpq(fresh), autocommit=True) as inside:
                inside.execute("CREATE EXTENSION IF NOT EXISTS timescaledb")
                inside.execute("SELECT _timescaledb_functions.stop_background_workers()")
            yield fresh.render_as_string(hide_password=False)
        finally:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def libpq(url: URL) -> str:
    return url.set(drivername="postgresql").render_as_string(hide_password=False)


@contextmanager
def timescale_bridge() -> Iterator[str]:
    """The WebAssembly TimescaleDB on a free loopback port. It ends with the pipe to it, however this process ends."""
    node = shutil.which("node")
    if node is None or not (BRIDGE / "node_modules").is_dir():
        missing("The TimescaleDB bridge needs Node.js and its packages: run `make setup`, and tests by `make test`.")
    with subprocess.Popen([node, "server.mjs"], cwd=BRIDGE, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bridge:
        assert bridge.stdin is not None
        assert bridge.stdout is not None
        said = bridge.stdout.readline()
        if not said:
            pytest.fail(f"The TimescaleDB bridge ended with {bridge.wait()} before it listened.", pytrace=False)
        yield f"postgresql+psycopg://postgres@127.0.0.1:{json.loads(said)['port']}/postgres?sslmode=disable"
        with suppress(BrokenPipeError):
            bridge.stdin.close()
        bridge.wait(STOP_DEADLINE_S)
