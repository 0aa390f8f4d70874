"""Precision, contradictions, merged layers, qualities, depths and expectations, each rule by itself."""

from dataclasses import replace

import numpy as np
import pytest
from tests.analysis.building import column, idle, one_way, plus_minus

from gavel.analysis.attribution import QualityInputs, attribute, in_words, match_ratio, qualities, quality_reasons
from gavel.analysis.baseline import baseline_us, typical
from gavel.analysis.chain import bounds, chain_of, depth_bound, from_instants
from gavel.analysis.depth import DepthInputs, DepthRule, effective_depth, halved
from gavel.analysis.diagnosis import Case, Reason, remarks, rule
from gavel.analysis.intervals import (
    Floats,
    Intervals,
    Rounding,
    cleaned,
    combined,
    from_components,
    from_integer,
    of_part,
)
from gavel.analysis.ledger import merge_disk_segments, rows_of
from gavel.analysis.segments import span_name
from gavel.domain.io_path import SPANS, Boundary, Direction, Layer, Segment

NAN = float("nan")


def case_between(
    value: Floats, lower: Floats, upper: Floats, outermost: Floats, expected: Floats | None = None, reasons: int = 0
) -> Case:
    """One object, by default without a baseline."""
    expected = np.zeros((1, 10)) if expected is None else expected
    return Case(
        value=value,
        lower=lower,
        upper=upper,
        expected=expected,
        outermost_lower=outermost,
        reasons=np.array([reasons]),
    )


def ends(intervals: Intervals) -> tuple[float, float]:
    return float(intervals.lower[0]), float(intervals.upper[0])


def test_an_integer_millisecond_widens_until_its_rounding_is_proven() -> None:
    assert ends(from_integer(column(2000), 1000)) == (1500, 3000)
    assert ends(from_integer(column(2000), 1000, Rounding.ROUNDS)) == (1500, 2500)
    assert ends(from_integer(column(2000), 1000, Rounding.TRUNCATES)) == (2000, 3000)
    assert ends(from_integer(column(0), 1000)) == (0, 1000)


def test_array_components_add_half_a_microsecond_each() -> None:
    assert ends(from_components(np.array([[300.0, 50, 50]]))) == (398.5, 401.5)
    assert np.isnan(from_components(np.array([[300.0, NAN, 50]])).value[0])


def test_a_parts_share_widens_by_a_quarter_of_what_it_is_not() -> None:
    assert ends(of_part(plus_minus(1000, 5), column(0.2))) == (795, 1205)
    assert ends(of_part(plus_minus(1000, 5), column(1))) == (995, 1005)


def test_what_is_confirmed_of_both_directions_together_holds_for_each_of_them() -> None:
    """Whole milliseconds leave 0.5 ms to the driver of the reads; the depth of the queue leaves 102 µs to all, and reads are nearly all."""
    chain = {
        Boundary.DRIVER: plus_minus(500, 500),
        Boundary.ARRAY: plus_minus(400, 1),
        Boundary.ARRAY_INTERNAL: plus_minus(398, 1),
    }
    ways = attribute(one_way(chain, 9_990), one_way(chain, 10), column(500.0))
    san = SPANS.index((Layer.SAN, Layer.SAN))
    reads, writes, both = (ways[direction].spans.upper[0, san] for direction in Direction)
    assert both == pytest.approx(103)
    assert reads == pytest.approx((10_000 * 103 - 10 * ways[Direction.WRITE].spans.lower[0, san]) / 9_990)
    assert writes == pytest.approx(603)


def test_the_san_is_not_fitted_below_the_port_that_the_array_timed() -> None:
    """A host that seems faster than the array: its driver's whole millisecond is fitted to both, and the port stays what it was."""
    chain = {
        Boundary.DRIVER: plus_minus(1_000, 700),
        Boundary.ARRAY: plus_minus(1_635, 400),
        Boundary.ARRAY_INTERNAL: plus_minus(1_600, 400),
    }
    ways = attribute(one_way(chain, 6_000), one_way(chain, 0))
    found = ways[Direction.READ]
    assert found.segments.value[0, Segment.ARRAY_PORT] == pytest.approx(35)
    assert found.segments.value[0, Segment.FABRIC] == 0
    assert 1_200 < found.spans.value[0, SPANS.index((Layer.ARRAY, Layer.ARRAY))] < 1_600


