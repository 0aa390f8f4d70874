"""Sources that stumble in every way the lab knows: the product goes on by itself, and what it stored is what they have."""

import time
from collections.abc import Mapping
from typing import Any

import pytest
from tests.product.comparing import assert_nothing_unexplained, caught_up, compare
from tests.product.running import Product, tell

# Per round one fault for each source at the same time: kind, and its parameters.
Round = Mapping[str, tuple[str, dict[str, Any]]]

QUERY = {"match": "QueryPerf "}
SAMPLES = {"match": "volumes/performance"}
ROUNDS: Mapping[str, Round] = {
    "lost sessions, new counter ids and an array that is busy": {
        "flasharray-1": ("expire_sessions", {}),
        "flasharray-2": ("status", {"status": 503, "retry_after_s": 2, "count": 2}),
        "vcenter-1": ("renumber_counters", {}),
        "vcenter-2": ("expire_sessions", {}),
    },
    "answers cut short, and a login page in their place": {
        "flasharray-1": ("cut_body", {"after_bytes": 700, "count": 1, **SAMPLES}),
        "flasharray-2": ("html", {"count": 1, **SAMPLES}),
        "vcenter-1": ("cut_body", {"after_bytes": 3000, "count": 1, **QUERY}),
        "vcenter-2": ("html", {"count": 1, **QUERY}),
    },
    "garbage, too many requests and silence": {
        "flasharray-1": ("garbage", {"count": 1, **SAMPLES}),
        "flasharray-2": ("status", {"status": 429, "retry_after_s": 3, "retry_after_form": "date", "count": 1}),
        "vcenter-1": ("garbage", {"count": 1, **QUERY}),
        "vcenter-2": ("black_hole", {"for_s": 8}),
    },
}


@pytest.fixture(scope="module")
def began(own_product: Product) -> float:
    """Before the first fault."""
    return own_product.now()


@pytest.mark.parametrize("name", ROUNDS)
def test_a_source_that_stumbles_is_asked_again(own_product: Product, began: float, name: str) -> None:
    assert began < own_product.now()
    for source, (kind, parameters) in ROUNDS[name].items():
        own_product.fault(source, kind, **parameters)
    took_s = own_product.wait_for(lambda: not _in_force(own_product), "every fault to be met", 120)
    tell(f"{name}: all met after {took_s:.0f} s")


def test_neither_stumbling_nor_changes_at_the_source_alter_what_is_stored(own_product: Product, began: float) -> None:
    """After all rounds: a renamed volume, a clock that jumps ahead, values missing for a while, a VM that moves, all at once."""
    listed = own_product.api.get("/volumes", params={"limit": 500}).json()["items"]
    volume = next(row["name"] for row in listed if row["array"]["name"] == "flasharray-1")
    own_product.fault("flasharray-1", "rename_volume", volume=volume, name="renamed-by-somebody")
    own_product.fault("flasharray-2", "shift_clock", by_s=45.0)
    own_product.fault("vcenter-1", "missing_samples", for_s=25)
    vm, host = _a_vm_and_another_host(own_product)
    time.sleep(10 - own_product.now() % 20 % 10)  # between two samples of every host, whose clocks differ by seconds
    own_product.fault("vcenter-2", "vmotion", vm=vm, host=host)
    own_product.wait_for(lambda: not _in_force(own_product), "every fault to pass", 60)
    _as_the_sources_have_it(own_product, began, ahead_s=45)


def _as_the_sources_have_it(product: Product, began: float, *, ahead_s: float = 0) -> None:
    """Once everything is read up to now, it equals the sources' own history since a little before it began."""
    found = compare(product, began - 60, caught_up(product, ahead_s))
    tell(str(found))
    assert found.is_equal, str(found)
    assert found.rows > 500
    assert_nothing_unexplained(product)


def _in_force(product: Product) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = product.truth.get("/faults").raise_for_status().json()["faults"]
    return found


def _a_vm_and_another_host(product: Product) -> tuple[str, str]:
    """A running VM of the second vCenter, and a host of its cluster that does not run it."""
    vm, host = product.ask(
        "SELECT v.name, o.name FROM vm v JOIN source s ON s.id = v.source_id JOIN esxi_host h ON h.id = v.host_id "
        "JOIN esxi_host o ON o.cluster_id = h.cluster_id AND o.id <> h.id "
        "WHERE s.name = 'vcenter-2' AND v.power_state = 'poweredOn' "
        "AND EXISTS (SELECT FROM vm_disk d WHERE d.vm_id = v.id) ORDER BY v.id, o.id LIMIT 1"
    )[0]
    return vm, host
