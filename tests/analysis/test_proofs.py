"""What samples prove of the counters they come from."""

from dataclasses import replace

import numpy as np
import pytest
from tests.analysis.small_environment import STRETCH, TOPOLOGY, Minute, attribution

from gavel.analysis.intervals import Rounding
from gavel.analysis.observed import HostCounter, Latest, Observed, Proofs
from gavel.analysis.proofs import SCATTER_US, CounterEvidence, proven
from gavel.domain.io_path import Direction

DEVICE = 2


def rounded(us: np.ndarray, how: str) -> np.ndarray:
    return np.floor(us / 1000 + (0.5 if how == "round" else 0)) * 1000


def milliseconds(minute: Minute, how: str) -> Observed:
    """The minute as a vCenter without µs counters reports it."""
    observed = minute.observed()
    devices, disks = observed.devices, observed.disks
    return replace(
        observed,
        devices=replace(
            devices,
            latency_us=rounded(devices.latency_us, how),
            is_millisecond=np.ones(len(devices.ops), np.bool_),
        ),
        disks=replace(disks, total_us=rounded(disks.latency_us, how)),
    )


def alone(device_us: float, driver_us: float, service_us: float) -> Minute:
    """One disk on one device of one volume, which nobody else uses."""
    return Minute(
        devices={DEVICE: (400, 0, device_us, driver_us)},
        parts={2: (400, 0, device_us)},
        volumes={1: (400, 0, 0, service_us)},
    )


# The disk of the small environment lies on two devices; here on one.
ALONE = replace(
    TOPOLOGY,
    parts=replace(
        TOPOLOGY.parts, devices=replace(TOPOLOGY.parts.devices, left=np.array([2]), right=np.array([DEVICE]))
    ),
)


def evidence(minute: Minute, how: str) -> CounterEvidence:
    return attribution(milliseconds(minute, how), ALONE).evidence


def test_more_than_what_is_outside_allows_proves_rounding() -> None:
    found = evidence(alone(700, 650, 400), "round")
    assert found.rounds[0, [HostCounter.GAVG, HostCounter.DAVG]].tolist() == [1, 1]
    assert found.rounds[0, HostCounter.DISK_TOTAL] == 3
    assert not found.truncates.any()


def test_half_a_unit_less_than_what_is_inside_needs_proves_truncation() -> None:
    found = evidence(alone(1900, 1850, 1700), "truncate")
    assert found.truncates[0, [HostCounter.GAVG, HostCounter.DAVG]].tolist() == [1, 1]
    assert found.truncates[0, HostCounter.DISK_TOTAL] == 3
    assert not found.rounds.any()


@pytest.mark.parametrize("device_us", np.linspace(150, 5200, 40))
@pytest.mark.parametrize("how", ["round", "truncate"])
def test_no_row_ever_proves_what_is_not_so(device_us: float, how: str) -> None:
    found = evidence(alone(device_us, 0.9 * device_us, 0.7 * device_us), how)
    wrong = found.truncates if how == "round" else found.rounds
    assert not wrong.any()


def test_where_somebody_else_uses_the_volume_its_time_proves_nothing() -> None:
    shared = alone(1900, 1850, 1700)
    shared.volumes[1] = (800, 0, 0, 1700)
    assert evidence(shared, "truncate").truncates[0, HostCounter.DAVG] == 0


def counted(rounds: int = 0, truncates: int = 0, agrees: int = 0, disagrees: int = 0) -> Proofs:
    counters = len(HostCounter)
    return proven(
        CounterEvidence(
            rounds=np.full((1, counters), rounds),
            truncates=np.full((1, counters), truncates),
            latest_agrees=np.array([agrees]),
            latest_disagrees=np.array([disagrees]),
        )
    )


def test_a_handful_of_rows_proves_one_row_does_not_and_contradictions_prove_nothing() -> None:
    assert counted(rounds=4).rounding[0, 0] == Rounding.UNPROVEN
    assert counted(rounds=5).rounding[0, 0] == Rounding.ROUNDS
    assert counted(truncates=5).rounding[0, 0] == Rounding.TRUNCATES
    assert counted(rounds=100, truncates=2).rounding[0, 0] == Rounding.ROUNDS
    assert counted(rounds=20, truncates=20).rounding[0, 0] == Rounding.UNPROVEN


