"""Whole products, up and with all the history that their labs keep: one for all, one for the file that changes its lab for good, and one
that nobody has used before.

The clock of each starts at the end of the held hour (tests/frozen), which the first two continue.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.frozen.hour import copy_hour
from tests.frozen.instant import shifted_environment
from tests.product.comparing import wait_for_the_hour
from tests.product.running import Product, tell

# Messages may go to receivers on this machine.
LOOPBACK_ONLY = {"GAVEL_ALERT_NETWORKS": "127.0.0.0/8", "GAVEL_ALERT_PLAIN_HTTP": "1"}


@pytest.fixture(scope="session")
def product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """Running, and caught up with the lab's last hour."""
    with running(tmp_path_factory.mktemp("product")) as made:
        yield made


@pytest.fixture(scope="module")
def own_product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """The same for one file alone: its lab remembers what was done to it."""
    with running(tmp_path_factory.mktemp("product")) as made:
        yield made


@pytest.fixture(scope="module")
def new_product(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Product]:
    """The same as a newcomer has it: all of it read by itself."""
    with running(tmp_path_factory.mktemp("product"), is_new=True) as made:
        yield made


@contextmanager
def running(folder: Path, *, is_new: bool = False) -> Iterator[Product]:
    """Prints how long it took; asserts nothing about it."""
    if not is_new:
        copy_hour(folder)
    made = Product(folder, **LOOPBACK_ONLY, **shifted_environment())
    try:
        made.start()
        tell(f"up after {made.up_at - made.began_at:.1f} s{'' if is_new else ', continued from the held hour'}")
        wait_for_the_hour(made)
        yield made
    finally:
        made.end()
