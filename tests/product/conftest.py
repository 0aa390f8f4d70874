"""A whole product, up and with all the history that its lab keeps: one for all, and one for the file that changes its lab for good."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from tests.product.comparing import KEPT_S
from tests.product.running import Product, tell

# Messages may go to receivers on this machine.
LOOPBACK_ONLY = {"GAVEL_ALERT_NETWORKS": "127.0.0.0/8", "GAVEL_ALERT_PLAIN_HTTP": "1"}


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """Running, and caught up with the lab's last hour."""
    with running(tmp_path_factory) as made:
        yield made


@pytest.fixture(scope="module")
def own_product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """The same for one file alone: its lab remembers what was done to it."""
    with running(tmp_path_factory) as made:
        yield made


@contextmanager
def running(factory: pytest.TempPathFactory) -> Iterator[Product]:
    """Prints how long it took; asserts nothing about it."""
    made = Product(factory.mktemp("product"), **LOOPBACK_ONLY)
    try:
        made.start()
        tell(f"up after {made.up_at - made.began_at:.1f} s")
        _report_first_data(made)
        yield made
    finally:
        made.end()


def _report_first_data(product: Product) -> None:
    def both_sides() -> bool:
        found = product.ask(
            "SELECT EXISTS (SELECT FROM array_volume_sample) AND EXISTS (SELECT FROM host_device_sample)"
        )
        return bool(found[0][0])

    product.wait_for(both_sides, "numbers of both sides", 120)
    tell(f"first data of both sides {time.time() - product.up_at:.1f} s after that")
    product.wait_for(lambda: _has_the_hour(product), "the last hour", 400)
    tell(f"the last hour {time.time() - product.up_at:.1f} s after that")


def _has_the_hour(product: Product) -> bool:
    """All four sources have been read once, owe nothing, and reach back as far as they keep."""
    oldest = product.ask(
        "SELECT extract(epoch FROM min(a.ts))::float8, extract(epoch FROM min(h.ts))::float8 FROM "
        "(SELECT min(ts) AS ts FROM array_volume_sample) a, (SELECT min(ts) AS ts FROM host_device_sample) h"
    )[0]
    back = time.time() - KEPT_S
    return (
        len(product.watermarks()) >= 10
        and product.pending() == 0
        and all(at is not None and at < back for at in oldest)
    )
