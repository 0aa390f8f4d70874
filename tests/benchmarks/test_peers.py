"""What a new value costs Gavel beside Telegraf, and a cycle of an array beside the vendor's own client: CPU seconds of one run.

Telegraf's vSphere input and Gavel ask one lab vCenter for the same counters of the same devices and disks, at the same time. Gavel's figure
is that of live reading as workers do it, with PostgreSQL. Programs of the peers as in tests/peers.
"""

import json
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text
from tests.benchmarks.labs import running_lab
from tests.benchmarks.load.processes import spent_s
from tests.benchmarks.test_collect_cycle import Spent
from tests.conftest import missing
from tests.peers.programs import built

from gavel.collectors.contract import Collector
from gavel.collectors.hosts.vcenter import collector as vcenter
from gavel.collectors.hosts.vcenter.counters import choose
from gavel.db.engine import transaction
from gavel.db.queries.sources import SourceRow, add_source
from gavel.domain.samples import COLUMNS
from gavel.domain.source import SourceKind, Stream, Watermark
from gavel.ingest.connections import Connections, open_collector
from gavel.ingest.lanes import Lane
from gavel.ingest.live import collect_live
from gavel.ingest.schedule import due_work
from gavel.ingest.windows import live_window
from gavel.ingest.worker import WorkerContext
from gavel.vault import Vault

ROOT = Path(__file__).resolve().parents[2]
# Twice 100 hosts with 40 devices and 2,000 VMs with 3 disks; two arrays of 5,400 volumes.
_VCENTER_SCALE = "clusters=20,hosts_per_cluster=10,datastores_per_cluster=40,vms=4000,disks_per_vm=3,bare_volumes=4"
_ARRAY_SCALE = "bare_volumes=10800"
_READ = (Stream.HOST_DEVICE, Stream.VM_DISK)
_CYCLES, _CYCLE_S = 9, 20
# Sessions, plans, and how late samples are filled are known afterwards.
_WARM_UP_S = 100
_TICK_S = 2.0
_ARRAY_ROUNDS = 8
GOAL_OF_TELEGRAF, GOAL_OF_CLIENT = 0.22, 0.7
_TELEGRAF = """
[agent]
  interval = "{interval_s}s"
  omit_hostname = true
  metric_batch_size = 5000
  metric_buffer_limit = 500000
[[outputs.file]]
  files = ["{output}"]
  data_format = "influx"
[[inputs.vsphere]]
  vcenters = ["https://{address}/sdk"]
  username = "{username}"
  password = "{password}"
  insecure_skip_verify = true
  host_metric_include = {devices}
  vm_metric_include = {disks}
  cluster_metric_exclude = ["*"]
  datastore_metric_exclude = ["*"]
  datacenter_metric_exclude = ["*"]
  resource_pool_metric_exclude = ["*"]
  vsan_metric_exclude = ["*"]
  custom_attribute_include = ["*"]
  custom_attribute_exclude = []
  use_int_samples = false
  timeout = "60s"
"""


class OneSource(Connections):
    """Hands out one open collector."""

    def __init__(self, collector: Collector) -> None:
        super().__init__(Vault(bytes(32)))
        self._only = collector

    def collector(self, source: SourceRow) -> Collector:
        return self._only


@dataclass(frozen=True)
class Cost:
    """CPU seconds, and the numbers that were new meanwhile."""

    name: str
    cpu_s: Mapping[str, float]
    values: int

    @property
    def us_per_value(self) -> float:
        return sum(self.cpu_s.values()) / self.values * 1e6

    def line(self) -> str:
        parts = ", ".join(f"{name} {spent:.2f}" for name, spent in self.cpu_s.items())
        return f"{self.name}: {parts} CPU s for {self.values:,} values, {self.us_per_value:.2f} µs a value"