def test_several_measurements_meet_in_their_intersection() -> None:
    both = combined([plus_minus(930, 93.5), plus_minus(1000, 500), plus_minus(NAN, 1)])
    assert ends(both) == (836.5, 1023.5)
    assert 930 < both.value[0] < 935


@pytest.mark.parametrize(("raw", "flagged"), [(NAN, False), (-1, False), (-250, True), (2.0**63, True), (np.inf, True)])
def test_what_is_no_measurement_is_absent_and_nonsense_is_flagged(raw: float, flagged: bool) -> None:
    values, nonsense = cleaned(np.array([raw, 7.0]))
    assert np.isnan(values[0])
    assert nonsense.tolist() == [flagged, False]
    ways = attribute(one_way({Boundary.VSCSI: plus_minus(float(values[0]), 1)}, 100), idle())
    assert np.isnan(ways[Direction.ALL].spans.value).all()
    assert ways[Direction.ALL].lacks_latency[0]


def test_a_contradiction_is_measured_and_widens_everything() -> None:
    limits = bounds(chain_of(1, {Boundary.DRIVER: plus_minus(300, 10), Boundary.ARRAY_INTERNAL: plus_minus(400, 10)}))
    assert limits.disagreement_us[0] == 80
    assert limits.lower[0, Boundary.DRIVER] <= limits.upper[0, Boundary.DRIVER]


def test_kavg_fills_in_the_driver_that_nobody_measured() -> None:
    boundaries = {Boundary.DEVICE: plus_minus(930, 5), Boundary.ARRAY_INTERNAL: plus_minus(400, 1.5)}
    whole = attribute(one_way(boundaries, 1000, kavg=plus_minus(438, 2)), idle())[Direction.ALL]
    assert whole.fitted[0, Boundary.DRIVER] == pytest.approx(492)
    assert (whole.limits.lower[0, 3], whole.limits.upper[0, 3]) == (485, 499)


def test_a_missing_inner_edge_merges_its_layers_and_a_missing_outer_one_does_not() -> None:
    whole = attribute(one_way({Boundary.VSCSI: plus_minus(930, 5), Boundary.DRIVER: plus_minus(492, 8)}, 1000), idle())
    spans = whole[Direction.ALL].spans.value[0]
    found = {span_name(index): round(float(x)) for index, x in enumerate(spans) if not np.isnan(x)}
    assert found == {"kernel": 438, "SAN + array": 492}


def test_littles_bound_holds_reads_and_writes_together_and_keeps_them_additive() -> None:
    wide = {Boundary.DEVICE: plus_minus(1000, 500), Boundary.DRIVER: plus_minus(700, 500)}
    ways = attribute(one_way(wide, 40_000), one_way(wide, 25_000), depth_bound(column(32), column(65_000)))
    driver = [ways[direction].fitted[0, Boundary.DRIVER] for direction in Direction]
    assert driver[Direction.ALL] == pytest.approx(32.5e6 / 64_999.5)
    assert driver[Direction.ALL] == pytest.approx((driver[0] * 40 + driver[1] * 25) / 65)
    assert ways[Direction.READ].limits.upper[0, Boundary.DRIVER] == 1200


def test_ten_instants_of_esxtop_measure_and_fewer_do_not() -> None:
    assert np.isnan(from_instants(column(32), column(0), column(9), column(65_000)).value[0])
    pinned = from_instants(column(32), column(0), column(10), column(65_000))
    assert (pinned.value[0], pinned.half_width[0]) == pytest.approx((492.3, 7.7), abs=0.1)


def test_a_place_takes_guest_and_hypervisor_from_disks_and_the_rest_from_its_devices() -> None:
    device = {
        Boundary.DEVICE: plus_minus(900, 5),
        Boundary.DRIVER: plus_minus(500, 5),
        Boundary.ARRAY_INTERNAL: plus_minus(400, 1),
    }
    disk = {Boundary.GUEST: plus_minus(1500, 5), Boundary.VSCSI: plus_minus(1000, 5), **device}
    lower, upper = (
        rows_of(attribute(one_way(x, n), idle()), column(0), column(0)) for x, n in ((device, 2000), (disk, 1000))
    )
    here = merge_disk_segments(lower, upper)
    ms = here.span_time[0, Direction.ALL] / 60 / 1e6
    kernel, guest = SPANS.index((Layer.KERNEL, Layer.KERNEL)), SPANS.index((Layer.GUEST, Layer.GUEST))
    assert (ms[guest], ms[kernel]) == pytest.approx((0.5, 0.4 * 2 + 0.1))
    assert here.segment_time[0, Direction.ALL, Segment.HYPERVISOR] == pytest.approx(100 * 60_000)
    assert lower.span_time[0, Direction.ALL, guest] == 0


