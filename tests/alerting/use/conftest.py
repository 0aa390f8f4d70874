"""A receiver on loopback."""

from collections.abc import Iterator

import pytest
from tests.alerting.receivers import HttpReceiver, http_receiver


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with http_receiver() as found:
        yield found
