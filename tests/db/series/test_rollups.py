"""Roll-ups hold exactly what the samples hold, in both modes."""

from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest
from tests.db.conftest import Store
from tests.db.environments import SERIALS, array_inventory, batch, every, host_inventory, volume

from gavel.db.series.measures import partials
from gavel.domain.inventory import ArrayInventory
from gavel.domain.samples import COLUMNS, NOT_MEASURED
from gavel.domain.source import Stream
from gavel.domain.streams import ROLL_UPS, ColumnKind, column_of

NOW = datetime.now(UTC).replace(microsecond=0)
HOUR = NOW.replace(minute=0, second=0) - timedelta(hours=3)
ENTITY = {
    Stream.ARRAY_VOLUME: ("id-v0", "volume", 30),
    Stream.HOST_DEVICE: (host_inventory().devices[0].key, "host_device", 20),
    Stream.VM_DISK: ("vm-1/scsi0:0", "vm_disk", 20),
}


def rolled(store: Store, roll: str, table: str, source_id: int) -> list[dict[str, Any]]:
    query = f"SELECT r.* FROM {roll} r JOIN {table} e ON e.id = r.entity_id WHERE e.source_id = :id ORDER BY r.bucket"
    with store.engine.connect() as connection:
        return [dict(row) for row in connection.exec_driver_sql(query.replace(":id", str(source_id))).mappings()]


def source_of(store: Store, stream: Stream) -> int:
    return store.with_environment(array_inventory() if stream is Stream.ARRAY_VOLUME else host_inventory(), NOW)


def expected(stream: Stream, name: str, values: dict[str, Any], interval_s: int) -> float | None:
    """What a partial must be, straight from the definition of its kind."""
    column = next(c for c in sorted(values, key=len, reverse=True) if name == c or name.startswith(f"{c}_"))
    part = name.removeprefix(column).removeprefix("_")
    m, x = column_of(stream, column), values[column]
    there = x != NOT_MEASURED
    if m.kind is ColumnKind.TIME:
        ops = values[str(m.weight)]
        there &= ops > 0
        found = {"sum": (x * ops)[there], "ops": ops[there], "max": x[there]}[part]
    elif part in ("", "sum"):
        found = x[there] * (interval_s if m.kind is ColumnKind.LEVEL else 1)
    else:
        found = np.full(there.sum(), interval_s) if part == "s" else x[there]
    if not len(found):
        return None
    return float({"max": np.max, "min": np.min}.get(part, np.sum)(found))


@pytest.mark.parametrize("stream", ENTITY)
def test_every_partial_of_both_levels_is_that_of_the_samples(store: Store, stream: Stream) -> None:
    key, table, interval_s = ENTITY[stream]
    source_id = source_of(store, stream)
    ends = every(interval_s, HOUR + timedelta(seconds=interval_s), 2 * 3600 // interval_s)
    rng = np.random.default_rng(7)
    values = {name: rng.integers(0, 5000, len(ends)) for name in COLUMNS[stream]}
    for column in values.values():
        column[rng.random(len(ends)) < 0.2] = NOT_MEASURED
        column[rng.random(len(ends)) < 0.2] = 0
    if "precision" in values:
        values["precision"] = rng.integers(1, 3, len(ends))
    store.write(source_id, batch(stream, key, ends, interval_s, **values))
    store.roll(NOW)
    stamps = np.array([end.timestamp() for end in ends])
    for number, (name, columns) in enumerate(ROLL_UPS[stream].items()):
        for roll, width in (("5m", 300), ("1h", 3600)):
            buckets = rolled(store, f"{name}_{roll}", table, source_id)
            assert len(buckets) == 7200 // width
            for bucket in buckets:
                start = round(bucket["bucket"].timestamp())
                inside = (stamps > start) & (stamps <= start + width)
                mine = {column: numbers[inside] for column, numbers in values.items()}
                if number == 0:
                    assert bucket["n"] * interval_s == bucket["covered_s"] == width
                for partial in partials(columns):
                    assert bucket[partial.name] == expected(stream, partial.name, mine, interval_s), (roll, partial)


def test_a_sample_that_ends_on_the_hour_belongs_to_the_hour_it_measured(store: Store) -> None:
    source_id = source_of(store, Stream.VM_DISK)
    store.write(source_id, batch(Stream.VM_DISK, "vm-1/scsi0:0", [HOUR, HOUR + timedelta(seconds=20)], read_ops=1))
    store.roll(NOW)
    buckets = [row["bucket"].replace(microsecond=0) for row in rolled(store, "vm_disk_1h", "vm_disk", source_id)]
    assert buckets == [HOUR - timedelta(hours=1), HOUR]


def test_late_samples_correct_exactly_their_buckets(store: Store) -> None:
    source_id = source_of(store, Stream.VM_DISK)
    ends = every(20, HOUR + timedelta(seconds=20), 180)
    early, late = ends[:90] + ends[95:], ends[90:95]
    store.write(source_id, batch(Stream.VM_DISK, "vm-1/scsi0:0", early, read_ops=10))
    store.roll(NOW)
    store.write(source_id, batch(Stream.VM_DISK, "vm-1/scsi0:0", late, read_ops=10))
    store.roll(NOW)
    store.roll(NOW)
    assert [row["n"] for row in rolled(store, "vm_disk_5m", "vm_disk", source_id)] == [15] * 12
    assert [(row["n"], row["read_ops"]) for row in rolled(store, "vm_disk_1h", "vm_disk", source_id)] == [(180, 1800)]


def test_a_bucket_is_not_made_before_it_is_over(plain: Store) -> None:
    source_id = source_of(plain, Stream.VM_DISK)
    plain.write(
        source_id, batch(Stream.VM_DISK, "vm-1/scsi0:0", every(20, HOUR + timedelta(seconds=20), 18), read_ops=1)
    )
    plain.roll(HOUR + timedelta(minutes=5, seconds=30))
    assert rolled(plain, "vm_disk_5m", "vm_disk", source_id) == []
    plain.roll(HOUR + timedelta(minutes=6, seconds=1))
    assert [row["n"] for row in rolled(plain, "vm_disk_5m", "vm_disk", source_id)] == [15]
    plain.roll(HOUR + timedelta(minutes=12))
    assert [row["n"] for row in rolled(plain, "vm_disk_5m", "vm_disk", source_id)] == [15, 3]
    assert plain.value("SELECT count(*) FROM dirty_window WHERE kind = 'roll' AND series = 'vm_disk_5m'") == 0


def test_an_idle_bucket_has_no_latency_and_an_idle_device_no_nulls_in_its_counts(store: Store) -> None:
    idle = ArrayInventory(array_inventory("idle").array, (), (volume("v0", SERIALS[0]),), (), (), (), ())
    source_id = store.with_environment(idle, NOW)
    store.write(
        source_id,
        batch(Stream.ARRAY_VOLUME, "id-v0", every(30, HOUR + timedelta(seconds=30), 10), 30, read_ops=0, read_san_us=0),
    )
    store.roll(NOW)
    (bucket,) = rolled(store, "array_volume_5m", "volume", source_id)
    assert (bucket["read_ops"], bucket["read_ops_s"], bucket["read_san_us_sum"], bucket["read_san_us_ops"]) == (
        0,
        300,
        None,
        None,
    )
    assert (bucket["write_ops"], bucket["write_ops_s"]) == (None, None)
