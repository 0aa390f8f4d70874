"""kill -9 of the database in the middle of writing loses and doubles nothing."""

import os
import random
import signal
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Thread

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError
from tests.db.environments import array_inventory, batch, every
from tests.supervise.processes import is_alive
from tests.waiting import wait_for

from gavel.db.engine import Role, open_engine, transaction
from gavel.db.errors import StorageError
from gavel.db.migrate import migrate
from gavel.db.queries.sources import add_source
from gavel.db.write.inventory import store_inventory
from gavel.db.write.samples import advance_watermark, watermark, write_samples
from gavel.domain.inventory import InventoryTaken
from gavel.domain.source import SourceKind, Stream
from gavel.embedded import postgres
from scheduling import descendants

NOW = datetime.now(UTC).replace(microsecond=0)
START = NOW.replace(minute=0, second=0) - timedelta(hours=4)
PAGES, PER_PAGE = 40, 30
KEYS = [each.key for each in array_inventory().volumes]


class Server:
    """A server with durable settings: a commit that was answered has to survive."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.start()

    def start(self) -> None:
        self._running = ExitStack()
        self.url = self._running.enter_context(postgres.running(self._folder / "data", log=self._folder / "log")).url()

    def kill(self) -> None:
        """The server and all of its children. Each leads a session of its own and would answer until it misses the server."""
        server = int((self._folder / "data/postmaster.pid").read_text().splitlines()[0])
        killed = [server, *descendants(server)]
        for pid in killed:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not any(map(is_alive, killed)), "end of the server's processes")
        self.stop()

    def stop(self) -> None:
        self._running.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    running = Server(tmp_path)
    yield running
    running.stop()


def poll(engine: Engine, source_id: int) -> None:
    """What a poller does: from the watermark on, page by page, each with the watermark in one transaction."""
    while True:
        with transaction(engine) as connection:
            mark = watermark(connection, source_id, Stream.ARRAY_VOLUME)
            until = mark.until if mark else START
            ends = every(30, until + timedelta(seconds=30), PER_PAGE)
            if until >= START + PAGES * PER_PAGE * timedelta(seconds=30):
                return
            for key in KEYS:
                write_samples(connection, source_id, batch(Stream.ARRAY_VOLUME, key, ends, 30, read_ops=number(ends)))
            advance_watermark(connection, source_id, Stream.ARRAY_VOLUME, ends[-1])


def number(ends: list[datetime]) -> list[int]:
    return [int(end.timestamp()) % 9973 for end in ends]


def test_killed_databases_lose_and_double_nothing(server: Server) -> None:
    migrate(server.url)
    engine = open_engine(server.url, Role.WORKER)
    with transaction(engine) as connection:
        source_id = add_source(
            connection, kind=SourceKind.FLASHARRAY, name="a", address="a", settings={}, enabled=True, now=NOW
        )
        store_inventory(connection, source_id, InventoryTaken(array_inventory(), NOW))
    moments = random.Random(20261121)
    interrupted = 0
    for _ in range(3):
        with_errors: list[BaseException] = []
        poller = Thread(target=run, args=(engine, source_id, with_errors))
        poller.start()
        poller.join(moments.uniform(0.05, 0.4))
        server.kill()
        poller.join(30)
        interrupted += bool(with_errors)
        server.start()
    poll(engine, source_id)
    assert interrupted >= 1, "no kill came in the middle of a write"
    stored = "SELECT v.key, extract(epoch FROM s.ts)::bigint, s.read_ops FROM array_volume_sample s JOIN volume v ON v.id = s.entity_id"
    with transaction(engine) as connection:
        rows = sorted(tuple(row) for row in connection.execute(text(stored)))
    ends = every(30, START + timedelta(seconds=30), PAGES * PER_PAGE)
    assert rows == sorted(
        (key, int(end.timestamp()), value) for key in KEYS for end, value in zip(ends, number(ends), strict=True)
    )
    engine.dispose()


def run(engine: Engine, source_id: int, errors: list[BaseException]) -> None:
    try:
        poll(engine, source_id)
    except (DBAPIError, StorageError) as error:
        errors.append(error)


@pytest.mark.parametrize("rested_s", [0.0, 60.0])
def test_a_database_that_is_down_is_named_at_once_and_used_again_when_it_is_back(
    server: Server, rested_s: float, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setattr("gavel.db.engine._RESTED_S", rested_s)
    engine = open_engine(server.url, Role.API)
    request.addfinalizer(engine.dispose)
    with transaction(engine) as connection:
        connection.execute(text("SELECT 1"))
    server.kill()
    if rested_s:
        with (
            pytest.raises(StorageError, match="connection to the database was lost"),
            transaction(engine) as connection,
        ):
            connection.execute(text("SELECT 1"))
    with pytest.raises(StorageError, match="no connection to the database"), transaction(engine):
        pass
    server.start()
    with transaction(engine) as connection:
        assert connection.scalar(text("SELECT 1")) == 1