def test_latest_is_the_mean_after_a_hundred_telling_samples_and_an_instant_once_enough_deny_it() -> None:
    assert counted(agrees=99).latest[0] == Latest.UNPROVEN
    assert counted(agrees=100).latest[0] == Latest.MEAN
    assert counted(agrees=1000, disagrees=6).latest[0] == Latest.MEAN
    assert counted(agrees=60, disagrees=4).latest[0] == Latest.UNPROVEN
    assert counted(agrees=60, disagrees=5).latest[0] == Latest.INSTANT


def with_latest(shown: list[float], mean: list[float]) -> CounterEvidence:
    """Three samples of one disk: what `latest` shows, and the mean that its twin rounds."""
    observed = milliseconds(alone(700, 650, 400), "round")
    disks = observed.disks
    latest, total = disks.latency_us.copy(), disks.total_us.copy()
    latest[:, Direction.READ] = shown
    total[:, Direction.READ] = rounded(np.array(mean), "round")
    return attribution(replace(observed, disks=replace(disks, latency_us=latest, total_us=total)), ALONE).evidence


def test_only_a_sample_whose_neighbours_would_not_agree_tells_that_latest_is_the_mean() -> None:
    assert STRETCH.minutes == 1
    steady = with_latest([700, 700, 700], [700, 700, 700])
    assert (steady.latest_agrees[0], steady.latest_disagrees[0]) == (0, 0)
    change = with_latest([300, 4000, 9000], [300, 4000, 9000])
    assert (change.latest_agrees[0], change.latest_disagrees[0]) == (1, 0)
    instant = with_latest([300, 9000, 9000], [300, 4000, 9000])
    assert (instant.latest_agrees[0], instant.latest_disagrees[0]) == (0, 1)


def test_what_is_proven_to_be_an_instant_is_not_used_before_it_is_known_how_far_it_strays() -> None:
    observed = milliseconds(alone(700, 650, 400), "round")
    widths = {}
    for latest in Latest:
        proofs = replace(observed.proofs, latest=np.array([int(latest)]))
        rows = next(iter(attribution(replace(observed, proofs=proofs), ALONE).rows.values())).rows
        widths[latest] = float((rows.span_upper - rows.span_lower)[0, Direction.ALL].sum())
    assert widths[Latest.MEAN] < widths[Latest.UNPROVEN] < widths[Latest.INSTANT]


def test_how_far_an_instant_strays_is_known_after_a_hundred_samples() -> None:
    """94 of 100 within 62.5 µs are not all but a twentieth; the next step holds one more."""
    nothing = np.zeros((1, len(HostCounter)), np.int64)

    def scatter(*strays: int) -> float:
        every = np.zeros((1, len(SCATTER_US)), np.int64)
        every[0, : len(strays)] = strays
        known = proven(
            CounterEvidence(
                rounds=nothing,
                truncates=nothing,
                latest_agrees=np.zeros(1, np.int64),
                latest_disagrees=np.zeros(1, np.int64),
                strays=every,
            )
        )
        assert known.scatter_us is not None
        return float(known.scatter_us[0])

    assert np.isnan(scatter(90, 9))
    assert scatter(90, 4, 1, 5) == pytest.approx(SCATTER_US[2])
    assert scatter(0, 100) == pytest.approx(SCATTER_US[1])


def test_only_samples_that_whole_milliseconds_are_too_coarse_for_tell_how_far_latest_strays() -> None:
    found = with_latest([700, 700, 60_000], [700, 700, 40_000])
    assert found.strays is not None
    # 1 ms stands for [500, 2000), whose middle is 1,250 µs, while nothing is proven of rounding.
    assert found.strays[0].sum() == 2
    assert int(np.argmax(found.strays[0])) == int(np.searchsorted(SCATTER_US, 1250 - 700))


def test_an_instant_that_is_known_to_stray_little_is_used() -> None:
    observed = milliseconds(alone(700, 650, 400), "round")
    instant = replace(observed.proofs, latest=np.array([int(Latest.INSTANT)]))
    widths = []
    for proofs in (instant, replace(instant, scatter_us=np.array([100.0]))):
        rows = next(iter(attribution(replace(observed, proofs=proofs), ALONE).rows.values())).rows
        widths.append(float((rows.span_upper - rows.span_lower)[0, Direction.ALL].sum()))
    assert widths[1] < widths[0]
