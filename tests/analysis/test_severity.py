"""How bad an excess is: by its size against the baseline, whatever is known of the layer behind it."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.analysis.test_rules import three_layers

from gavel.analysis.diagnosis import Case, Reason, rule
from gavel.analysis.severity import Severities, severities
from gavel.domain.io_path import SPANS, Layer

US = st.floats(0, 20_000)


def of(excess_us: float, baseline_us: float, *, too_coarse: bool = False) -> tuple[str, bool]:
    found: Severities = severities(np.array([excess_us]), np.array([baseline_us]), np.array([too_coarse]))
    return str(found.severity[0]), bool(found.limited[0])


@pytest.mark.parametrize(
    ("baseline_us", "elevated_from", "high_from"),
    [(0, 200, 1000), (800, 200, 1000), (900, 225, 1000), (4000, 1000, 4000)],
)
def test_severity_thresholds_are_times_over_a_low_baseline_and_parts_of_a_high_one(
    baseline_us: float, elevated_from: float, high_from: float
) -> None:
    edges = (elevated_from - 0.1, elevated_from, high_from - 0.1, high_from)
    words = ["normal", "elevated", "elevated", "high"]
    assert [of(excess, baseline_us)[0] for excess in edges] == words


@pytest.mark.parametrize(
    ("excess_us", "severity", "limited"),
    [
        (199, "normal", False),
        (200, "normal", True),
        (399, "normal", True),
        # However coarse the counters are, twice the threshold is elevated.
        (400, "elevated", False),
        (1000, "high", False),
    ],
)
def test_severity_limited_counters_keep_it_normal_below_twice_the_threshold(
    excess_us: float, severity: str, limited: bool
) -> None:
    assert of(excess_us, 0, too_coarse=True) == (severity, limited)
    assert not of(excess_us, 0)[1]


@given(US, US, US, st.booleans())
def test_severity_never_falls_as_the_excess_grows(one: float, more: float, baseline_us: float, coarse: bool) -> None:
    ranks = ("normal", "elevated", "high")
    less, worse = (of(excess, baseline_us, too_coarse=coarse)[0] for excess in (one, one + more))
    assert ranks.index(less) <= ranks.index(worse)


def cases(seed: int, rows: int = 2000) -> Case:
    """Kernel, SAN and array by themselves, with ranges from microseconds to whole milliseconds."""
    rng = np.random.default_rng(seed)
    value, lower, upper = (np.full((rows, len(SPANS)), np.nan) for _ in range(3))
    expected = np.zeros((rows, len(SPANS)))
    for layer in (Layer.KERNEL, Layer.SAN, Layer.ARRAY):
        span = SPANS.index((layer, layer))
        us, half = rng.exponential(rng.choice([50, 300, 1500], rows)), rng.exponential(rng.choice([5, 400, 2000], rows))
        value[:, span], lower[:, span], upper[:, span] = us, np.maximum(us - half, 0), us + half
        expected[:, span] = rng.choice([0, 100, 500, 3000], rows)
    return Case(
        value=value,
        lower=lower,
        upper=upper,
        expected=expected,
        outermost_lower=np.nansum(lower, axis=1),
        reasons=np.zeros(rows, np.int64),
    )


@given(st.integers(0, 2**32 - 1))
def test_severity_a_named_layer_is_never_normal_and_what_names_none_is_never_high(seed: int) -> None:
    found = rule(cases(seed))
    names_one = found.named >= 0
    assert ((found.confidence != "") == names_one).all()
    assert (found.severity[names_one] != "normal").all()
    assert (found.severity[~names_one] != "high").all()
    assert not found.limited_counters[names_one].any()
    # Each of these really comes up.
    assert {"normal", "elevated", "high"} == set(found.severity.tolist())
    assert found.limited_counters.any()


def test_neither_a_layer_nor_an_io_that_is_sure_names_none() -> None:
    open_case = three_layers(2000, 100, 1100, 2500)
    maybe_idle = np.array([int(Reason.MAYBE_IDLE)])
    found = rule(replace(open_case, reasons=maybe_idle))
    assert (int(found.named[0]), int(found.other[0]), str(found.confidence[0])) == (-1, -1, "")
    # How slow its I/Os were is known, whichever minute they were in.
    assert str(found.severity[0]) == str(rule(open_case).severity[0]) == "high"
    assert Reason(int(found.reasons[0])) & (Reason.MAYBE_IDLE | Reason.TOO_COARSE) == Reason.MAYBE_IDLE
    slight = three_layers(300, 20, 200, 700)
    assert str(rule(slight).confidence[0]) == "inconclusive"
    ruled = rule(replace(slight, reasons=maybe_idle))
    assert (str(ruled.severity[0]), bool(ruled.limited_counters[0]), int(ruled.named[0])) == ("elevated", False, -1)
    plain = rule(replace(three_layers(2000, 100, 300, 2500), reasons=maybe_idle))
    assert str(plain.confidence[0]) == "likely"
    assert Reason.MAYBE_IDLE not in Reason(int(plain.reasons[0]))
