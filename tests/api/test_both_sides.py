"""What both sides counted of the same I/Os, over HTTP: said once, and of which I/Os."""

from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from tests.api.ledgers import HEALTHY, MINUTE, NOW, Environment, ask, minute
from tests.db.environments import SERIALS, batch, every, naa

from gavel.db.engine import transaction
from gavel.db.write.samples import write_samples
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream


def told_by_array(environment: Environment, volume: str, **columns: int) -> None:
    ends = every(30, NOW - 5 * MINUTE + timedelta(seconds=30), 10)
    with transaction(environment.engine) as connection:
        write_samples(connection, environment.array, batch(Stream.ARRAY_VOLUME, volume, ends, 30, **columns))


def told_by_host(environment: Environment, device: str, **columns: int) -> None:
    ends = every(20, NOW - 5 * MINUTE + timedelta(seconds=20), 15)
    with transaction(environment.engine) as connection:
        write_samples(connection, environment.vcenter, batch(Stream.HOST_DEVICE, device, ends, **columns))


def test_host_ops_over_array_ops_says_of_which_both_are(client: TestClient, environment: Environment) -> None:
    """The array does 100 I/Os a second for a polled host and 300 for somebody else: every one of the former is covered."""
    array = environment.id("storage_array", "array-a")
    environment.last_minutes(ScopeKind.ARRAY, array, 5, minute(6_060, 0, HEALTHY, array_ops=6_000))
    told_by_array(environment, "id-v0", read_ops=3_000, read_service_us=300)
    told_by_array(environment, "id-v3", read_ops=9_000, read_service_us=300)
    told_by_host(environment, f"esx-1/{naa(SERIALS[0])}", read_ops=2_020, read_gavg_us=500, precision=1)
    found = ask(client, f"arrays/{array}/diagnosis")
    quality = found["data_quality"]
    assert (quality["matched_host_iops"], quality["matched_array_iops"]) == (101, 100)
    assert quality["match_ratio"] == pytest.approx(1.01)
    told = {one["label"]: one["value"] for one in found["evidence"]}
    assert told["Read IOPS, all its volumes"] == pytest.approx(400)
    assert told["Read IOPS"] == pytest.approx(101)


def test_what_is_not_measured_on_both_sides_has_no_ratio_and_no_parts_of_one(
    client: TestClient, environment: Environment, store: int
) -> None:
    environment.last_minutes(ScopeKind.DATASTORE, store, 5, minute(6_000, 0, HEALTHY, array_ops=float("nan")))
    quality = ask(client, f"datastores/{store}/diagnosis")["data_quality"]
    assert [quality[name] for name in ("match_ratio", "matched_host_iops", "matched_array_iops")] == [None, None, None]


def test_what_the_array_counted_stands_beside_what_was_fitted(
    client: TestClient, environment: Environment, store: int
) -> None:
    """Inside is the sum of its components, writes are with mirrored ones, and both by operations."""
    environment.last_minutes(ScopeKind.DATASTORE, store, 5, minute(6_000, 3_000, HEALTHY))
    reads = {"read_ops": 3_000, "read_service_us": 400, "read_queue_us": 30, "read_qos_us": 10, "read_san_us": 35}
    writes = {"write_ops": 1_000, "write_service_us": 900, "write_queue_us": 0, "write_qos_us": 0, "write_san_us": 50}
    mirrored = {"mirrored_write_ops": 500, "mirrored_write_service_us": 2_400, "mirrored_write_san_us": 80}
    told_by_array(environment, "id-v0", **reads, **writes, **mirrored)
    counted = {one["direction"]: one for one in ask(client, f"datastores/{store}/diagnosis")["array_counted"]}
    assert [counted["read"][name] for name in ("inside_us", "port_us")] == pytest.approx([440, 35])
    assert [counted["write"][name] for name in ("inside_us", "port_us")] == pytest.approx([1_400, 60])
    assert counted["all"]["inside_us"] == pytest.approx((3_000 * 440 + 1_500 * 1_400) / 4_500)


def test_of_files_the_array_counts_no_port_and_of_nothing_nothing(client: TestClient, environment: Environment) -> None:
    nfs, vvol = environment.id("datastore", "nfs"), environment.id("datastore", "vvol")
    ends = every(30, NOW - 5 * MINUTE + timedelta(seconds=30), 10)
    with transaction(environment.engine) as connection:
        files = batch(Stream.ARRAY_DIRECTORY, "dir-1", ends, 30, read_ops=900, read_usec_us=250)
        write_samples(connection, environment.array, files)
    environment.last_minutes(ScopeKind.DATASTORE, nfs, 5, minute(1_800, 0, HEALTHY))
    counted = ask(client, f"datastores/{nfs}/diagnosis")["array_counted"]
    assert [(one["inside_us"], one["port_us"]) for one in counted] == [(250, None), (None, None), (250, None)]
    counted = ask(client, f"datastores/{vvol}/diagnosis")["array_counted"]
    assert [(one["inside_us"], one["port_us"]) for one in counted] == [(None, None)] * 3
