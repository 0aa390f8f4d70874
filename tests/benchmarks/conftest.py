"""The stores that writing is measured on: plain PostgreSQL always, native TimescaleDB where a server is given."""

import os
import sys
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import Engine
from tests.conftest import NATIVE_TIMESCALE, native_timescale

from gavel.db.engine import Role, open_engine
from gavel.db.migrate import migrate
from gavel.embedded import postgres


@pytest.fixture(scope="module")
def plain_engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Durable settings, as in production."""
    folder = tmp_path_factory.mktemp("benchmark")
    with postgres.running(folder / "data", log=folder / "log") as cluster:
        yield from migrated(cluster.url())


@pytest.fixture(scope="module")
def timescale_engine() -> Iterator[Engine]:
    """On a native server only: the WebAssembly build's speed says nothing."""
    server = os.environ.get(NATIVE_TIMESCALE)
    if server is None:
        sys.stdout.write(f"\nnative TimescaleDB: not measured, {NATIVE_TIMESCALE} names no server\n")
        pytest.skip("native TimescaleDB: not measured")
    with native_timescale(server) as url:
        yield from migrated(url)


@pytest.fixture(scope="module", params=["plain", "timescale"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Both stores in turn."""
    found: Engine = request.getfixturevalue(f"{request.param}_engine")
    return found


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Callable[[str], None]:
    def say(line: str) -> None:
        with capsys.disabled():
            sys.stdout.write(f"\n{line}")
            sys.stdout.flush()

    return say


def migrated(url: str) -> Iterator[Engine]:
    migrate(url)
    opened = open_engine(url, Role.WORKER)
    yield opened
    opened.dispose()
