"""Both vCenters of a lab that stands still, with an unchanged pyVmomi logged in to each."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.lab.vcenter.labs import AT, Place, serving
from tests.lab.vcenter.wire import Wire

from gavel_lab.clocks import LabTime
from gavel_lab.lab import Lab, create_lab


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Place, Place]]:
    with serving(tmp_path_factory.mktemp("lab")) as both:
        yield both


@pytest.fixture(scope="session", params=["8.0.3", "9.0.1"])
def place(request: pytest.FixtureRequest, places: tuple[Place, Place]) -> Place:
    """Each vCenter in turn."""
    return next(one for one in places if one.vcenter.version == request.param)


@pytest.fixture(scope="session")
def new(places: tuple[Place, Place]) -> Place:
    """The 9.0.1 one: microsecond counters, NVMe, vVol and NFS."""
    return places[1]


@pytest.fixture
def vsphere(place: Place) -> Iterator[Any]:
    with place.connection() as instance:
        yield instance


@pytest.fixture
def lab() -> Lab:
    """A lab of its own, for tests that change something."""
    return create_lab(lab_time=LabTime(AT, 0.0))


@pytest.fixture
def wire(lab: Lab) -> Wire:
    """A bare client of the 9.0.1 vCenter, logged in."""
    return Wire(lab, lab.environment.vcenters[1]).login()