def case(reasons: Reason) -> Case:
    value = np.full((1, 10), NAN)
    value[0, 4] = 900.0
    return case_between(value, value - 5, value + 5, column(895), reasons=int(reasons))


CAPS = [
    Reason.DISAGREEMENT, Reason.MINOR_PART_OF_DEVICE, Reason.SAMPLE_MISSING, Reason.AMONG_EXTENTS
]  # fmt: skip


@pytest.mark.parametrize("cap", CAPS)
def test_an_assumption_or_a_contradiction_is_never_confirmed(cap: Reason) -> None:
    assert rule(case(Reason.NONE)).confidence[0] == "confirmed"
    assert rule(case(cap)).confidence[0] == "likely"


SPAN = {layer: SPANS.index((layer, layer)) for layer in Layer}


def layers(kernel: float, san: float, array: float, half: float, reasons: Reason = Reason.NONE) -> Case:
    """Each layer ± `half`, nothing expected of any."""
    value = np.full((1, 10), NAN)
    value[0, [SPAN[Layer.KERNEL], SPAN[Layer.SAN], SPAN[Layer.ARRAY]]] = kernel, san, array
    low = np.maximum(value - half, 0.0)
    return case_between(value, low, value + half, np.nansum(low, axis=1), reasons=int(reasons))


@pytest.mark.parametrize(
    ("kernel", "san", "confidence"),
    [(201, 100, "likely"), (201, 101, "inconclusive"), (600, 300, "likely"), (600, 301, "inconclusive")],
)
def test_an_excess_twice_any_other_is_named_alone_however_much_room_the_others_have(
    kernel: float, san: float, confidence: str
) -> None:
    found = rule(
        replace(
            layers(kernel, san, 10, 2000), lower=layers(kernel, san, 10, 1).lower * 0.5, outermost_lower=column(400)
        )
    )
    assert (found.confidence[0], found.named[0]) == (confidence, SPAN[Layer.KERNEL])


def test_a_minor_part_of_a_volume_is_confirmed_of_the_kernel_only_where_its_host_alone_proves_it() -> None:
    minor = Reason.MINOR_PART_OF_VOLUME
    assert rule(layers(10, 2000, 10, 5, minor)).confidence[0] == "likely"
    assert rule(layers(10, 10, 2000, 5, minor)).confidence[0] == "likely"
    # 600 below the driver's edge might all be of one layer.
    assert rule(layers(500, 300, 300, 5, minor)).confidence[0] == "likely"
    assert rule(layers(900, 300, 300, 5, minor)).confidence[0] == "confirmed"


@pytest.mark.parametrize(
    ("value", "lower", "upper", "confidence"),
    [
        # What whole milliseconds make of an idle datastore: whatever the other layers do.
        (285, 1, 738, ""),
        (349, 0, 900, ""),
        # So much more than the threshold is an excess, of whichever layer.
        (351, 0, 900, "likely"),
        (60_446, 8, 61_110, "likely"),
        (285, 30, 738, "likely"),
        (285, 205, 738, "confirmed"),
    ],
)
def test_only_a_slight_excess_can_be_too_coarse_to_tell(
    value: float, lower: float, upper: float, confidence: str
) -> None:
    value_, lower_, upper_ = (np.full((1, 10), NAN) for _ in range(3))
    for numbers, kernel in ((value_, value), (lower_, lower), (upper_, upper)):
        numbers[0, [SPAN[Layer.KERNEL], SPAN[Layer.SAN]]] = kernel, 0.0
    found = rule(case_between(value_, lower_, upper_, column(lower)))
    assert found.confidence[0] == confidence
    assert (Reason.TOO_COARSE in Reason(int(found.reasons[0]))) is (confidence == "")


