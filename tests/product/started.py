"""A product that a test or a campaign starts in a folder, by a clock that continues from the held hour."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.frozen.hour import copy_hour
from tests.frozen.instant import shifted_environment
from tests.product.comparing import wait_for_the_hour
from tests.product.running import Product, tell

# Messages may go to receivers on this machine.
LOOPBACK_ONLY = {"GAVEL_ALERT_NETWORKS": "127.0.0.0/8", "GAVEL_ALERT_PLAIN_HTTP": "1"}


@contextmanager
def running(folder: Path, *, is_new: bool = False) -> Iterator[Product]:
    """Continue from the held hour, or with `is_new` read everything from the lab. Prints how long that takes."""
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


@contextmanager
def continued(folder: Path, **environment: str) -> Iterator[Product]:
    """A product that continues from the held hour, up and without an admin yet."""
    copy_hour(folder)
    made = Product(folder, **environment, **shifted_environment())
    try:
        made.come_up()
        yield made
    finally:
        made.end()
