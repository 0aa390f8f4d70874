"""What both sides counted of the same I/Os, over HTTP: said once, and of which I/Os."""

from datetime import timedelta

import pytest
from fastapi.testclient import TestClient
from tests.api.ledgers import HEALTHY, MINUTE, NOW, Estate, ask, minute
from tests.db.estates import SERIALS, batch, every, naa

from gavel.db.engine import transaction
from gavel.db.samples import write_samples
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream


def told_by_array(estate: Estate, volume: str, **columns: int) -> None:
    ends = every(30, NOW - 5 * MINUTE + timedelta(seconds=30), 10)
    with transaction(estate.engine) as connection:
        write_samples(connection, estate.array, batch(Stream.ARRAY_VOLUME, volume, ends, 30, **columns))


def told_by_host(estate: Estate, device: str, **columns: int) -> None:
    ends = every(20, NOW - 5 * MINUTE + timedelta(seconds=20), 15)
    with transaction(estate.engine) as connection:
        write_samples(connection, estate.vcenter, batch(Stream.HOST_DEVICE, device, ends, **columns))


def test_host_ops_over_array_ops_says_of_which_both_are(client: TestClient, estate: Estate) -> None:
    """The array does 100 I/Os a second for a polled host and 300 for somebody else: every one of the former is covered."""
    array = estate.id("storage_array", "array-a")
    estate.last_minutes(ScopeKind.ARRAY, array, 5, minute(6_060, 0, HEALTHY, array_ops=6_000))
    told_by_array(estate, "id-v0", read_ops=3_000, read_service_us=300)
    told_by_array(estate, "id-v3", read_ops=9_000, read_service_us=300)
    told_by_host(estate, f"esx-1/{naa(SERIALS[0])}", read_ops=2_020, read_gavg_us=500, precision=1)
    found = ask(client, f"arrays/{array}/verdict")
    quality = found["quality"]
    assert (quality["covered_host_iops"], quality["covered_array_iops"]) == (101, 100)
    assert quality["coverage"] == pytest.approx(1.01)
    told = {one["label"]: one["value"] for one in found["evidence"]}
    assert told["Read IOPS, all its volumes"] == pytest.approx(400)
    assert told["Read IOPS"] == pytest.approx(101)


def test_what_is_not_measured_on_both_sides_has_no_ratio_and_no_parts_of_one(
    client: TestClient, estate: Estate, store: int
) -> None:
    estate.last_minutes(ScopeKind.DATASTORE, store, 5, minute(6_000, 0, HEALTHY, array_ops=float("nan")))
    quality = ask(client, f"datastores/{store}/verdict")["quality"]
    assert [quality[name] for name in ("coverage", "covered_host_iops", "covered_array_iops")] == [None, None, None]