@pytest.mark.parametrize(("outermost", "value", "confidence"), [
    # As much below what is expected as the estimate is above it: as likely nothing as something.
    (300, 600, ""), (300, 651, "likely"), (599, 349, ""), (600, 351, "likely"),
    # However little is sure, four thresholds are an excess.
    (0, 799, ""), (0, 801, "likely"),
])  # fmt: skip
def test_an_estimate_is_weighed_against_what_is_sure_of_the_outermost_boundary(
    outermost: float, value: float, confidence: str
) -> None:
    kernel, san, array = (SPAN[layer] for layer in (Layer.KERNEL, Layer.SAN, Layer.ARRAY))
    value_, lower, upper, expected = (np.full((1, 10), NAN) for _ in range(4))
    value_[0, [kernel, san, array]] = value, 50.0, 200.0
    lower[0, [kernel, san, array]] = 0.0, 40.0, 190.0
    upper[0, [kernel, san, array]] = 5000.0, 60.0, 210.0
    expected[0, [kernel, san, array]] = 0.0, 100.0, 500.0
    found = rule(case_between(value_, lower, upper, column(outermost), expected=expected))
    assert found.confidence[0] == confidence
    # Normal below twice the threshold only, though from there on no layer is named either.
    assert found.severity[0] == ("normal" if value < 400 and not confidence else "elevated")
    assert found.limited_counters[0] == (found.severity[0] == "normal")


def test_limited_counters_a_row_without_an_excess_says_when_they_leave_room_for_one() -> None:
    roomy, tight = rule(layers(100, 20, 20, 150)), rule(layers(100, 20, 20, 5))
    assert roomy.confidence[0] == tight.confidence[0] == ""
    assert Reason.TOO_COARSE in Reason(int(roomy.reasons[0]))
    assert Reason.TOO_COARSE not in Reason(int(tight.reasons[0]))


@pytest.mark.parametrize(
    ("outstanding", "is_full"), [(59, False), (60, True), (64, True), (65, True), (66, False), (96, False)]
)
def test_more_outstanding_than_a_limit_allows_disproves_the_limit(outstanding: float, is_full: bool) -> None:
    found = remarks(
        disagreement_us=column(0),
        share_of_device=column(1),
        chronic=np.array([False]),
        outstanding=column(outstanding),
        queue_limit=column(64),
    )
    assert (Reason.VIRTUAL_DISK_QUEUE_FULL in Reason(int(found[0]))) is is_full


def test_qualities_say_why() -> None:
    yes, no = np.array([True]), np.array([False])
    best = QualityInputs(
        microseconds=yes,
        match_ratio=column(1.05),
        offset_error_s=column(1),
        sample_missing=no,
        disagreement_us=column(0),
        share=column(1),
        side_missing=no,
    )
    assert qualities(quality_reasons(best))[0] == "A"
    for change, letter in (
        ({"microseconds": no}, "B"), ({"match_ratio": column(1.1)}, "B"), ({"offset_error_s": column(5)}, "B"),
        ({"match_ratio": column(2)}, "C"), ({"disagreement_us": column(3)}, "C"), ({"sample_missing": yes}, "C"),
        ({"share": column(0.1)}, "C"), ({"offset_error_s": column(3600)}, "C"), ({"offset_error_s": column(NAN)}, "C"),
        ({"side_missing": yes}, "D"), ({"match_ratio": column(NAN)}, "D"),
    ):  # fmt: skip
        reasons = quality_reasons(
            QualityInputs(**({name: getattr(best, name) for name in QualityInputs.__slots__} | change))
        )
        assert qualities(reasons)[0] == letter
        assert len(in_words(int(reasons[0]))) == 1


def test_match_ratio_knows_idle_from_absent() -> None:
    found = match_ratio(column(50, 0, 5, NAN), column(100, 0, 0, 5))
    assert found[:3].tolist() == [0.5, 1, np.inf]
    assert np.isnan(found[3])


def test_history_counts_after_three_days_and_never_above_its_cap() -> None:
    values = np.array([[50.0, 60, 70, 80], [900, NAN, 900, NAN], [900, 900, 900, 900]])
    history = typical(values, np.array([0, 1, 2, 2]))
    assert np.isnan(history[1])
    expected, chronic = baseline_us(history, history * 10, column(0, 0, 0))
    assert expected[:, Layer.SAN].tolist() == [57.5, 100, 300]
    assert expected[:, Layer.ARRAY].tolist() == [575, 500, 1000]
    assert chronic[:, Layer.SAN].tolist() == [False, False, True]
    assert expected[:, :2].sum() == 0