def test_a_new_value_of_a_vcenter_beside_telegraf(
    tmp_path: Path, plain_engine: Engine, monkeypatch: pytest.MonkeyPatch, tell: Callable[[str], None]
) -> None:
    program = built("telegraf")
    engine = plain_engine
    streams = {stream: plan for stream, plan in vcenter._STREAMS.items() if stream in _READ}
    monkeypatch.setattr(vcenter, "_STREAMS", streams)
    with (
        running_lab(tmp_path, "--scale", _VCENTER_SCALE) as sources,
        live_reading(engine, sources["vcenter-1"]) as read,
    ):
        with telegraf(program, tmp_path, sources["vcenter-1"]["settings"]) as gathering:
            read(time.monotonic() + _WARM_UP_S)
            before, held, database = Spent(), values_held(engine), database_s(engine)
            gathering.begin()
            with before.measured():
                read(time.monotonic() + _CYCLES * _CYCLE_S)
            database = database_s(engine) - database
            peer = gathering.cost()
        ours = Cost("Gavel", {"Python": before.cpu_s, "PostgreSQL": database}, values_held(engine) - held)
    ratio = ours.us_per_value / peer.us_per_value
    tell(f"{ours.line()}\n{peer.line()}\nGavel ÷ Telegraf {ratio:.2f} (goal {GOAL_OF_TELEGRAF})\n")
    assert min(ours.values, peer.values) > 0


@contextmanager
def live_reading(engine: Engine, described: Mapping[str, Any]) -> Iterator[Callable[[float], None]]:
    """A source with its inventory read; called, it is read as workers do until that time (monotonic)."""
    source_id, collector = (
        added(engine, described),
        open_collector(SourceKind(described["kind"]), described["settings"]),
    )
    context = WorkerContext(engine, OneSource(collector))

    def read(until: float) -> None:
        while (now := time.monotonic()) < until:
            if any(work.live for work in due_work(context)):
                collect_live(context, source_id, Lane.SLOW, is_tick=True)
            time.sleep(max(0.0, now + _TICK_S - time.monotonic()))

    try:
        collect_live(context, source_id)
        yield read
    finally:
        collector.close()


def added(engine: Engine, described: Mapping[str, Any]) -> int:
    with transaction(engine) as connection:
        return add_source(
            connection, kind=SourceKind(described["kind"]), name="source", address=described["settings"]["address"],
            settings={}, enabled=True, now=datetime.now(UTC),
        )  # fmt: skip


def values_held(engine: Engine) -> int:
    """Numbers that are stored; the precision is Gavel's own remark."""
    counts = []
    with engine.connect() as connection:
        for stream in _READ:
            columns = ", ".join(name for name in COLUMNS[stream] if name != "precision")
            counts.append(connection.scalar(text(f"SELECT sum(num_nonnulls({columns})) FROM {stream}_sample")) or 0)
    return int(sum(counts))


def database_s(engine: Engine) -> float:
    """CPU seconds of the whole server, sessions that have ended included."""
    with engine.connect() as connection:
        session: int = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    server = int(Path(f"/proc/{session}/stat").read_text().rpartition(")")[2].split()[1])
    children = Path(f"/proc/{server}/task/{server}/children").read_text().split()
    return spent_s(server) + sum(spent_s(int(pid)) for pid in children)


class Gathering:
    """A Telegraf at work, measured from the end of one of its cycles to the end of another."""

    def __init__(self, pid: int, output: Path) -> None:
        self._pid, self._output = pid, output
        self._cpu_s, self._at = 0.0, 0

    def begin(self) -> None:
        self._at = self._cycle_end()
        self._cpu_s = spent_s(self._pid)

    def cost(self) -> Cost:
        until = self._cycle_end()
        spent = spent_s(self._pid) - self._cpu_s
        with self._output.open("rb") as lines:
            lines.seek(self._at)
            written = lines.read(until - self._at).decode()
        values = sum(line.count("=") - line.partition(" ")[0].count("=") for line in written.splitlines())
        texts = written.count('="')
        return Cost("Telegraf", {"Telegraf": spent}, values - texts)

    def _cycle_end(self) -> int:
        """Size of the output once it has grown and rests."""
        size = last = self._size()
        while last == size:
            time.sleep(0.5)
            last = self._size()
        while True:
            time.sleep(3)
            if last == (last := self._size()):
                return last

    def _size(self) -> int:
        return self._output.stat().st_size if self._output.exists() else 0


@contextmanager
def telegraf(program: Path, folder: Path, settings: Mapping[str, Any]) -> Iterator[Gathering]:
    output, configuration = folder / "telegraf.influx", folder / "telegraf.conf"
    wanted = {stream: [name for name in choose(stream, _served(settings)) if "." in name] for stream in _READ}
    configuration.write_text(
        _TELEGRAF.format(
            interval_s=_CYCLE_S, output=output, address=settings["address"], username=settings["username"],
            password=settings["password"], devices=json.dumps(wanted[Stream.HOST_DEVICE]),
            disks=json.dumps(wanted[Stream.VM_DISK]),
        )
    )  # fmt: skip
    with (folder / "telegraf.log").open("w") as log:
        process = subprocess.Popen(
            [str(program), "--config", str(configuration)], stdout=log, stderr=log, stdin=subprocess.DEVNULL
        )
        try:
            yield Gathering(process.pid, output)
        finally:
            process.terminate()
            process.wait(30)


