"""What no source should send, from the wire through the parsers and the store into the ledger: a gap, a flag or a lower quality.

Never an exception that stops the minute, and never a number that nobody measured. The clock that is an hour off and the array
that is silent are in `test_correlate`.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest
from sqlalchemy import text
from tests.collectors.hosts.vcenter.payloads import Entity, query_perf
from tests.correlate.correlated import DEVICE, IOPS, SERIAL, START, Environment
from tests.db.environments import array_inventory, batch, naa

from gavel.analysis.attribution import QualityReason
from gavel.collectors.arrays.flasharray import parse, wire
from gavel.collectors.hosts.vcenter import columns
from gavel.collectors.hosts.vcenter.csv import CsvDecoder
from gavel.correlate.run import GRACE, MINUTE
from gavel.db.engine import transaction
from gavel.db.queries.sources import add_source
from gavel.db.write.inventory import store_inventory
from gavel.domain.inventory import InventoryTaken
from gavel.domain.samples import SampleBatch
from gavel.domain.scope import ScopeKind, scope_key
from gavel.domain.source import SourceKind, Stream
from gavel.domain.streams import column_of

pytestmark = pytest.mark.usefixtures("begun")

NONSENSE_OF_HOSTS = ("NaN", "-1", str(2**63), "-40", "1e400", "")
NONSENSE_OF_ARRAYS = (-1, -40.5, 2**63, 1e300, None)
# Longer than any I/O of the environment takes: what is above was made up.
_LONGEST_US = 10_000
_UNSEEN = QualityReason.SIDE_MISSING | QualityReason.SAMPLE_MISSING
_READINGS = ("read_ops", "write_ops", "read_gavg_us", "read_davg_us", "read_kavg_us", "read_qavg_us", "queue_depth")
_COUNTERS = tuple(column_of(Stream.HOST_DEVICE, name).counters[0].name for name in _READINGS)
_OF_DEVICE = (20 * IOPS, 0, 1500, 600, 900, 0, 32)
_OF_VOLUME = {
    "reads_per_sec": IOPS, "writes_per_sec": 0, "service_usec_per_read_op": 300, "queue_usec_per_read_op": 60,
    "qos_rate_limit_usec_per_read_op": 40, "san_usec_per_read_op": 50,
}  # fmt: skip


def ends(step_s: int, minute: int = 0) -> list[datetime]:
    """Stamps of a minute's samples."""
    return [START + minute * MINUTE + timedelta(seconds=step_s * n) for n in range(1, 60 // step_s + 1)]


def from_the_vcenter(minute: int, spoilt: Mapping[str, str | None], *, throughout: bool = False) -> SampleBatch:
    """A minute of the device as a QueryPerf reply, in whose middle sample, or in all, some counters say something else.

    None: the reply has no such series.
    """

    def told(name: str, sane: int) -> str:
        other = str(spoilt.get(name, sane))
        return ",".join((other if throughout else str(sane), other, other if throughout else str(sane)))

    stamps = ends(20, minute)
    series = {
        (n, naa(SERIAL[0])): told(name, sane)
        for n, (name, sane) in enumerate(zip(_READINGS, _OF_DEVICE, strict=True))
        if spoilt.get(name, "") is not None
    }
    decoder = CsvDecoder({n: n for n in range(len(_READINGS))})
    decoder.feed(query_perf([Entity("esx-1", [round(at.timestamp()) for at in stamps], series)]))
    (decoded,) = decoder.finish()
    made = columns.batch(
        Stream.HOST_DEVICE, _COUNTERS, decoded, lambda host, name: f"{host}/{name}",
        since_us=0, until_us=round(stamps[-1].timestamp() * 1e6),
    )  # fmt: skip
    assert made is not None
    return made


def from_the_array(minute: int, spoilt: Mapping[str, object]) -> SampleBatch:
    """The same minute as the array tells it; its first half says something else."""
    told = [
        {"id": "id-v0", "time": round(at.timestamp() * 1000), **_OF_VOLUME, **(spoilt if n == 0 else {})}
        for n, at in enumerate(ends(30, minute))
    ]
    raw = [msgspec.Raw(json.dumps(row).encode()) for row in told]
    rows, _ = parse.parse_items(raw, wire.VolumePerformance)
    return parse.performance_batch(rows, stream=Stream.ARRAY_VOLUME, interval_s=30)


def correlated(environment: Environment, devices: Sequence[SampleBatch], volumes: Sequence[SampleBatch]) -> None:
    """As many minutes from START on; what is not given of them is sane."""
    minutes = len(devices)
    stamps, halves = ([at for n in range(minutes) for at in ends(step_s, n)] for step_s in (20, 30))
    reads = {"read_ops": 20 * IOPS, "write_ops": 0, "read_latency_us": 1500, "precision": 1}
    environment.write(environment.vcenter, batch(Stream.VM_DISK, "vm-1/scsi0:0", stamps, **reads), stamps[-1])
    environment.arrays(START, minutes, sources=(environment.peer,))
    idle = batch(Stream.ARRAY_DIRECTORY, "dir-1", halves, 30, read_ops=0, write_ops=0)
    environment.write(environment.array, idle, halves[-1])
    for minute, (device, volume) in enumerate(zip(devices, volumes, strict=True)):
        environment.write(environment.vcenter, device, START + (minute + 1) * MINUTE)
        environment.write(environment.array, volume, START + (minute + 1) * MINUTE)
    assert environment.correlate(START + len(devices) * MINUTE + GRACE) >= len(devices)


def sane(minutes: int = 1) -> tuple[list[SampleBatch], list[SampleBatch]]:
    """Of hosts and arrays."""
    return [from_the_vcenter(n, {}) for n in range(minutes)], [from_the_array(n, {}) for n in range(minutes)]


def row_of(environment: Environment, kind: ScopeKind, minute: int = 0) -> Mapping[str, Any]:
    """The ledger's row of the datastore or the device that the I/Os are on, or of the disk that they come from."""
    table, things, key = {
        ScopeKind.DATASTORE: ("ledger_1m", "datastore", "simple"),
        ScopeKind.HOST: ("ledger_1m", "esxi_host", "esx-1"),
        ScopeKind.VM: ("ledger_1m", "vm", "vm-1"),
        ScopeKind.VOLUME: ("ledger_1m", "volume", "id-v0"),
        ScopeKind.HOST_DEVICE: ("ledger_leaf_1m", "host_device", DEVICE),
        ScopeKind.VM_DISK: ("ledger_leaf_1m", "vm_disk", "vm-1/scsi0:0"),
    }[kind]
    query = text(
        f"SELECT l.* FROM {table} l JOIN {things} t ON l.entity_id = :low + t.id WHERE t.key = :key AND l.ts = :at"
    )
    with environment.engine.connect() as connection:
        found = {"low": scope_key(kind, 0), "key": key, "at": START + minute * MINUTE}
        return dict(connection.execute(query, found).mappings().one())


def nothing_made_up(environment: Environment) -> None:
    """Every number of the ledger is finite and not below zero, and no mean is above what any I/O took."""
    for table in ("ledger_leaf_1m", "ledger_1m"):
        with environment.engine.connect() as connection:
            for row in connection.execute(text(f"SELECT * FROM {table}")).mappings():
                numbers = {name: value for name, value in row.items() if isinstance(value, float)}
                assert all(value >= 0 for value in numbers.values()), numbers
                finite = {name: value for name, value in numbers.items() if not name.endswith("upper")}
                assert all(map(math.isfinite, finite.values())), finite
                for name in ("all_kernel_time", "all_san_time", "all_array_time"):
                    assert (row[name] or 0) <= _LONGEST_US * 60 * IOPS, (name, row)


def quality_of(row: Mapping[str, Any]) -> QualityReason:
    return QualityReason(row["quality_reasons"])


def times_of(row: Mapping[str, Any]) -> tuple[float | None, ...]:
    """µs an I/O spends in kernel, SAN and array."""
    return tuple(
        row[f"all_{layer}_time"] and row[f"all_{layer}_time"] / row["read_ops"] for layer in ("kernel", "san", "array")
    )


SANE_TIMES = pytest.approx((900, 200, 400), abs=1)


def test_a_minute_without_any_damage_is_flagged_for_nothing(environment: Environment) -> None:
    """What the others differ from: without this one they might all be flagged for another reason."""
    correlated(environment, *sane())
    device = row_of(environment, ScopeKind.HOST_DEVICE)
    assert quality_of(device) == QualityReason.NONE
    assert device["read_ops"] == 60 * IOPS
    assert times_of(device) == SANE_TIMES
    nothing_made_up(environment)


def test_a_latency_of_a_host_that_is_nonsense_is_missed_in_its_own_minute(environment: Environment) -> None:
    cases = [(name, said) for name in ("read_davg_us", "read_gavg_us") for said in NONSENSE_OF_HOSTS]
    _, volumes = sane(2 * len(cases))
    # A sane minute after each, as the sample beside a minute has a say in it.
    devices = [from_the_vcenter(n, {} if n % 2 else dict([cases[n // 2]])) for n in range(2 * len(cases))]
    correlated(environment, devices, volumes)
    for n, case in enumerate(cases):
        row = row_of(environment, ScopeKind.HOST_DEVICE, 2 * n)
        # A latency that a reply has not at all is known from its siblings: GAVG − KAVG is DAVG.
        assert QualityReason.SAMPLE_MISSING in quality_of(row) or times_of(row) == SANE_TIMES, case
        assert row["array_ops"] == pytest.approx(60 * IOPS), case
        assert row_of(environment, ScopeKind.HOST_DEVICE, 2 * n + 1)["quality_reasons"] == 0, case
    nothing_made_up(environment)


def test_ops_of_a_host_that_are_nonsense_are_no_ops_and_the_disk_says_so(environment: Environment) -> None:
    """A reply with something unreadable in it loses the whole counter; one with −1 that sample."""
    devices = [from_the_vcenter(n, {"read_ops": said}) for n, said in enumerate(NONSENSE_OF_HOSTS)]
    correlated(environment, devices, sane(len(NONSENSE_OF_HOSTS))[1])
    for minute, said in enumerate(NONSENSE_OF_HOSTS):
        disk = row_of(environment, ScopeKind.VM_DISK, minute)
        assert disk["read_ops"] == 60 * IOPS, said
        # Without the device's I/Os nothing tells kernel and SAN apart: they are one span, and neither has a number of its own.
        assert QualityReason.SAMPLE_MISSING in quality_of(disk) or (disk["all_kernel_time"], disk["all_san_time"]) == (
            None,
            None,
        ), said
    found = {
        minute: ops
        for minute, ops in environment.rows(ScopeKind.HOST_DEVICE)
        if minute in range(len(NONSENSE_OF_HOSTS)) and ops
    }
    assert found == {NONSENSE_OF_HOSTS.index(said): 40 * IOPS for said in ("-1", "-40")}
    nothing_made_up(environment)


def test_a_minute_in_which_no_sample_of_a_host_tells_its_ops_is_there_with_the_reason(environment: Environment) -> None:
    """The latency is read, but of how many I/Os nobody knows: no number, the worst quality, and no gap without a word."""
    cases = (*NONSENSE_OF_HOSTS, None)
    devices = [
        # A sane minute after each.
        from_the_vcenter(n, {} if n % 2 else {"read_ops": cases[n // 2]}, throughout=True)
        for n in range(2 * len(cases))
    ]
    correlated(environment, devices, sane(len(devices))[1])
    for n, said in enumerate(cases):
        for kind in (ScopeKind.HOST_DEVICE, ScopeKind.DATASTORE, ScopeKind.HOST, ScopeKind.VOLUME):
            row = row_of(environment, kind, 2 * n)
            numbers = {
                name for name, value in row.items() if value is not None and name.endswith(("_ops", "_bytes", "_time"))
            }
            assert not numbers, (said, kind, numbers)
            assert quality_of(row) & _UNSEEN == _UNSEEN, (said, kind)
            assert row["missing_s"] == 60, (said, kind)
            assert row_of(environment, kind, 2 * n + 1)["read_ops"] == 60 * IOPS, (said, kind)
        virtual = row_of(environment, ScopeKind.VM, 2 * n)
        assert virtual["read_ops"] == 60 * IOPS, said
        assert QualityReason.SAMPLE_MISSING in quality_of(virtual), said
    nothing_made_up(environment)


def test_one_host_of_two_without_readable_ops_costs_the_datastore_its_quality(environment: Environment) -> None:
    """What it did is not known: the other's I/Os stand, and are told not to be all."""
    environment.both(START, 1)
    second = f"esx-2/{naa(SERIAL[0])}"
    environment.write(environment.vcenter, batch(Stream.HOST_DEVICE, second, ends(20), read_gavg_us=1500, precision=1))
    environment.correlate(START + MINUTE + GRACE)
    datastore = row_of(environment, ScopeKind.DATASTORE)
    assert datastore["read_ops"] == 60 * IOPS
    assert quality_of(datastore) & _UNSEEN == _UNSEEN
    assert quality_of(row_of(environment, ScopeKind.HOST)) == QualityReason.NONE
    nothing_made_up(environment)


def test_a_minute_of_a_disk_without_readable_ops_is_there_with_the_reason(environment: Environment) -> None:
    environment.both(START, 1)
    with transaction(environment.engine) as connection:
        connection.execute(text("UPDATE vm_disk_sample SET read_ops = NULL WHERE ts > :start"), {"start": START})
    environment.correlate(START + MINUTE + GRACE)
    for kind in (ScopeKind.VM_DISK, ScopeKind.VM):
        row = row_of(environment, kind)
        assert (row["read_ops"], row["all_kernel_time"], row["array_ops"]) == (None, None, None), kind
        assert quality_of(row) & _UNSEEN == _UNSEEN, kind
    assert row_of(environment, ScopeKind.DATASTORE)["read_ops"] == 60 * IOPS


def test_a_minute_that_only_the_disks_of_a_datastore_have_is_there_with_the_reason(environment: Environment) -> None:
    """Its devices were not told of at all: what their I/Os were is not known, though those of its VMs are."""
    environment.both(START, 1)
    with transaction(environment.engine) as connection:
        connection.execute(text("DELETE FROM host_device_sample WHERE ts > :start"), {"start": START})
    environment.correlate(START + MINUTE + GRACE)
    for kind in (ScopeKind.DATASTORE, ScopeKind.HOST, ScopeKind.VOLUME):
        row = row_of(environment, kind)
        assert (row["read_ops"], row["all_kernel_time"], row["missing_s"]) == (None, None, 60), kind
        assert quality_of(row) & _UNSEEN == _UNSEEN, kind
    assert row_of(environment, ScopeKind.VM)["read_ops"] == 60 * IOPS


def test_a_field_of_an_array_that_says_nonsense_is_missed_in_its_own_minute(environment: Environment) -> None:
    fields = ("service_usec_per_read_op", "reads_per_sec")
    cases = [(name, said) for name in fields for said in NONSENSE_OF_ARRAYS]
    devices, _ = sane(2 * len(cases))
    volumes = [from_the_array(n, {} if n % 2 else dict([cases[n // 2]])) for n in range(2 * len(cases))]
    correlated(environment, devices, volumes)
    for n, case in enumerate(cases):
        row = row_of(environment, ScopeKind.HOST_DEVICE, 2 * n)
        assert QualityReason.SAMPLE_MISSING in quality_of(row), case
        assert row["read_ops"] == 60 * IOPS, case
        assert row["all_kernel_time"] == pytest.approx(900 * 60 * IOPS), case
    nothing_made_up(environment)


def test_a_host_that_reports_ops_but_no_latency_keeps_its_ops_and_has_no_time(environment: Environment) -> None:
    silent = batch(Stream.HOST_DEVICE, DEVICE, ends(20), read_ops=20 * IOPS, write_ops=0, queue_depth=32)
    correlated(environment, [silent], sane()[1])
    row = row_of(environment, ScopeKind.HOST_DEVICE)
    assert (row["read_ops"], row["all_kernel_time"], row["all_san_time"]) == (60 * IOPS, None, None)
    assert QualityReason.SAMPLE_MISSING in quality_of(row)
    nothing_made_up(environment)


def test_a_difference_below_zero_is_a_contradiction_and_no_number(environment: Environment) -> None:
    """The driver takes longer than the kernel and itself, and the array longer than the driver."""
    told = (("600", "1500"), ("300", "350"))
    devices = [
        from_the_vcenter_throughout(n, {"read_gavg_us": gavg, "read_davg_us": davg, "read_kavg_us": "0"})
        for n, (gavg, davg) in enumerate(told)
    ]
    correlated(environment, devices, sane(len(told))[1])
    for minute in range(len(told)):
        row = row_of(environment, ScopeKind.HOST_DEVICE, minute)
        assert QualityReason.DISAGREEMENT in quality_of(row), minute
        assert row["disagreement_us"] > 10, minute
    nothing_made_up(environment)


def from_the_vcenter_throughout(minute: int, said: Mapping[str, str]) -> SampleBatch:
    numbers = {name: int(value) for name, value in (dict(zip(_READINGS, _OF_DEVICE, strict=True)) | dict(said)).items()}
    return batch(Stream.HOST_DEVICE, DEVICE, ends(20, minute), **numbers, precision=1)


def test_two_volumes_with_one_serial_leave_the_arrays_side_absent(environment: Environment) -> None:
    """Nobody can tell which of them the host means: neither is taken, and nothing is counted twice."""
    small = array_inventory("another")
    twin = replace(small, volumes=tuple(each for each in small.volumes if each.name == "v0"), connections=())
    with transaction(environment.engine) as connection:
        other = add_source(
            connection, kind=SourceKind.FLASHARRAY, name="c", address="c", settings={}, enabled=False, now=START
        )
        store_inventory(connection, other, InventoryTaken(twin, START))
    times = {f"read_{name}_us": 9000 for name in ("service", "queue", "qos", "san")}
    ops = {"read_ops": 30 * IOPS, "write_ops": 0, "mirrored_write_ops": 0}
    environment.write(other, batch(Stream.ARRAY_VOLUME, "id-v0", ends(30), 30, **ops, **times), ends(30)[-1])
    correlated(environment, *sane())
    for kind in (ScopeKind.DATASTORE, ScopeKind.HOST_DEVICE):
        row = row_of(environment, kind)
        assert (row["read_ops"], row["all_array_time"]) == (60 * IOPS, None), kind
        assert QualityReason.SIDE_MISSING in quality_of(row), kind
    nothing_made_up(environment)
