"""Stories of a busy CPU and of an I/O filter with their quiet twins, from what the lab's sources count to the cause."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import Engine
from tests.truth.cause_hour import WINDOW_MIN, diagnosed, play
from tests.truth.findings_campaign import microsecond_lab

from gavel.db.engine import Role, open_engine
from gavel.db.queries.refs import RefKind
from gavel.diagnosis.cause import CauseKind
from gavel.domain.io_path import Confidence, Severity
from gavel_lab.stories import PHASES

_BUSY, _TWIN = (phase for phase in PHASES if phase.story == "host-cpu")
(_FILTER,) = (phase for phase in PHASES if phase.story == "io-filter")


@pytest.fixture(scope="module")
def hour() -> datetime:
    return datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(hours=2)


@pytest.fixture(scope="module")
def engine(module_postgres_url: str, hour: datetime, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    opened = open_engine(module_postgres_url, Role.WORKER)
    play(opened, microsecond_lab(), tmp_path_factory.mktemp("lab"), hour)
    yield opened
    opened.dispose()


def _used_percent(hour: datetime) -> range:
    """What the lab says of its CPU in the minutes that are diagnosed, from the least of them to the most."""
    lab = microsecond_lab()
    (host,) = (host.index for host in lab.environment.hosts if host.name == _BUSY.busy_host)
    starts = hour.timestamp() + 60.0 * (_BUSY.start_minute + 3 + np.arange(WINDOW_MIN))
    shares = lab.cpu.shares([host], np.stack([starts, starts + 60.0], axis=1))
    return range(round(100 * shares.min()), round(100 * shares.max()) + 1)


@pytest.mark.parametrize(("kind", "name"), [(RefKind.DATASTORE, "nvme-11"), (RefKind.VM, "fast-04")])
def test_a_busy_cpu_is_named_in_its_minutes_and_not_in_the_twins(
    engine: Engine, hour: datetime, kind: RefKind, name: str
) -> None:
    busy = diagnosed(engine, hour, _BUSY.start_minute + 3, kind, name)
    assert busy.layer == "kernel"
    assert busy.cause is not None
    assert (busy.cause.kind, busy.cause.confidence) == (CauseKind.HOST_CPU, Confidence.LIKELY)
    assert busy.cause.headline in {f"CPU of esx-06.lab.example at {percent} %" for percent in _used_percent(hour)}
    twin = diagnosed(engine, hour, _TWIN.start_minute + 3, kind, name)
    assert twin.severity is Severity.NORMAL
    assert twin.cause is None


def test_a_vm_of_another_host_on_the_same_datastore_is_no_matter_of_that_cpu(engine: Engine, hour: datetime) -> None:
    other = diagnosed(engine, hour, _BUSY.start_minute + 3, RefKind.VM, "fast-01")
    assert other.severity is Severity.NORMAL


@pytest.mark.parametrize(("kind", "name"), [(RefKind.DATASTORE, "file-07"), (RefKind.VM, "file-01")])
def test_an_io_filter_is_named_while_it_is_slow_and_not_before(
    engine: Engine, hour: datetime, kind: RefKind, name: str
) -> None:
    slow = diagnosed(engine, hour, _FILTER.start_minute + 3, kind, name)
    assert slow.layer == "kernel"
    assert slow.cause is not None
    assert (slow.cause.kind, slow.cause.confidence) == (CauseKind.IO_FILTER, Confidence.LIKELY)
    assert slow.cause.headline == "I/O filter of 3 virtual disks of file-01"
    quiet = diagnosed(engine, hour, _FILTER.start_minute - 10, kind, name)
    assert quiet.severity is Severity.NORMAL
    assert quiet.cause is None
