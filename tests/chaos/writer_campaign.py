"""kill -9 of the process that writes samples, and now and then of the database with it, while rows are inserted and changed.

The writer reads a source that is a function of time: a sample comes half filled first, whole with the next read, and corrected two reads
later, as vCenters and arrays were seen to do. What must be stored is thus a function of the watermark alone: after each round the table is
compared with it, row by row and number by number, and what the writes leave to be done must cover all they have touched.
"""

import os
import random
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import text
from tests.db.environments import batch, host_inventory

from gavel.db.engine import Role, open_engine, transaction
from gavel.db.errors import StorageError
from gavel.db.migrate import migrate
from gavel.db.queries.sources import add_source
from gavel.db.write.inventory import store_inventory
from gavel.db.write.samples import advance_watermark, watermark, write_samples
from gavel.domain.inventory import InventoryTaken
from gavel.domain.samples import SampleBatch, joined
from gavel.domain.source import SourceKind, Stream
from gavel.embedded import postgres

_GRAIN = timedelta(seconds=20)
_DEVICES = [device.key for device in host_inventory().devices]
# Samples of one read, and so many of those before it that it reads again.
_NEW, _LOOKED_BACK = 3, 3
_LIVES_S = (0.02, 0.3)
_READ_S = 0.01
_ROUND = 50
_BEGUN = "begun"
# Retention is not what is tested: rows stay where they are.
_MOST_SAMPLES = 20_000

_STORED = """
    SELECT d.key, extract(epoch FROM s.ts)::bigint, s.read_ops, s.write_ops FROM host_device_sample s
      JOIN host_device d ON d.id = s.entity_id WHERE d.source_id = :id
"""
_NOTED = "SELECT min(lo), max(hi) FROM dirty_window WHERE kind = 'correlate' AND source_id = :id"
_WRITING = """
    SELECT count(*) FROM pg_stat_activity
     WHERE xact_start IS NOT NULL AND pid <> pg_backend_pid() AND datname = current_database()
"""
Rows = dict[tuple[str, int], tuple[int, int | None]]


@dataclass
class WriterReport:
    """Kills by what was killed, and how many came in the middle of a transaction; rows compared, and what was wrong with them."""

    kills: Counter[str] = field(default_factory=Counter)
    interrupted: int = 0
    rows: int = 0
    lost: int = 0
    doubled: int = 0
    half: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def is_clean(self) -> bool:
        return not (self.lost or self.doubled or self.half or self.wrong)

    def __str__(self) -> str:
        killed = ", ".join(f"{n} × {name}" for name, n in self.kills.most_common())
        return (
            f"{killed}; {self.interrupted} in the middle of a transaction; {self.rows:,} rows compared: {self.lost} lost,"
            f" {self.doubled} doubled, {self.half} half written{''.join(f'; {one}' for one in self.wrong)}"
        )


