"""The decoder against bodies captured from a real array: the truths listed with the captures must come out."""

import json
from pathlib import Path

import msgspec
import pytest

from gavel.collectors.arrays.flasharray import inventory as build
from gavel.collectors.arrays.flasharray import parse, wire
from gavel.domain.samples import NOT_MEASURED, SampleBatch
from gavel.domain.source import Stream


@pytest.fixture
def captured(shared: Path) -> Path:
    return shared / "data" / "flasharray" / "captured"


def _items(captured: Path, name: str) -> list[msgspec.Raw]:
    return parse.parse_page((captured / f"{name}.json").read_bytes(), name).items or []


def _batch(captured: Path) -> tuple[SampleBatch, dict[str, int]]:
    rows, rejected = parse.parse_items(_items(captured, "volumes_performance"), wire.VolumePerformance)
    assert rejected == 0
    return parse.performance_batch(rows, stream=Stream.ARRAY_VOLUME, interval_s=30), {
        row.name or "": index for index, row in enumerate(rows)
    }


def test_every_performance_row_of_a_real_array_is_read(captured: Path) -> None:
    batch, _ = _batch(captured)
    assert len(batch) == 83


def test_a_busy_volume_shows_its_writes_service_san_and_queue(captured: Path) -> None:
    batch, position = _batch(captured)
    row = position["z-cisco-FC-x70-a-VSI-datastore"]
    assert batch.values["write_ops"][row] == 8 * 30
    assert batch.values["write_service_us"][row] == 224
    assert batch.values["write_san_us"][row] == 35
    assert batch.values["write_queue_us"][row] == 3


def test_a_stretched_volume_shows_mirrored_writes_and_no_plain_ones(captured: Path) -> None:
    batch, position = _batch(captured)
    row = position["z-ProdPod::z-cisco-AC-datastore-VSI-FC"]
    assert batch.values["write_ops"][row] == 0
    assert batch.values["write_service_us"][row] == NOT_MEASURED
    assert batch.values["mirrored_write_ops"][row] == 210 * 30
    assert batch.values["mirrored_write_usec_us"][row] == 578


def test_the_ops_weighted_mean_of_the_rows_is_the_arrays_own_total(captured: Path) -> None:
    batch, _ = _batch(captured)
    total = json.loads((captured / "volumes_performance.json").read_text())["total"][0]
    for direction, field in (
        ("read", "usec_per_read_op"),
        ("write", "usec_per_write_op"),
        ("mirrored_write", "usec_per_mirrored_write_op"),
    ):
        ops = batch.values[f"{direction}_ops"]
        loaded = ops > 0
        mean = (batch.values[f"{direction}_usec_us"][loaded] * ops[loaded]).sum() / ops[loaded].sum()
        assert int(mean) == total[field]


def test_the_array_itself_has_the_numbers_that_its_screens_show(captured: Path) -> None:
    rows, rejected = parse.parse_items(_items(captured, "arrays_performance"), wire.VolumePerformance)
    assert (len(rows), rejected) == (1, 0)
    batch = parse.performance_batch(rows, stream=Stream.ARRAY_VOLUME, interval_s=30)
    told = {name: int(column[0]) for name, column in batch.values.items()}
    assert (told["read_ops"], told["read_service_us"], told["read_san_us"], told["read_queue_us"]) == (
        96 * 30,
        78,
        35,
        1,
    )
    assert (told["write_ops"], told["write_usec_us"]) == (35 * 30, 153)
    assert (told["mirrored_write_ops"], told["mirrored_write_usec_us"]) == (213 * 30, 596)


def test_serials_are_read_as_hosts_will_name_them_whichever_array_gave_them(captured: Path) -> None:
    """A volume that came from the peer of its pod keeps the peer's serial."""
    items, _ = parse.parse_items(_items(captured, "volumes"), wire.VolumeItem)
    serials = {item.name: build.volume(item, {}, None).serial for item in items}
    assert serials["z-cisco-FC-x70-a-VSI-datastore"] == "6C1B16CE1C034D1C0012C618"
    assert sum(serial.startswith("704FA624CF6E4196") for serial in serials.values()) == 1
    assert len(set(serials.values())) == len(serials)


def test_idle_directions_are_not_measured_rather_than_zero(captured: Path) -> None:
    batch, _ = _batch(captured)
    idle = batch.values["read_ops"] == 0
    assert idle.any()
    assert (batch.values["read_service_us"][idle] == NOT_MEASURED).all()


def test_a_field_the_version_does_not_have_is_not_measured(captured: Path) -> None:
    batch, _ = _batch(captured)
    assert (batch.values["read_qos_sched_us"] == NOT_MEASURED).all()


def test_volumes_hosts_pods_and_connections_of_a_real_array_are_all_read(captured: Path) -> None:
    volumes, bad_volumes = parse.parse_items(_items(captured, "volumes"), wire.VolumeItem)
    hosts, bad_hosts = parse.parse_items(_items(captured, "hosts"), wire.HostItem)
    pods, bad_pods = parse.parse_items(_items(captured, "pods"), wire.PodItem)
    connections, bad_connections = parse.parse_items(_items(captured, "connections"), wire.ConnectionItem)
    assert (len(volumes), len(hosts), len(pods), len(connections)) == (81, 31, 6, 171)
    assert bad_volumes == bad_hosts == bad_pods == bad_connections == 0
    assert any(pod.array_count == 2 for pod in map(build.pod, pods))
    assert any(build.volume(item, {}, None).is_protocol_endpoint for item in volumes)


def test_the_lun_of_a_protocol_endpoint_may_exceed_32_bits(captured: Path) -> None:
    connections, _ = parse.parse_items(_items(captured, "connections"), wire.ConnectionItem)
    assert max(item.lun or 0 for item in connections) > 2**32


def test_the_version_list_is_ordered_by_number_not_by_text(captured: Path) -> None:
    offered = parse.parse_versions((captured / "versions.json").read_bytes(), "array")
    assert parse.choose_version(offered) == (2, 15)


def test_purity_633_keeps_queue_time_out_of_its_headline(captured: Path) -> None:
    arrays, _ = parse.parse_items(_items(captured, "arrays"), wire.ArrayItem)
    assert not parse.usec_includes_queue(arrays[0].version)