@pytest.mark.parametrize(
    ("measured", "configured", "dsnro", "vms", "is_nvme", "depth", "rule_", "predicted"),
    [
        (64, 64, 32, 1, False, 64, DepthRule.ONE_VM, 64),
        (64, 64, 32, 0, False, 64, DepthRule.ONE_VM, 64),
        (32, 64, 32, 2, False, 32, DepthRule.COMPETING_VMS, 32),
        (64, 64, 256, 5, False, 64, DepthRule.COMPETING_VMS, 64),
        (16, 64, 32, 2, False, 16, DepthRule.LESS, 32),
        (96, 64, 32, 1, False, 96, DepthRule.MORE, 64),
        (1024, 1024, 32, 9, True, 1024, DepthRule.NVME, 1024),
        (32, 64, NAN, 2, False, 32, DepthRule.UNEXPLAINED, NAN),
        (32, NAN, 32, 1, False, 32, DepthRule.UNEXPLAINED, NAN),
        (32, 64, 32, NAN, False, 32, DepthRule.UNEXPLAINED, NAN),
        (NAN, 64, 32, 2, False, 64, DepthRule.CONFIGURED, 32),
        (NAN, NAN, 32, 2, False, NAN, DepthRule.UNREAD, NAN),
        (0, NAN, 32, 2, False, NAN, DepthRule.UNREAD, NAN),
    ],
)
def test_the_depth_is_read_and_explained(
    measured: float, configured: float, dsnro: float, vms: float, is_nvme: bool, depth: float, rule_: DepthRule, predicted: float
) -> None:  # fmt: skip
    found = effective_depth(
        DepthInputs(
            measured=column(measured),
            configured=column(configured),
            dsnro=column(dsnro),
            active_vms=column(vms),
            is_nvme=np.array([is_nvme]),
        )
    )
    assert found.rule[0] == rule_
    np.testing.assert_equal((found.depth[0], found.predicted[0]), (depth, predicted))


def test_a_depth_that_falls_to_half_is_news() -> None:
    assert halved(column(64, 64), column(32, 33)).tolist() == [True, False]


def three_layers(kernel: float, san: float, array: float, reach: float) -> Case:
    """Estimates over what is expected; each may be anything from nothing to `reach`."""
    value, low, high = (np.full((1, 10), NAN) for _ in range(3))
    for layer, us in ((Layer.KERNEL, kernel), (Layer.SAN, san), (Layer.ARRAY, array)):
        span = SPANS.index((layer, layer))
        value[0, span], low[0, span], high[0, span] = us, 0.0, max(us, reach)
    return case_between(value, low, high, column(0), reasons=int(Reason.NONE))


def test_an_estimate_that_is_plain_stands_alone_however_wide_the_bounds_are() -> None:
    assert rule(three_layers(2000, 100, 300, 2500)).confidence[0] == "likely"
    assert rule(three_layers(2000, 100, 1100, 2500)).confidence[0] == "inconclusive"
    # Under the threshold by itself it is not plain, whatever all of them are together.
    assert rule(three_layers(450, 20, 30, 600)).confidence[0] == "likely"
    assert rule(three_layers(450, 240, 30, 600)).confidence[0] == "inconclusive"


def test_of_whole_milliseconds_only_an_excess_of_three_thresholds_is_plain() -> None:
    case_, ms = three_layers(450, 20, 30, 600), np.array([int(Reason.WHOLE_MILLISECONDS)])
    found = rule(replace(case_, reasons=ms))
    assert found.confidence[0] == "inconclusive"
    # The quality says it, so the diagnosis does not say it again.
    assert int(found.reasons[0]) == 0
    assert rule(replace(three_layers(650, 20, 30, 800), reasons=ms)).confidence[0] == "likely"


def test_the_second_layer_of_an_inconclusive_diagnosis_has_the_next_largest_estimate() -> None:
    found = rule(three_layers(2000, 100, 1100, 2500))
    assert int(found.named[0]) == SPANS.index((Layer.KERNEL, Layer.KERNEL))
    assert int(found.other[0]) == SPANS.index((Layer.ARRAY, Layer.ARRAY))
