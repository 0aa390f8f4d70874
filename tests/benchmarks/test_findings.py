"""CPU seconds of one evaluation of all findings over 2,000 datastores and 20,000 VMs, filled through the writers."""

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Engine, event, text
from tests.api.ledgers import HEALTHY, KERNEL, Interval
from tests.api.ledgers import minute as row
from tests.benchmarks.test_correlate import DATASTORES, HOSTS, arrays, batch, hosts_of
from tests.benchmarks.test_correlate import hosts as inventory_of_hosts
from tests.db.environments import disk

from gavel.correlate.findings import EVERY, evaluate_findings
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.clocks import record_clocks
from gavel.db.queries.correlation import LedgerProgress, save_progress
from gavel.db.queries.sources import add_source
from gavel.db.write.inventory import store_inventory
from gavel.db.write.ledger import write_ledger
from gavel.db.write.samples import advance_watermark, write_samples
from gavel.domain.inventory import Hba, HostInventory, InventoryTaken, Protocol, Vm
from gavel.domain.inventory import Path as StoragePath
from gavel.domain.ledger import LedgerRows, Notes
from gavel.domain.samples import Int64Array
from gavel.domain.scope import ScopeKind, scope_key
from gavel.domain.source import ATTRIBUTED, ClockReading, SourceKind, Stream
from gavel.ingest.connections import Connections
from gavel.ingest.worker import WorkerContext
from gavel.vault import Vault

VMS, PATHS = 20_000, 4
GOAL_S = 2.0
MINUTE = timedelta(minutes=1)
START = datetime.now(UTC).replace(second=0, microsecond=0)
# Of the devices and volumes: full queues, and slow arrays.
TROUBLED = 0.01
SLOW = {part: (3 * us, 3 * low, 3 * high) for part, (us, low, high) in HEALTHY.items()}


def environment() -> HostInventory:
    """One disk a VM, and four paths a device."""
    plain = inventory_of_hosts()
    hbas = tuple(
        Hba(f"esx-{n}/{name}", f"esx-{n}", name, "nfnic", "VIC", Protocol.FC, "20:00", 32)
        for n in range(HOSTS)
        for name in ("vmhba1", "vmhba2")
    )
    paths = tuple(
        StoragePath(
            f"{one.key}/p{n}", one.key, f"{one.host_key}/vmhba{1 + n % 2}", "t", "active", True, f"vmhba{1 + n % 2}:C0:T{n}:L0",
            f"{one.canonical_name}/p{n}",
        )
        for one in plain.devices
        for n in range(PATHS)
    )  # fmt: skip
    return replace(
        plain,
        hbas=hbas,
        paths=paths,
        vms=tuple(Vm(f"vm-{n}", f"vm-{n}", None, "poweredOn", hosts_of(n % DATASTORES)[n % 2]) for n in range(VMS)),
        disks=tuple(disk(f"vm-{n}", 0, f"ds-{n % DATASTORES}", controller_type="PVSCSI") for n in range(VMS)),
    )