def row_at(device: str, stamp_s: int, newest_s: int) -> tuple[int, int | None]:
    """read_ops and write_ops of a sample as of the read whose newest sample is `newest_s`."""
    number = (stamp_s // 20 + _DEVICES.index(device) * 7) % 9973
    age = (newest_s - stamp_s) // 20
    if age == 0:
        return number, None
    return (number, number + 1) if age < _NEW else (number + 2, number + 1)


def expected(first_s: int, newest_s: int) -> Rows:
    """All that is to be stored when the newest sample is that one: of reads of `_NEW` samples each."""
    found: Rows = {}
    for stamp_s in range(first_s, newest_s + 1, 20):
        for device in _DEVICES:
            found[device, stamp_s] = row_at(device, stamp_s, newest_s)
    return found


def read(newest: datetime) -> SampleBatch:
    """What the source answers when `newest` is its newest sample."""
    ends = [newest - number * _GRAIN for number in range(_NEW + _LOOKED_BACK)]
    batches = []
    for device in _DEVICES:
        rows = [row_at(device, round(end.timestamp()), round(newest.timestamp())) for end in ends]
        write_ops = [-1 if ops is None else ops for _, ops in rows]
        batches.append(
            batch(Stream.HOST_DEVICE, device, ends, 20, read_ops=[ops for ops, _ in rows], write_ops=write_ops)
        )
    return joined(batches)


def write(url: str, source_id: int) -> None:
    """Read after read, each in one transaction with its watermark, until it is killed."""
    engine = open_engine(url, Role.WORKER)
    while True:
        with transaction(engine) as connection:
            mark = watermark(connection, source_id, Stream.HOST_DEVICE)
            assert mark is not None
            newest = mark.until + _NEW * _GRAIN
            write_samples(connection, source_id, read(newest))
            advance_watermark(connection, source_id, Stream.HOST_DEVICE, newest)
        # As long as a read takes, nearly: partitions are an hour of samples, and there should not be thousands.
        time.sleep(_READ_S)


class WriterCampaign:
    """A database of its own in `folder`, with durable settings, and a source."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._random = folder, random.Random(seed)
        self.report = WriterReport()
        self._running = ExitStack()

    def open(self) -> None:
        self._start()
        migrate(self._url)
        begun = self._folder / _BEGUN
        if not begun.exists():
            begun.write_text(str(self._begin()))
        self._source_id = int(begun.read_text())

    def close(self) -> None:
        self._running.close()

    def run(self, kills: int, both: int) -> WriterReport:
        """So many kills, `both` of them of the database as well; the accounts after every fifty, and in the end."""
        with_database = set(self._random.sample(range(kills), both))
        for number in range(kills):
            self._kill_once(with_database=number in with_database)
            if (number + 1) % _ROUND == 0 or number + 1 == kills:
                self._compare()
        return self.report

    def _start(self) -> None:
        folder = self._folder / "data"
        self._running = ExitStack()
        self._url = self._running.enter_context(postgres.running(folder, log=self._folder / "log")).url()

    def _begin(self) -> int:
        now = datetime.now(UTC)
        # The newest sample of before: what is looked back at is there.
        first = datetime.fromtimestamp(now.timestamp() // 3600 * 3600, UTC) - timedelta(hours=2)
        engine = open_engine(self._url, Role.WORKER)
        with transaction(engine) as connection:
            source_id = add_source(
                connection, kind=SourceKind.VCENTER, name="v", address="v", settings={}, enabled=True, now=now
            )
            store_inventory(connection, source_id, InventoryTaken(host_inventory(), now))
            newest = first + (_NEW + _LOOKED_BACK - 1) * _GRAIN
            write_samples(connection, source_id, read(newest))
            advance_watermark(connection, source_id, Stream.HOST_DEVICE, newest)
        engine.dispose()
        return source_id

    def _kill_once(self, *, with_database: bool) -> None:
        pid = os.fork()
        if pid == 0:
            try:
                write(self._url, self._source_id)
            except StorageError:
                pass  # the database was killed first
            finally:
                os._exit(1)
        time.sleep(self._random.uniform(*_LIVES_S))
        self.report.interrupted += self._is_writing()
        os.kill(pid, signal.SIGKILL)
        if with_database:
            server = int((self._folder / "data/postmaster.pid").read_text().splitlines()[0])
            os.killpg(server, signal.SIGKILL)
            self._running.close()
            self._start()
        os.waitpid(pid, 0)
        self.report.kills["writer and database" if with_database else "writer"] += 1

    def _is_writing(self) -> bool:
        engine = open_engine(self._url, Role.WORKER)
        with engine.connect() as connection:
            found = connection.scalar(text(_WRITING))
        engine.dispose()
        return bool(found)

    def _compare(self) -> None:
        engine = open_engine(self._url, Role.WORKER)
        with transaction(engine) as connection:
            mark = watermark(connection, self._source_id, Stream.HOST_DEVICE)
            assert mark is not None
            stored = [tuple(row) for row in connection.execute(text(_STORED), {"id": self._source_id})]
            lo, hi = connection.execute(text(_NOTED), {"id": self._source_id}).one()
        self._account(stored, round(mark.until.timestamp()))
        first_s, newest_s = min(stamp for _, stamp, *_ in stored), round(mark.until.timestamp())
        if lo is None or lo.timestamp() > first_s - 20 or hi.timestamp() < newest_s:
            self.report.wrong.append(f"minutes to be written again are noted from {lo} to {hi} only")
        with transaction(engine) as connection:
            again = write_samples(connection, self._source_id, read(mark.until))
        if again.new_rows or again.completed or again.corrected:
            self.report.wrong.append(f"the newest read, written again, changed rows: {again}")
        engine.dispose()

    def _account(self, stored: list[tuple[str, int, int, int | None]], newest_s: int) -> None:
        first_s = min(stamp for _, stamp, *_ in stored)
        wanted = expected(first_s, newest_s)
        found: Rows = {}
        for device, stamp_s, read_ops, write_ops in stored:
            self.report.doubled += (device, stamp_s) in found
            found[device, stamp_s] = read_ops, write_ops
        self.report.rows += len(found)
        self.report.lost += len(wanted.keys() - found.keys())
        self.report.half += sum(found[key] != wanted[key] for key in wanted.keys() & found.keys())
        if beyond := found.keys() - wanted.keys():
            self.report.wrong.append(f"{len(beyond)} rows are newer than the watermark")
        assert len(found) < _MOST_SAMPLES * len(_DEVICES), "more rows than an account can hold at once"


@contextmanager
def writer_campaign(folder: Path, seed: int) -> Iterator[WriterCampaign]:
    """In a folder that was used before, the rows of before are compared as well."""
    one = WriterCampaign(folder, seed)
    one.open()
    try:
        yield one
    finally:
        one.close()
