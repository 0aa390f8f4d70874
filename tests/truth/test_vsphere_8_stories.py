"""Stories of the lab on vSphere 8 (whole milliseconds): a full device queue and a full target port are named while they are, and not in
their twins, where the same load has a queue that is deep enough, or faster links."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine
from tests.truth.cause_hour import WINDOW_MIN, diagnosed, play

from gavel.db.engine import Role, open_engine
from gavel.db.queries.refs import RefKind
from gavel.diagnosis.cause import CauseKind
from gavel.domain.io_path import Confidence, Severity
from gavel_lab.lab import create_lab
from gavel_lab.stories import PHASES, Phase

_FULL_QUEUE, _FULLER_QUEUE, _DEEP_ENOUGH = (phase for phase in PHASES if phase.story == "esxi-queuing")
(_FULL_PORT,) = (phase for phase in PHASES if phase.story == "target-port")
(_TWIN,) = (phase for phase in PHASES if phase.story == "target-port-twin")
# The twin's minutes are played in the hour before.
_TWIN_FROM = _TWIN.start_minute - 60
OF_QUEUE = pytest.mark.parametrize("kind", [RefKind.DATASTORE, RefKind.VM])
OF_PORT = pytest.mark.parametrize(("kind", "name"), [(RefKind.DATASTORE, "media-16"), (RefKind.VM, "media-02")])
OF_PORT_TWIN = pytest.mark.parametrize(("kind", "name"), [(RefKind.DATASTORE, "media-17"), (RefKind.VM, "media-05")])


@pytest.fixture(scope="module")
def hour() -> datetime:
    return datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=2)


@pytest.fixture(scope="module")
def engine(module_postgres_url: str, hour: datetime, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Of the default lab: the vCenters of its stories are vSphere 8."""
    opened = open_engine(module_postgres_url, Role.WORKER)
    play(opened, create_lab(1, step_s=60), tmp_path_factory.mktemp("lab"), hour)
    yield opened
    opened.dispose()


@OF_QUEUE
@pytest.mark.parametrize("phase", [_FULL_QUEUE, _FULLER_QUEUE])
def test_a_full_queue_is_named_by_the_wait_of_the_virtual_disks_above_it(
    engine: Engine, hour: datetime, phase: Phase, kind: RefKind
) -> None:
    full = diagnosed(engine, hour, phase.start_minute + 3, kind, "sql-01")
    assert full.layer == "kernel"
    assert full.cause is not None
    assert (full.cause.kind, full.cause.confidence) == (CauseKind.DEVICE_QUEUE_FULL, Confidence.LIKELY)
    assert full.cause.headline == "sql-01 fills the queue of device sql-01 on esx-01.lab.example"


@OF_QUEUE
def test_a_queue_that_is_deep_enough_is_no_cause(engine: Engine, hour: datetime, kind: RefKind) -> None:
    deep = diagnosed(engine, hour, _DEEP_ENOUGH.start_minute + 3, kind, "sql-01")
    assert deep.severity is Severity.NORMAL
    assert deep.cause is None


@OF_PORT
@pytest.mark.parametrize("minute", [1, 2, 4])
def test_a_full_target_port_is_named_from_its_first_minute_on(
    engine: Engine, hour: datetime, minute: int, kind: RefKind, name: str
) -> None:
    """In windows that end so many minutes after its beginning."""
    full = diagnosed(engine, hour, _FULL_PORT.start_minute + minute - WINDOW_MIN, kind, name)
    assert (full.severity, full.layer) == (Severity.HIGH, "san")
    assert full.cause is not None
    assert (full.cause.kind, full.cause.confidence) == (CauseKind.TARGET_PORT, Confidence.CONFIRMED)
    assert full.cause.headline == "Target port CT1.FC1 at 97 % of its link speed"
    assert "(1,552 of 1,600 MB/s transmitted); 25 % of the I/O goes through it" in full.cause.text
    assert full.cause.text.endswith("those to other ports below 1.00 ms")
    assert full.cause.twin is not None
    assert (full.cause.twin.is_new, full.cause.twin.binding_minutes) == (True, minute)


@OF_PORT_TWIN
def test_the_same_load_on_faster_links_is_no_excess(engine: Engine, hour: datetime, kind: RefKind, name: str) -> None:
    for minute in (2, 5):
        spread = diagnosed(engine, hour, _TWIN_FROM + minute, kind, name)
        assert spread.severity is Severity.NORMAL
        assert spread.cause is None


@pytest.mark.parametrize("name", ["erp-04", "app-05"])
def test_small_ios_on_the_full_port_wait_too_little_to_tell(engine: Engine, hour: datetime, name: str) -> None:
    """Of other datastores of the same array: their I/Os are a thirty-second of the large ones, and wait as much less."""
    beside = diagnosed(engine, hour, _FULL_PORT.start_minute + 3, RefKind.DATASTORE, name)
    assert (beside.severity, beside.cause) == (Severity.NORMAL, None)