class Site:
    """Both sides of the site in a store of their own."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.now = engine, START
        self.place = WorkerContext(engine, Connections(Vault(bytes(32))), now=lambda: self.now)
        self._rng = np.random.default_rng(1)
        found = environment()
        with transaction(engine) as connection:
            for kind, inventory in ((SourceKind.VCENTER, found), (SourceKind.FLASHARRAY, arrays())):
                source_id = add_source(
                    connection,
                    kind=kind,
                    name=kind,
                    address=kind,
                    settings={},
                    enabled=True,
                    now=START - timedelta(days=2),
                )
                store_inventory(connection, source_id, InventoryTaken(inventory, START))
        self.paths = [f"{one.host_device_key.partition('/')[0]}/{one.counter}" for one in found.paths]
        self.ids = {
            kind: self._ids(kind) for kind in (ScopeKind.HOST_DEVICE, ScopeKind.VM_DISK, ScopeKind.VOLUME, ScopeKind.VM)
        }

    def _ids(self, kind: ScopeKind) -> Int64Array:
        table = {"HOST_DEVICE": "host_device", "VM_DISK": "vm_disk", "VOLUME": "volume", "VM": "vm"}[kind.name]
        with self.engine.connect() as connection:
            return np.array(list(connection.execute(text(f"SELECT id FROM {table} ORDER BY id")).scalars()))

    def write(self, kinds: Sequence[ScopeKind], begins: Sequence[datetime], *, troubled: bool) -> None:
        for begin in begins:
            parts = [self._rows(kind, troubled=troubled) for kind in kinds]
            keys = np.concatenate([scope_key(kind, 0) + self.ids[kind] for kind in kinds])
            rows, notes = (
                made(
                    **{one.name: np.concatenate([getattr(part[n], one.name) for part in parts]) for one in fields(made)}
                )
                for n, made in enumerate((LedgerRows, Notes))
            )
            stamps = np.full(len(keys), round(begin.timestamp()) * 1_000_000)
            with transaction(self.engine) as connection:
                write_ledger(connection, stamps, keys, rows, notes, replace_minutes=())

    def _rows(self, kind: ScopeKind, *, troubled: bool) -> tuple[LedgerRows, Notes]:
        """Every object the same numbers times a random load; the first hundredth is in trouble, and always the same ones."""
        count = len(self.ids[kind])
        bad = int(count * TROUBLED) if troubled else 0
        trouble = SLOW if kind is ScopeKind.VOLUME else KERNEL
        quiet, loud = self._one(kind, HEALTHY, 60 * 150), self._one(kind, trouble, 60 * 40_000)
        load = self._rng.uniform(0.2, 1.8, count)
        parts = []
        for made, calm, busy in zip((LedgerRows, Notes), quiet, loud, strict=True):
            values = {}
            for one in fields(made):
                low, high = getattr(calm, one.name), getattr(busy, one.name)
                column = np.repeat(low, count, axis=0)
                column[:bad] = high
                if made is LedgerRows:
                    column = column * load.reshape((-1,) + (1,) * (column.ndim - 1))
                values[one.name] = column
            parts.append(made(**values))
        return parts[0], parts[1]

    @staticmethod
    def _one(kind: ScopeKind, us: Mapping[int, Interval], ops: float) -> tuple[LedgerRows, Notes]:
        if kind is ScopeKind.VM_DISK:
            return row(ops / 20, ops / 40, us, outstanding_s=60.0)
        return row(ops, ops / 2, us, queue_depth=32.0)

    def write_paths(self) -> None:
        """Twelve samples of five minutes each of every path; a hundredth has one path that carries most."""
        ends = [START - timedelta(minutes=5 * n) for n in range(12)]
        share = np.ones(len(self.paths))
        share[: int(len(share) * TROUBLED) : PATHS] = 20
        for end in ends:
            ops = (300 * 60 * share).astype(np.int64)
            samples = batch(
                Stream.PATH, self.paths, [end], 300, read_ops=ops, write_ops=ops, read_latency_us=1000, precision=2
            )
            with transaction(self.engine) as connection:
                source = connection.execute(text("SELECT id FROM source WHERE kind = 'vcenter'")).scalar_one()
                write_samples(connection, source, samples)

    def evaluated(self, until: datetime) -> tuple[float, float, int, int]:
        """CPU seconds of this process and of its sessions of the database, statements, and what was raised; `until`: end of the ledger."""
        self.now = until + timedelta(seconds=90)
        with transaction(self.engine) as connection:
            save_progress(connection, LedgerProgress(until, None, frozenset()))
            for source, kind in connection.execute(text("SELECT id, kind FROM source")).all():
                readings = [
                    ClockReading(one, 0.5, 0.1, self.now)
                    for one in (None, *(self._hosts() if kind == "vcenter" else ()))
                ]
                record_clocks(connection, source, readings)
                for stream in ATTRIBUTED:
                    advance_watermark(connection, source, stream, until)
            connection.execute(text("UPDATE source SET inventory_at = :at"), {"at": self.now})
        statements = 0

        def count(*_: object) -> None:
            nonlocal statements
            statements += 1

        event.listen(self.engine, "before_cursor_execute", count)
        server, own = self._server_s(), time.process_time()
        counts = evaluate_findings(self.place)
        spent = time.process_time() - own, self._server_s() - server
        event.remove(self.engine, "before_cursor_execute", count)
        assert counts is not None
        return *spent, statements, counts.raised

    @staticmethod
    def _hosts() -> list[str]:
        return [f"esx-{n}" for n in range(HOSTS)]

    def _server_s(self) -> float:
        """Of the sessions that this process holds: the server is on this machine."""
        query = "SELECT pid FROM pg_stat_activity WHERE application_name = current_setting('application_name')"
        with self.engine.connect() as connection:
            pids = [pid for (pid,) in connection.execute(text(query))]
        ticks = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13] for pid in pids]
        return sum(int(one) for pair in ticks for one in pair) / os.sysconf("SC_CLK_TCK")


@pytest.fixture
def site(postgres_url: str) -> Iterator[Site]:
    engine = open_engine(postgres_url, Role.WORKER)
    yield Site(engine)
    engine.dispose()


def test_findings_of_2000_datastores_and_20000_vms(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    leaves = (ScopeKind.HOST_DEVICE, ScopeKind.VM_DISK, ScopeKind.VOLUME)
    before = [START - timedelta(minutes=n) for n in range(61, 71)]
    newest = [START - timedelta(minutes=n) for n in range(1, 11)]
    site.write(leaves, before, troubled=False)
    site.write((*leaves, ScopeKind.VM), newest, troubled=True)
    site.write((ScopeKind.VOLUME,), [START - timedelta(minutes=n) for n in range(11, 61)], troubled=True)
    site.write_paths()
    with site.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("ANALYZE"))
    told = ["the first one", "five minutes later", "ten minutes later"]
    spent = [site.evaluated(START)]
    for n in (1, 2):
        begin = START + (n - 1) * EVERY
        site.write((*leaves, ScopeKind.VM), [begin + k * MINUTE for k in range(5)], troubled=True)
        spent.append(site.evaluated(begin + EVERY))
    with capsys.disabled():
        sys.stdout.write(
            f"\n{DATASTORES} datastores × {VMS} VMs, {HOSTS} hosts, {len(site.paths)} paths: an evaluation of all findings\n"
        )
        for words, (own, server, statements, raised) in zip(told, spent, strict=True):
            sys.stdout.write(
                f"  {own:.2f} CPU s, {server:.2f} of the database, {statements} statements, {raised} raised: {words}\n"
            )
        with site.engine.connect() as connection:
            rules = connection.execute(
                text("SELECT rule, count(*) FROM finding WHERE state = 'open' GROUP BY 1 ORDER BY 1")
            )
            sys.stdout.write("  open: " + ", ".join(f"{count} {rule}" for rule, count in rules) + "\n")
    assert spent[0][3] > 0
    assert max(own + server for own, server, _, _ in spent[1:]) <= GOAL_S
