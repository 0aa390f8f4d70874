"""How long pages wait for diagnoses: p50 and p95 of answers over HTTP, on 2,000 datastores and 20,000 VMs (plain PostgreSQL).

On rows of its own, or on what `tests.benchmarks.fill` has filled: GAVEL_BENCH_DATA_DIR=DIR, its data directory, which nothing else runs
on, or GAVEL_BENCH_URL=URL, its database on any server. GAVEL_BENCH_BESIDE=1 lets a Gavel of its own collect and attribute its small lab
meanwhile, in processes of its own.
"""

import gc
import os
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
import numpy.typing as npt
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.db.environments import array_inventory, device, disk, host_inventory, naa, volume
from tests.product.comparing import caught_up
from tests.product.running import Product

from gavel.analysis.ledger import LAYER_SEGMENTS
from gavel.api.app import build
from gavel.config import Settings
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.migrate import migrate
from gavel.db.queries.correlation import LedgerProgress, save_progress
from gavel.db.queries.leaves import device_leaves, disk_leaves
from gavel.db.queries.refs import RefKind
from gavel.db.queries.scopes import ledger_until
from gavel.db.queries.sources import add_source
from gavel.db.series import maintenance, partitions, plain
from gavel.db.series.catalog import LEDGER_ROLLS
from gavel.db.write.inventory import store_inventory
from gavel.db.write.ledger import write_ledger
from gavel.domain.inventory import Datastore, DatastoreType, InventoryTaken, Vm
from gavel.domain.io_path import SPANS, Layer, Segment
from gavel.domain.labels import Label, LabelKind
from gavel.domain.ledger import LedgerRows, Notes
from gavel.domain.scope import ScopeKind, scope_key
from gavel.domain.source import SourceKind
from gavel.embedded import postgres

