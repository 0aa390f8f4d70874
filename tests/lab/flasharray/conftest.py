"""Arrays of the default environment at an instant that stands still."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.lab.flasharray.client import Client
from tests.lab.flasharray.labs import build
from tests.lab.flasharray.openapi import Description, described

from gavel_lab.lab import Lab


@pytest.fixture(scope="session")
def lab() -> Lab:
    return build()


@pytest.fixture(scope="session")
def old(lab: Lab) -> Client:
    """Purity 6.3.3, REST up to 2.15."""
    return Client(lab, lab.environment.arrays[0])


@pytest.fixture(scope="session")
def new(lab: Lab) -> Client:
    """A current Purity, REST up to 2.52."""
    return Client(lab, lab.environment.arrays[1])


@pytest.fixture(params=["old", "new"])
def client(request: pytest.FixtureRequest) -> Client:
    chosen: Client = request.getfixturevalue(request.param)
    return chosen


@pytest.fixture
def description(shared: Path) -> Callable[[str], Description]:
    """The vendor's description of a version."""
    return lambda version: described(shared / "data/flasharray/openapi", version)
