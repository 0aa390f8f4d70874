"""Two bad sources and then ten among twelve, in `make chaos`: the others lose no tick. A smaller one is in tests/stories."""

import os
import time
from collections.abc import Iterator

import pytest
from tests.product.bad_arrays import bad_arrays
from tests.product.comparing import caught_up, compare
from tests.product.running import Product, tell
from tests.product.started import running
from tests.product.ticks import ticks

WATCHED_S = float(os.environ.get("WATCHED_S") or 240)
TOKEN = "0123abcd-1234-1234-1234-0123456789ab"


@pytest.fixture(scope="module")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    with running(tmp_path_factory.mktemp("product")) as made:
        yield made


@pytest.mark.parametrize(("good", "bad"), [(10, 2), (2, 10)])
def test_bad_sources_among_twelve_cost_the_others_no_tick(
    product: Product, tmp_path_factory: pytest.TempPathFactory, good: int, bad: int
) -> None:
    """The lab has four sources: with two bad ones all four are watched, with ten bad ones an array and a vCenter."""
    names = ["flasharray-1", "vcenter-1", "flasharray-2", "vcenter-2"][:good]
    added = []
    with bad_arrays(tmp_path_factory.mktemp("bad"), bad) as (fingerprint, addresses):
        began = product.now()
        for name, address in addresses.items():
            settings = {"address": address, "api_token": TOKEN, "fingerprint_sha256": fingerprint}
            body = {"kind": "flasharray", "name": name, "settings": settings}
            added.append(product.api.post("/sources", json=body).raise_for_status().json()["id"])
        try:
            time.sleep(WATCHED_S)
            found = ticks(product, names, began, product.now())
            errors = product.ask(
                "SELECT DISTINCT error_message FROM collection_run WHERE source_id = ANY(%(ids)s)", ids=added
            )
            until = caught_up(product)
        finally:
            for source in added:
                product.api.delete(f"/sources/{source}").raise_for_status()
    tell(f"{bad} bad ones: " + "; ".join(map(str, found)))
    for (message,) in errors:
        tell(f"  {message}")
    assert [str(each) for each in found if each.lost or each.failed] == []
    compared = compare(product, began - 60, until)
    assert compared.is_equal, str(compared)