DATASTORES, VMS, MINUTES, DAYS, RUNS = 2_000, 20_000, 6, 30, 60
# Of 10 VMs each; a tier has 5,000, for a large group.
APPLICATIONS, TIERS = 2_000, 4
# Of other things: a connection plans each of its questions anew ten times (psycopg prepares at the sixth, PostgreSQL plans five of
# those for their values), then once for good.
WARM_UP = 16
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
NOW = datetime.fromtimestamp(time.time() // 300 * 300, UTC)
HOSTS = ("esx-1", "esx-2")
FILLED_DIR, FILLED_URL = os.environ.get("GAVEL_BENCH_DATA_DIR"), os.environ.get("GAVEL_BENCH_URL")
FILLED = FILLED_DIR or FILLED_URL
BESIDE = os.environ.get("GAVEL_BENCH_BESIDE") == "1"


def serial(number: int) -> str:
    return f"9714B5CB91634C47000{number:05X}"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if FILLED_URL:
        migrate(FILLED_URL)
        yield FILLED_URL
        return
    if FILLED_DIR:
        with postgres.running(Path(FILLED_DIR) / "postgres") as cluster:
            migrate(cluster.url())
            yield cluster.url()
        return
    folder = tmp_path_factory.mktemp("benchmark")
    with postgres.running(folder / "data", log=folder / "log") as cluster:
        migrate(cluster.url())
        engine = open_engine(cluster.url(), Role.WORKER)
        add_environment(engine)
        add_ledger(engine)
        engine.dispose()
        yield cluster.url()


@dataclass(frozen=True)
class Things:
    """What is asked about; the ledger ends at `until`."""

    vms: list[int]
    stores: list[int]
    until: datetime

    def filled(self, path: str, n: int) -> str:
        def back(width: timedelta) -> str:
            return urlencode({"from": (self.until - width).isoformat(), "to": self.until.isoformat()})

        vm, store = (those[n * 37 % len(those)] for those in (self.vms, self.stores))
        return path.format(vm=vm, store=store, n=n, day=back(DAY), month=back(DAYS * DAY))


@pytest.fixture(scope="module")
def things(url: str) -> Things:
    engine = open_engine(url, Role.API)
    with transaction(engine) as connection:
        until = ledger_until(connection)
    vms, stores = ids(engine, "vm"), ids(engine, "datastore")
    engine.dispose()
    assert until is not None, "nothing has been attributed here yet"
    # Of the rows of its own, only the first ones have a past.
    return Things(vms, stores, until) if FILLED else Things(vms[:1], stores[:1], until)


@pytest.fixture(scope="module")
def client(url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    settings = Settings(database_url=url, data_dir=tmp_path_factory.mktemp("api"), broker_url="memory://")
    with TestClient(build(settings), base_url="http://127.0.0.1:8321") as found:
        # As `create_app` does for the process.
        gc.freeze()
        yield found


@pytest.fixture(scope="module", autouse=True)
def beside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Where that is wanted, another Gavel that collects and attributes its lab."""
    if not BESIDE:
        yield
        return
    product = Product(tmp_path_factory.mktemp("beside"))
    try:
        product.start()
        # The hour that is read at the start is no everyday work.
        product.wait_until_read(product.up_at)
        caught_up(product)
        yield
    finally:
        product.end()


def add_environment(engine: Engine) -> None:
    """Each datastore on a volume of its own and on two hosts, with ten VMs of one disk."""
    stores = tuple(
        Datastore(f"ds-{n}", f"datastore-{n:04}", DatastoreType.VMFS, None, 2**40, (naa(serial(n)),), HOSTS)
        for n in range(DATASTORES)
    )
    names = [f"vm-{n}" for n in range(VMS)]
    hosts = replace(
        host_inventory(),
        datastores=stores,
        devices=tuple(device(host, naa(serial(n))) for host in HOSTS for n in range(DATASTORES)),
        paths=(),
        vms=tuple(
            Vm(name, name, f"iu-{name}", "poweredOn", HOSTS[n % 2], labels=labels_of(n)) for n, name in enumerate(names)
        ),
        disks=tuple(disk(name, 0, f"ds-{n % DATASTORES}") for n, name in enumerate(names)),
    )
    array = replace(
        array_inventory(), volumes=tuple(volume(f"v{n}", serial(n)) for n in range(DATASTORES)), connections=()
    )
    for kind, inventory in ((SourceKind.FLASHARRAY, array), (SourceKind.VCENTER, hosts)):
        with transaction(engine) as connection:
            source = add_source(
                connection, kind=kind, name=kind, address="192.0.2.1", settings={}, enabled=True, now=NOW
            )
            store_inventory(connection, source, InventoryTaken(inventory, NOW))


def labels_of(n: int) -> tuple[Label, ...]:
    named = {"application": f"app-{n % APPLICATIONS:04}", "owner": f"team-{n % 200:03}", "tier": f"tier-{n % TIERS}"}
    return tuple(Label(LabelKind.TAG, name, value) for name, value in named.items())


def ids(engine: Engine, table: str) -> list[int]:
    with transaction(engine) as connection:
        return list(connection.scalars(text(f"SELECT id FROM {table} ORDER BY id")))


def add_ledger(engine: Engine) -> None:
    """The last minutes of everything, a day of the first VM and the first datastore with its leaves, and 30 days of its hours."""
    stores, vms = ids(engine, "datastore"), ids(engine, "vm")
    first = [scope_key(ScopeKind.DATASTORE, stores[0]), scope_key(ScopeKind.VM, vms[0])]
    devices, disks = leaves(engine, stores[0])
    first += [scope_key(ScopeKind.HOST_DEVICE, i) for i in devices] + [scope_key(ScopeKind.VM_DISK, i) for i in disks]
    for hour in range(25, 0, -1):
        write(engine, first, [NOW - hour * HOUR + n * MINUTE for n in range(60)])
    maintenance.maintain(engine, NOW)
    maintenance.maintain(engine, NOW)
    others = [scope_key(ScopeKind.DATASTORE, i) for i in stores[1:]] + [scope_key(ScopeKind.VM, i) for i in vms[1:]]
    others.append(scope_key(ScopeKind.ENVIRONMENT, 0))
    others += [scope_key(ScopeKind.HOST_DEVICE, i) for i in ids(engine, "host_device") if i not in devices]
    others += [scope_key(ScopeKind.VM_DISK, i) for i in ids(engine, "vm_disk") if i not in disks]
    for ago in range(MINUTES, 0, -1):
        write(engine, others, [NOW - ago * MINUTE])
    repeat_hours(engine, first[0])
    with transaction(engine) as connection:
        save_progress(connection, LedgerProgress(NOW, None, frozenset()))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("VACUUM ANALYZE")


def leaves(engine: Engine, store: int) -> tuple[set[int], set[int]]:
    """Devices and virtual disks of a datastore."""
    with transaction(engine) as connection:
        return (
            {one.device.id for one in device_leaves(connection, RefKind.DATASTORE, store)},
            {one.disk.id for one in disk_leaves(connection, RefKind.DATASTORE, store)},
        )


def made(n: int, seed: int) -> tuple[LedgerRows, Notes]:
    """Rows as vSphere 9 and an array give them: every layer but the guest's, every segment but its."""
    rng = np.random.default_rng(seed)
    ops = np.floor(rng.uniform(100, 100_000, (n, 2)))
    segment_us = rng.uniform(0, 300, (n, 2, len(Segment)))
    segment_us[:, :, Segment.GUEST_QUEUE] = 0
    segment_ops = np.repeat(ops[:, :, None], len(Segment), axis=2)
    segment_ops[:, :, Segment.GUEST_QUEUE] = 0
    time, span_ops = np.zeros((n, 2, len(SPANS))), np.zeros((n, 2, len(SPANS)))
    for layer in (Layer.KERNEL, Layer.SAN, Layer.ARRAY):
        at = SPANS.index((layer, layer))
        time[:, :, at] = segment_us[:, :, list(LAYER_SEGMENTS[layer])].sum(axis=2) * ops
        span_ops[:, :, at] = ops
    unknown = np.zeros((n, 3, len(Segment)))
    rows = LedgerRows(
        ops=_all(ops),
        bytes=_all(ops * 4096),
        segment_time=_all(segment_us * segment_ops),
        segment_lower=unknown,
        segment_upper=unknown,
        segment_ops=_all(segment_ops),
        span_time=_all(time),
        span_lower=_all(time * 0.9),
        span_upper=_all(time * 1.1),
        span_ops=_all(span_ops),
        outermost_lower=_all(time.sum(axis=2)),
    )
    whole = ops.sum(axis=1)
    flags, none = np.zeros(n, dtype=np.int64), np.zeros(n)
    return rows, Notes(
        reasons=flags,
        quality_reasons=flags,
        disagreement_us=none,
        offset_error_s=none,
        missing_s=none,
        device_ops=whole,
        array_ops=whole,
        outstanding_s=whole,
        queue_depth=np.full(n, 32.0),
    )


def _all(ways: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.concatenate([ways, ways.sum(axis=1, keepdims=True)], axis=1)


def us(at: datetime) -> int:
    return round(at.timestamp()) * 1_000_000


def write(engine: Engine, keys: list[int], minutes: list[datetime]) -> None:
    rows, notes = made(len(keys) * len(minutes), minutes[0].minute)
    stamps, owners = np.repeat([us(at) for at in minutes], len(keys)), np.tile(keys, len(minutes))
    with transaction(engine) as connection:
        write_ledger(connection, stamps, owners, rows, notes, replace_minutes=())


def repeat_hours(engine: Engine, key: int) -> None:
    """The hours of the last day, again on each of the days before."""
    hour = LEDGER_ROLLS[1]
    partitions.ensure(engine, hour, list(plain.partitions_between(hour, NOW - (DAYS + 2) * DAY, NOW)))
    names = ", ".join(partial.name for partial in hour.partials)
    until = plain.floor(NOW, HOUR, hour.origin)
    with transaction(engine) as connection:
        for day in range(1, DAYS + 1):
            connection.execute(
                text(
                    f"INSERT INTO {hour.name} (entity_id, bucket, {names}) SELECT entity_id, bucket - :back, {names}"
                    f" FROM {hour.name} WHERE entity_id = :key AND bucket >= :since AND bucket < :until ON CONFLICT DO NOTHING"
                ),
                {"back": day * DAY, "key": key, "since": until - DAY, "until": until},
            )


@pytest.mark.parametrize(
    ("what", "path", "goal_ms"),
    [
        ("24 h of a VM", "vms/{vm}/latency?{day}", 50),
        ("diagnosis of a VM, with since and evidence", "vms/{vm}/diagnosis", 50),
        ("diagnosis of a VM over 24 h", "vms/{vm}/diagnosis?{day}", None),
        ("waterfall of a VM over 24 h", "vms/{vm}/waterfall?{day}", 50),
        ("30 d of a datastore", "datastores/{store}/latency?{month}", 50),
        ("diagnosis of a datastore", "datastores/{store}/diagnosis", 50),
        ("contributors of a datastore", "datastores/{store}/contributors", 50),
        ("contributors of a datastore over 24 h", "datastores/{store}/contributors?{day}", None),
        ("evidence of a datastore over 24 h", "datastores/{store}/series?{day}", None),
        ("overview of 2,000 datastores", "overview", 100),
        ("overview of 2,000 datastores over 24 h", "overview?{day}", None),
        ("overview of 20,000 VMs", "overview?kind=vms", None),
        ("list of VMs by name", "vms", None),
        ("list of VMs by latency", "vms?sort=-latency", None),
        ("list of datastores by I/Os", "datastores?sort=-iops", None),
        ("search", "search?q=0{n}", None),
    ],
)
def test_pages_are_answered_in_time(
    client: TestClient, things: Things, what: str, path: str, goal_ms: float | None
) -> None:
    """Every answer is about another VM or datastore, where more than one has so much to tell."""
    took, sizes = [], []
    for number in range(-WARM_UP, 0):
        client.get(f"/api/v1/{things.filled(path, number)}")
    for number in range(1, RUNS + 1):
        started = time.perf_counter()
        answer = client.get(f"/api/v1/{things.filled(path, number)}")
        took.append((time.perf_counter() - started) * 1000)
        assert answer.status_code == 200, answer.text
        sizes.append(len(answer.content) / 1024)
    middle, high = statistics.median(took), statistics.quantiles(took, n=20)[-1]
    aim = "" if goal_ms is None else f" (goal {goal_ms} ms)"
    sys.stdout.write(f"\n{what}: p50 {middle:.1f} ms, p95 {high:.1f} ms{aim}, {statistics.median(sizes):.0f} KiB\n")
    if goal_ms is not None:
        assert middle <= goal_ms