def _served(settings: Mapping[str, Any]) -> Sequence[str]:
    """Names of the counters that the vCenter has."""
    collector = open_collector(SourceKind.VCENTER, dict(settings))
    try:
        return sorted(collector._collector._perf.catalogue().ids)  # type: ignore[attr-defined]
    finally:
        collector.close()


def test_a_cycle_of_an_array_beside_the_vendors_client(tmp_path: Path, tell: Callable[[str], None]) -> None:
    python = ROOT / ".tools/peers/bin/python"
    if not python.exists():
        missing("This needs the packages of the peers: python scripts/bootstrap.py peers.")
    with running_lab(tmp_path, "--scale", _ARRAY_SCALE) as sources:
        ratios = [
            _array_by_turns(python, tmp_path, name, sources[name], tell) for name in ("flasharray-1", "flasharray-2")
        ]
    tell(f"Gavel ÷ py-pure-client {max(ratios):.2f} at most (goal {GOAL_OF_CLIENT})\n")


def _array_by_turns(
    python: Path, folder: Path, name: str, described: Mapping[str, Any], tell: Callable[[str], None]
) -> float:
    settings = dict(described["settings"])
    collector = open_collector(SourceKind(described["kind"]), settings)
    plan = collector.streams[Stream.ARRAY_VOLUME]
    newest = datetime.fromtimestamp(int(time.time() - 600) // 30 * 30, UTC)
    known = Watermark(newest)
    as_polled, one_sample, theirs = list[Cycle](), list[Cycle](), list[Cycle]()
    with vendors_client(python, folder / f"tls/{name}.crt", settings) as client:
        for turn in range(_ARRAY_ROUNDS + 1):
            window = live_window(known, newest + plan.interval, plan)
            newest += plan.interval
            cycles = (
                _read(collector, window.since, newest),
                _read(collector, newest - plan.interval, newest),
                client(newest),
            )
            looked_back_at = newest if window.is_whole_look else known.looked_back_at
            known = Watermark(newest, newest, looked_back_at=looked_back_at)
            if turn:
                for cycles_of, cycle in zip((as_polled, one_sample, theirs), cycles, strict=True):
                    cycles_of.append(cycle)
    collector.close()
    theirs_s = sum(one.cpu_s for one in theirs)
    for what, found in (
        ("Gavel as it polls", as_polled),
        ("Gavel, one sample", one_sample),
        ("py-pure-client", theirs),
    ):
        spent = [one.cpu_s for one in found]
        tell(
            f"{name}, {what}: {min(spent):.3f} to {max(spent):.3f} CPU s a cycle of {found[-1].rows} rows, "
            f"{sum(spent) / theirs_s:.2f} of the client"
        )
    return sum(one.cpu_s for one in as_polled) / theirs_s


@dataclass(frozen=True)
class Cycle:
    cpu_s: float
    rows: int


def _read(collector: Collector, since: datetime, until: datetime) -> Cycle:
    spent = Spent()
    with spent.measured():
        rows = sum(map(len, collector.samples(Stream.ARRAY_VOLUME, since, until)))
    return Cycle(spent.cpu_s, rows)


@contextmanager
def vendors_client(
    python: Path, certificate: Path, settings: Mapping[str, Any]
) -> Iterator[Callable[[datetime], Cycle]]:
    """Called: what one sample of all volumes takes."""
    command = [python, ROOT / "tests/peers/pure_client/session.py", settings["address"], certificate, settings["api_token"]]  # fmt: skip
    with subprocess.Popen(
        [str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        assert json.loads(process.stdout.readline())["version"]

        def ask(until: datetime) -> Cycle:
            assert process.stdin
            assert process.stdout
            end = round(until.timestamp() * 1000)
            arguments = {"resolution": 30_000, "start_time": end, "end_time": end}
            before = spent_s(process.pid)
            process.stdin.write(json.dumps({"count": "get_volumes_performance", "arguments": arguments}) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert answer["status"] == 200, answer
            return Cycle(spent_s(process.pid) - before, answer["rows"])

        try:
            yield ask
        finally:
            process.stdin.close()
