"""array-saturation: an array against its own past, at the thresholds and just below."""

from dataclasses import replace
from datetime import timedelta

import pytest
from tests.findings.objects import NOW, SINCE, kinds

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.evidence_arrays import ArrayLoad, ArraySample, GrownVolume, UsualArrayLoad
from gavel.findings.model import ObjectRef
from gavel.findings.rules import array_saturation

ARRAY = ObjectRef("array", 2, "flasharray-2")
GROWN = GrownVolume(ObjectRef("volume", 7, "erp-04"), 30_000, 12_000)
USUAL = UsualArrayLoad(
    hours=72, high_queue_us=60, iops=120_000, service_us=450, from_at=NOW - timedelta(days=3, minutes=10)
)


def sample(queue_us: float | None = 80, *, iops: float = 150_000, service_us: float | None = 530) -> ArraySample:
    return ArraySample(30, iops, service_us, queue_us)


def load(*samples: ArraySample, usual: UsualArrayLoad | None = USUAL) -> ArrayLoad:
    """20 samples make the ten minutes."""
    return ArrayLoad(source_id=1, array=ARRAY, samples=samples, usual=usual, volumes=(GROWN,), from_at=SINCE, to_at=NOW)


def test_array_saturation_names_the_wait_the_past_and_the_volumes_that_grew() -> None:
    found = array_saturation.evaluate(load(*20 * [sample()]))
    assert found is not None
    assert found.title == "flasharray-2 near saturation: I/Os wait 0.08 ms in its own queue"
    assert found.cause == (
        "In 95 % of its hours of the last 3 days I/Os waited 0.06 ms or less. It has 150,000 IOPS in place of the usual 120,000, and works"
        " 0.53 ms on each in place of 0.45 ms."
    )
    assert (found.severity, found.confidence) == (Severity.NORMAL, Confidence.LIKELY)
    assert kinds(found) == ["leave", "spread", "limit", "vendor"]
    assert found.affected == (GROWN.volume,)
    assert list(found.tables[0].rows[0].cells) == [12_000, 30_000]
    assert "erp-04" in found.advice[1].text


@pytest.mark.parametrize(("queue_us", "severity"), [(199, Severity.NORMAL), (200, Severity.ELEVATED), (1000, Severity.HIGH)])  # fmt: skip
def test_array_saturation_is_as_bad_as_the_wait(queue_us: float, severity: Severity) -> None:
    found = array_saturation.evaluate(load(*20 * [sample(queue_us)]))
    assert found is not None
    assert found.severity is severity
    assert ("leave" in kinds(found)) is (severity is Severity.NORMAL)


@pytest.mark.parametrize(("busy", "is_raised"), [(11, False), (12, True)])
def test_array_saturation_lasts_six_of_ten_minutes(busy: int, is_raised: bool) -> None:
    samples = [*busy * [sample(100)], *(20 - busy) * [sample(10)]]
    assert (array_saturation.evaluate(load(*samples)) is not None) is is_raised


@pytest.mark.parametrize(("queue_us", "is_raised"), [(59, False), (60, True)])
def test_array_saturation_is_above_the_95th_percentile_of_its_hours(queue_us: float, is_raised: bool) -> None:
    assert (array_saturation.evaluate(load(*20 * [sample(queue_us)])) is not None) is is_raised


@pytest.mark.parametrize(("queue_us", "is_raised"), [(49, False), (50, True)])
def test_array_saturation_of_an_array_that_never_waits_begins_at_a_twentieth_of_a_millisecond(
    queue_us: float, is_raised: bool
) -> None:
    idle = replace(USUAL, high_queue_us=2)
    assert (array_saturation.evaluate(load(*20 * [sample(queue_us)], usual=idle)) is not None) is is_raised


@pytest.mark.parametrize(("hours", "is_raised"), [(71, False), (72, True)])
def test_array_saturation_needs_three_days_of_history(hours: int, is_raised: bool) -> None:
    assert (array_saturation.evaluate(load(*20 * [sample()], usual=replace(USUAL, hours=hours))) is not None) is (
        is_raised
    )


@pytest.mark.parametrize(
    "evidence",
    [
        load(*20 * [sample()], usual=None),
        load(),
        load(*20 * [sample(None)]),
        load(*20 * [sample(service_us=None)]),
        load(*20 * [sample(iops=0)]),
        load(*20 * [sample(iops=120_000)]),
        load(*20 * [sample(service_us=450)]),
        load(*11 * [sample()]),
    ],
    ids=["no history", "no samples", "no queue time", "no service time", "idle", "no more I/O", "no longer service", "gap"],
)  # fmt: skip
def test_array_saturation_is_not_raised_for_what_was_not_measured_or_is_as_usual(evidence: ArrayLoad) -> None:
    assert array_saturation.evaluate(evidence) is None
