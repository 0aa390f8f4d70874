"""A device queue on vSphere 8 (whole milliseconds): named while it is full, not while the same threads have one that is deep enough."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine
from tests.truth.cause_hour import diagnosed, play

from gavel.db.engine import Role, open_engine
from gavel.db.queries.refs import RefKind
from gavel.diagnosis.cause import CauseKind
from gavel.domain.io_path import Confidence, Severity
from gavel_lab.lab import create_lab
from gavel_lab.stories import PHASES, Phase

_FULL, _FULLER, _DEEP_ENOUGH = (phase for phase in PHASES if phase.story == "esxi-queuing")
OBJECTS = pytest.mark.parametrize("kind", [RefKind.DATASTORE, RefKind.VM])


@pytest.fixture(scope="module")
def hour() -> datetime:
    return datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=2)


@pytest.fixture(scope="module")
def engine(module_postgres_url: str, hour: datetime, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """Of the default lab: the vCenter of sql-01 is a vSphere 8."""
    opened = open_engine(module_postgres_url, Role.WORKER)
    play(opened, create_lab(1, step_s=60), tmp_path_factory.mktemp("lab"), hour)
    yield opened
    opened.dispose()


@OBJECTS
@pytest.mark.parametrize("phase", [_FULL, _FULLER])
def test_a_full_queue_is_named_by_the_wait_of_the_virtual_disks_above_it(
    engine: Engine, hour: datetime, phase: Phase, kind: RefKind
) -> None:
    full = diagnosed(engine, hour, phase.start_minute + 3, kind, "sql-01")
    assert full.layer == "kernel"
    assert full.cause is not None
    assert (full.cause.kind, full.cause.confidence) == (CauseKind.DEVICE_QUEUE_FULL, Confidence.LIKELY)
    assert full.cause.headline == "sql-01 fills the queue of device sql-01 on esx-01.lab.example"


@OBJECTS
def test_a_queue_that_is_deep_enough_is_no_cause(engine: Engine, hour: datetime, kind: RefKind) -> None:
    deep = diagnosed(engine, hour, _DEEP_ENOUGH.start_minute + 3, kind, "sql-01")
    assert deep.severity is Severity.NORMAL
    assert deep.cause is None
