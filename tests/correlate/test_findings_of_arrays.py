"""Array saturation over a real database: against hours that were rolled up, and its quiet twins."""

from datetime import timedelta

import pytest
from tests.correlate.conftest import Preparation
from tests.correlate.correlated import START, Environment
from tests.db.environments import batch

from gavel.correlate.finding_evidence import LOADERS
from gavel.correlate.finding_loads import EvidenceWindow
from gavel.correlate.run import MINUTE
from gavel.db.engine import reading
from gavel.db.series.maintenance import roll_dirty
from gavel.domain.source import Stream
from gavel.findings.model import Finding
from gavel.findings.registry import RULES_BY_ID

HOUR = timedelta(hours=1)
RULE = RULES_BY_ID["array-saturation"]
KEYS = {"array": "array-a", "peer": "array-b"}


def history(environment: Environment, hours: int, *, queue_us: int = 20, source: str = "array") -> None:
    """Hours of 1,000 reads a second that end at START; a day at a time, since samples are kept for two."""
    ends = [START - n * HOUR for n in reversed(range(hours))]
    for first in range(0, hours, 24):
        day = ends[first : first + 24]
        samples = batch(
            Stream.ARRAY_WIDE, KEYS[source], day, 3600,
            read_ops=3_600_000, write_ops=0, mirrored_write_ops=0, read_queue_us=queue_us, read_service_us=300,
        )  # fmt: skip
        environment.write(getattr(environment, source), samples)
        roll_dirty(environment.engine, day[-1] + HOUR)


def three_days(environment: Environment) -> None:
    history(environment, 72)


@pytest.fixture
def prepared() -> Preparation:
    return three_days


def minutes(environment: Environment, *, queue_us: int, iops: int = 1500, source: str = "array") -> None:
    """Ten of them from START on, half of the operations mirrored writes that wait as long."""
    ends = [START + n * timedelta(seconds=30) for n in range(1, 21)]
    times = {f"{d}_{part}_us": us for d in ("read", "mirrored_write") for part, us in (("queue", queue_us), ("service", 400))}  # fmt: skip
    samples = batch(
        Stream.ARRAY_WIDE, KEYS[source], ends, 30,
        read_ops=15 * iops, write_ops=0, mirrored_write_ops=15 * iops, **times,
    )  # fmt: skip
    environment.write(getattr(environment, source), samples)


def raised(environment: Environment) -> list[Finding]:
    window = EvidenceWindow(START, START + 10 * MINUTE, START + 11 * MINUTE)
    with reading(environment.engine) as connection:
        every = [RULE.evaluate(one) for one in LOADERS[RULE.evidence].load(connection, window)]
    return [one for one in every if one is not None]


@pytest.mark.usefixtures("prepared")
def test_array_saturation_compares_an_array_with_its_own_hours(environment: Environment) -> None:
    history(environment, 72, queue_us=900, source="peer")
    for source in KEYS:
        minutes(environment, queue_us=150, source=source)
    environment.arrays(START, 10, sources=(environment.array,))
    (found,) = raised(environment)
    assert found.object.name == "name of array-a"
    numbers = {one.label: one.value for one in found.evidence}
    assert numbers["Array queue"] == pytest.approx(150)
    assert numbers["IOPS of the array"] == pytest.approx(1500)
    assert numbers["Array queue, 95th percentile of hours"] == pytest.approx(20)
    assert numbers["IOPS of the array, median of hours"] == pytest.approx(1000)
    assert numbers["Hours measured"] == 72
    assert [list(row.cells) for row in found.tables[0].rows] == [[None, 1000]]


def test_array_saturation_after_two_days_of_history_is_not_raised(environment: Environment) -> None:
    history(environment, 71)
    minutes(environment, queue_us=150)
    assert raised(environment) == []


@pytest.mark.usefixtures("prepared")
@pytest.mark.parametrize(("queue_us", "iops"), [(49, 1500), (150, 900)], ids=["next to no wait", "less I/O than usual"])
def test_array_saturation_has_quiet_twins(environment: Environment, queue_us: int, iops: int) -> None:
    minutes(environment, queue_us=queue_us, iops=iops)
    assert raised(environment) == []


@pytest.mark.usefixtures("prepared")
def test_array_saturation_takes_samples_without_counted_operations_for_no_idle_ones(environment: Environment) -> None:
    minutes(environment, queue_us=150)
    ends = [START + timedelta(seconds=30 * n + 15) for n in range(20)]
    environment.write(environment.array, batch(Stream.ARRAY_WIDE, KEYS["array"], ends, 15))
    (found,) = raised(environment)
    assert {one.label: one.value for one in found.evidence}["IOPS of the array"] == pytest.approx(1500)


@pytest.mark.usefixtures("prepared")
def test_array_saturation_of_an_array_without_samples_is_not_raised(environment: Environment) -> None:
    assert raised(environment) == []
