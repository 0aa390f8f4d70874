"""clock-skew, coarse-counters and source-gaps: what sources themselves show."""

from datetime import timedelta

import pytest
from tests.findings.objects import NOW, host, kinds

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.evidence_sources import (
    ClockState,
    CoarseCounters,
    CoarseHost,
    SourceClocks,
    SourceGaps,
    StreamGap,
)
from gavel.findings.model import Finding, ObjectRef
from gavel.findings.rules import clock_skew, coarse_counters, source_gaps

VCENTER = ObjectRef("source", 1, "vcenter-a")


def clock(offset: float, earlier: float | None, *, error: float = 0.1, of: ObjectRef = VCENTER) -> ClockState:
    return ClockState(
        object=of, offset_s=offset, error_s=error, least_error_s=error, earlier_offset_s=earlier,
        earlier_error_s=None if earlier is None else 0.1, earlier_at=NOW - timedelta(hours=1), read_at=NOW,
    )  # fmt: skip


def skewed(*clocks: ClockState) -> Finding | None:
    return clock_skew.evaluate(SourceClocks(source_id=1, source=VCENTER, clocks=clocks, read_at=NOW))


@pytest.mark.parametrize(("error", "is_raised"), [(1.0, False), (1.01, True)])
def test_clock_skew_begins_above_a_second_of_error(error: float, is_raised: bool) -> None:
    found = skewed(clock(0.0, 0.0, error=error))
    assert (found is not None) is is_raised
    assert found is None or found.title == "Clock of vcenter-a is known within ± 1.0 s only"


@pytest.mark.parametrize(("moved", "is_raised"), [(1.19, False), (1.21, True), (-1.21, True)])
def test_clock_skew_is_drift_beyond_the_errors_of_both_readings(moved: float, is_raised: bool) -> None:
    found = skewed(clock(40 + moved, 40.0, of=host(1)))
    assert (found is not None) is is_raised
    if found is not None:
        assert found.title == "Clock of esx-01 moved by 1.0 s or more within an hour"
        assert (found.severity, found.confidence) == (Severity.ELEVATED, Confidence.CONFIRMED)
        assert found.affected == (host(1),)


def test_clock_skew_a_steady_offset_is_corrected_for_and_none() -> None:
    assert skewed(clock(90.0, 90.0)) is None


def test_clock_skew_without_a_reading_an_hour_before_is_no_drift() -> None:
    assert skewed(clock(90.0, None)) is None


@pytest.mark.parametrize(("moved", "severity"), [(10.1, Severity.ELEVATED), (10.3, Severity.HIGH)])
def test_clock_skew_is_high_once_samples_fall_into_other_minutes(moved: float, severity: Severity) -> None:
    found = skewed(clock(moved, 0.0))
    assert found is not None
    assert found.severity is severity


def coarse(vcenter: str, *versions: str | None) -> Finding | None:
    hosts = tuple(CoarseHost(host(n), version) for n, version in enumerate(versions, 1))
    return coarse_counters.evaluate(
        CoarseCounters(source_id=1, source=VCENTER, version=vcenter, hosts=hosts, hosts_measured=9, read_at=NOW)
    )


def test_coarse_counters_before_vsphere_9_are_left_alone_first() -> None:
    found = coarse("8.0.3", "8.0.3", "7.0.3")
    assert found is not None
    assert found.title == "Device latencies of 2 hosts come in steps of 1 ms"
    assert (found.severity, kinds(found)) == (Severity.NORMAL, ["leave", "repair", "vendor"])
    assert "at every level of statistics" in found.cause


@pytest.mark.parametrize(
    ("vcenter", "version", "severity"),
    [
        ("9.0.1", "9.0.0", Severity.ELEVATED),
        ("9.0.1", "8.0.3", Severity.NORMAL),
        ("8.0.3", "9.0.0", Severity.NORMAL),
        ("9.0.1", None, Severity.NORMAL),
        ("10.0", "10.0", Severity.ELEVATED),
    ],
)
def test_coarse_counters_are_elevated_where_both_versions_have_finer_ones(
    vcenter: str, version: str | None, severity: Severity
) -> None:
    found = coarse(vcenter, version)
    assert found is not None
    assert found.severity is severity


def test_coarse_counters_of_a_vcenter_without_coarse_hosts_are_none() -> None:
    assert coarse("8.0.3") is None


def gapped(*gaps: StreamGap) -> Finding | None:
    day = timedelta(days=1)
    return source_gaps.evaluate(SourceGaps(source_id=1, source=VCENTER, gaps=gaps, from_at=NOW - day, to_at=NOW))


def missing(seconds: float, reporter: ObjectRef | None = None) -> StreamGap:
    return StreamGap("host_device", reporter, seconds, 3, "connection refused")


@pytest.mark.parametrize(
    ("seconds", "severity"),
    [(864, None), (865, Severity.ELEVATED), (8640, Severity.ELEVATED), (8641, Severity.HIGH)],
)
def test_source_gaps_begin_above_a_hundredth_of_a_day(seconds: float, severity: Severity | None) -> None:
    found = gapped(missing(seconds))
    assert (None if found is None else found.severity) is severity


def test_source_gaps_of_one_host_name_it_and_stay_elevated() -> None:
    found = gapped(missing(20_000, host(2)), missing(100))
    assert found is not None
    assert found.severity is Severity.ELEVATED
    assert found.affected == (host(2),)
    assert found.title == "333 min of the last day missing from vcenter-a"
    assert "connection refused" in found.cause


def test_source_gaps_of_a_source_without_any_are_none() -> None:
    assert gapped() is None
