"""The diagnosis: which layer has the excess latency, how much, and with which confidence (attribution.md §5)."""

from dataclasses import dataclass
from enum import IntFlag

import numpy as np
import numpy.typing as npt

from gavel.analysis.guest_in_range import counted_inside
from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.ledger import GUEST, KERNEL, timed_ops
from gavel.analysis.segments import SPAN_LAYERS
from gavel.analysis.severity import elevated_from_us, severities
from gavel.domain.io_path import SPANS, Confidence, Direction, Layer
from gavel.domain.ledger import LedgerRows

OVERLAP = 0.80
# So small a part of the threshold is no excess to speak of.
NEGLIGIBLE_SHARE = 0.10
# Coarse counters leave an excess open while its estimate and what is sure of it (below 0 where less than expected is) are together under
# so many thresholds; one estimated at the second number of thresholds is an excess whatever they leave open.
COARSE_TOGETHER = 1.75
COARSE_AT_MOST = 4.0
# Where the estimate of one layer's excess is so many times that of any other, and reaches the threshold by itself, its name stands alone as
# likely, however wide the bounds are: there is room for the others only because the sum of all is bounded.
PLAINLY, PLAIN_FROM = 2.0, 1.0
# Of whole milliseconds an estimate is hardly more than the middle of what is possible: there it takes so many thresholds.
PLAIN_FROM_IN_MS = 3.0
LEAST_SHARE_OF_DEVICE = 0.5
LEAST_SHARE_OF_VOLUME = 0.5
# Outstanding I/Os are an average of whole numbers: within a sixteenth of the limit is at the limit.
QUEUE_FULL = 15 / 16
# Reads and writes are counted apart, each to ½ I/O: more than this above a limit is above it, so that it is not the limit.
_COUNTED_TO = 1.0


class Reason(IntFlag):
    """What a diagnosis has to say beside its layer. 16 once was one and stays unused: rows are stored with these."""

    NONE = 0
    GUEST_NOT_MEASURED = 1
    VIRTUAL_DISK_QUEUE_FULL = 2
    DISAGREEMENT = 4
    MINOR_PART_OF_DEVICE = 8
    CHRONIC = 32
    MERGED_LAYERS = 64
    TOO_COARSE = 128
    MINOR_PART_OF_VOLUME = 256
    SAMPLE_MISSING = 512
    AMONG_EXTENTS = 1024
    # Said by the quality; here it only weighs.
    WHOLE_MILLISECONDS = 2048
    GUEST_BY_ARRIVAL = 4096
    GUEST_WITHIN_RANGE = 8192
    MAYBE_IDLE = 16384


WORDS = {
    Reason.GUEST_NOT_MEASURED: "below the guest; guest not measured",
    Reason.VIRTUAL_DISK_QUEUE_FULL: "virtual disk queue full: guest queueing likely, not measured",
    Reason.DISAGREEMENT: "counters inconsistent, so every range is widened by the inconsistency",
    Reason.MINOR_PART_OF_DEVICE: "assumes its I/Os see the device's average latency",
    Reason.CHRONIC: "chronic: its history exceeds the highest baseline of the array source, so the baseline is capped",
    Reason.MERGED_LAYERS: "not every layer is measured separately",
    Reason.TOO_COARSE: "counter resolution too low to confirm or to exclude excess latency",
    Reason.MINOR_PART_OF_VOLUME: "assumes its I/Os see the volume's average latency",
    Reason.SAMPLE_MISSING: "a sample is missing, so ranges are widened to cover it",
    Reason.WHOLE_MILLISECONDS: "a latency counter has a resolution of 1 ms",
    Reason.GUEST_BY_ARRIVAL: "the guest's readings have no usable time and are placed by their arrival",
    Reason.GUEST_WITHIN_RANGE: "guest latency above the virtual disk is within counter resolution and counted to the layers below",
    Reason.MAYBE_IDLE: "all of its I/Os were counted in samples that cross the minute's boundary, and may belong to the adjacent minute",
    Reason.AMONG_EXTENTS: "its disks span several extents, and I/O per extent is not measured",
}
SETTLES = "microsecond counters: vSphere 9, or an esxtop file of this host"
# MINOR_PART_OF_VOLUME is one where the volume's average has a say.
_CAPS = (
    Reason.DISAGREEMENT
    | Reason.MINOR_PART_OF_DEVICE
    | Reason.SAMPLE_MISSING
    | Reason.AMONG_EXTENTS
    | Reason.GUEST_BY_ARRIVAL
)
_BELOW_KERNEL = np.array([first > Layer.KERNEL for first, _ in SPANS])


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """What n diagnoses rest on. Times in µs per I/O by span (n, 10), NaN where not measured; the rest (n,) or as said.

    expected: (n, 10); outermost_lower: lower bound of the outermost boundary; caps and remarks in `reasons` (flags of `Reason`).
    """

    value: Floats
    lower: Floats
    upper: Floats
    expected: Floats
    outermost_lower: Floats
    reasons: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnoses:
    """n rulings. `named` and `other` are positions in `SPANS` (−1: none); `other` stands beside `named` when inconclusive.

    severity: "" where no span was measured; confidence: "" where no layer is named. limited_counters: normal only since the counters are
    too coarse to show the excess. excess: (n, 10) µs; share: of the named span in the total excess; `reasons`: flags of `Reason`.
    """

    severity: npt.NDArray[np.str_]
    confidence: npt.NDArray[np.str_]
    limited_counters: Bools
    named: npt.NDArray[np.int64]
    other: npt.NDArray[np.int64]
    excess: Floats
    total_excess: Floats
    share: Floats
    reasons: npt.NDArray[np.int64]


def baseline_by_span(baseline_us: Floats, span_ops: Floats, ops: Floats) -> Floats:
    """(n, 10) expected µs per I/O of each span from (n, 4) by layer; a span that only part of the ops passed is expected that much less."""
    measured = np.divide(span_ops, ops[:, None], out=np.zeros_like(span_ops), where=ops[:, None] > 0)
    result: Floats = (baseline_us @ SPAN_LAYERS.T) * np.minimum(measured, 1.0)
    return result


def case_of(rows: LedgerRows, direction: Direction, baseline_us: Floats, remarks: npt.NDArray[np.int64]) -> Case:
    """The case that ledger rows make, per I/O of the scope that was timed; `remarks` are flags of `Reason` that the caller knows of."""
    ops, span_ops = timed_ops(rows)[:, direction], rows.span_ops[:, direction]
    measured = span_ops > 0

    def per_io(sums: Floats) -> Floats:
        return np.divide(sums[:, direction], ops[:, None], out=np.full_like(span_ops, np.nan), where=measured)

    outermost = np.divide(rows.outermost_lower[:, direction], ops, out=np.zeros_like(ops), where=ops > 0)
    expected = baseline_by_span(baseline_us, span_ops, ops)
    return Case(
        value=per_io(rows.span_time),
        lower=per_io(rows.span_lower),
        upper=per_io(rows.span_upper),
        expected=expected,
        outermost_lower=outermost,
        reasons=remarks | _seen(measured),
    )


def _seen(measured: Bools) -> npt.NDArray[np.int64]:
    guest = np.array([first is Layer.GUEST for first, _ in SPANS])
    merged = np.array([first is not last for first, last in SPANS])
    no_guest = np.where(~measured[:, guest].any(axis=1), int(Reason.GUEST_NOT_MEASURED), 0)
    unsplit = np.where(measured[:, merged].any(axis=1), int(Reason.MERGED_LAYERS), 0)
    result: npt.NDArray[np.int64] = np.bitwise_or(no_guest, unsplit)
    return result


def remarks(
    *,
    disagreement_us: Floats,
    share_of_device: Floats,
    chronic: Bools,
    outstanding: Floats,
    queue_limit: Floats,
) -> npt.NDArray[np.int64]:
    """(n,) flags of `Reason` from what stands beside the ledger, each (n,).

    share_of_device: NaN where the scope is no part of a device; outstanding and queue_limit of the virtual disk: NaN where unknown.
    """
    flags = (
        (Reason.DISAGREEMENT, disagreement_us > 0),
        (Reason.MINOR_PART_OF_DEVICE, share_of_device < LEAST_SHARE_OF_DEVICE),
        (Reason.CHRONIC, chronic),
        (Reason.VIRTUAL_DISK_QUEUE_FULL, is_virtual_disk_queue_full(outstanding, queue_limit)),
    )
    result: npt.NDArray[np.int64] = np.sum(
        [np.where(rows, int(flag), 0) for flag, rows in flags], axis=0, dtype=np.int64
    )
    return result


def is_virtual_disk_queue_full(outstanding: Floats, limit: Floats) -> Bools:
    """At the limit; more I/Os than it allows show that the limit is another one, of which nothing is known."""
    full: Bools = (outstanding >= QUEUE_FULL * limit) & (outstanding <= limit + _COUNTED_TO) & (limit > 0)
    return full


def rule(case: Case) -> Diagnoses:
    """One diagnosis per row; without severity and confidence where no span was measured.

    Where no excess worth speaking of is sure, nor the estimate far above the threshold, it may be nothing but the counters' coarseness:
    no layer is named, and it says so. It says so as well wherever the bounds of a row without an excess leave room for one. Nor is one
    named where neither the layer nor whether there was any I/O is sure.
    """
    measured = ~np.isnan(case.value)
    found = excess_of(case)
    excess, low, high, total, least = found.value, found.lower, found.upper, found.total, found.least
    expected = baseline_us_of(case)
    threshold = elevated_from_us(expected)
    named = np.argmax(np.where(measured, excess, -1.0), axis=1)
    other, highest_other = _runner_up(high, measured, named)
    of_outermost = case.outermost_lower - expected
    confirmed = (_at(low, named) > highest_other) & (least >= threshold) & ~_capped(case, low, named)
    slight = (least < threshold) & (_at(low, named) <= NEGLIGIBLE_SHARE * threshold)
    blurred = ~_clear(low, highest_other, named) & (highest_other > 0) & (_overlap(low, high, named, other) >= OVERLAP)
    in_ms = (case.reasons & int(Reason.WHOLE_MILLISECONDS)) > 0
    plain_from = np.where(in_ms, PLAIN_FROM_IN_MS, PLAIN_FROM) * threshold
    blurred &= _at(excess, named) < np.maximum(PLAINLY * _next_largest(excess, named), plain_from)
    open_to_both = (total + of_outermost < COARSE_TOGETHER * threshold) & (total < COARSE_AT_MOST * threshold)
    coarse = ~confirmed & (total >= threshold) & open_to_both & slight
    ruled = measured.any(axis=1)
    maybe_idle = ((case.reasons & int(Reason.MAYBE_IDLE)) > 0) & blurred & ~confirmed & ~coarse & (total >= threshold)
    names_none = (total < threshold) | coarse | maybe_idle
    judged = ruled & ~names_none
    confidence = np.select(
        [~judged, confirmed, blurred],
        ["", Confidence.CONFIRMED.value, Confidence.INCONCLUSIVE.value],
        Confidence.LIKELY.value,
    )
    severe = severities(total, expected, coarse)
    share = np.divide(_at(excess, named), total, out=np.zeros_like(total), where=total > 0)
    pair = np.where(confidence == Confidence.INCONCLUSIVE.value, _second(excess, high, measured, named), -1)
    open_ended = ruled & names_none & ~maybe_idle & (high.sum(axis=1) >= threshold)
    return Diagnoses(
        severity=np.where(ruled, severe.severity, ""),
        confidence=confidence,
        limited_counters=ruled & severe.limited,
        named=np.where(judged, named, -1),
        other=pair,
        excess=excess,
        total_excess=total,
        share=np.where(judged, share, 0.0),
        reasons=_shown_reasons(case)
        | np.where(open_ended, int(Reason.TOO_COARSE), 0)
        | np.where(maybe_idle, int(Reason.MAYBE_IDLE), 0)
        | np.where(found.guest_moved_us > 0, int(Reason.GUEST_WITHIN_RANGE), 0),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Excess:
    """Excess latency of n rows in µs, as diagnoses, pages and alerts have it. value, lower, upper: (n, 10) by span; total: (n,) of all
    spans; least: (n,) its lower bound, also by the bound of the outermost boundary, negative where that is below the baseline;
    guest_moved_us: (n,) time of the guest that was counted to the layers below it."""

    value: Floats
    lower: Floats
    upper: Floats
    total: Floats
    least: Floats
    guest_moved_us: Floats


def excess_of(case: Case) -> Excess:
    """The excess of each row: the only place that computes it."""
    measured, expected = ~np.isnan(case.value), baseline_us_of(case)
    value, moved = counted_inside(case.value, case.upper, _is_guest_in_doubt(case, elevated_from_us(expected)))
    excess, low, high = (_above(numbers, case.expected, measured) for numbers in (value, case.lower, case.upper))
    return Excess(
        value=excess,
        lower=low,
        upper=high,
        total=excess.sum(axis=1),
        least=np.maximum(low.sum(axis=1), case.outermost_lower - expected),
        guest_moved_us=moved,
    )


def baseline_us_of(case: Case) -> Floats:
    """(n,) baselines of the measured spans together; 0 where none was measured."""
    baseline: Floats = np.where(np.isnan(case.value), 0.0, case.expected).sum(axis=1)
    return baseline


def _is_guest_in_doubt(case: Case, threshold: Floats) -> Bools:
    """(n,) nothing is sure of the guest's time, and its estimate is one to speak of, but no excess whatever its range leaves open. A full
    queue of the virtual disk makes I/Os wait in the guest: there it is the guest's."""
    full = (case.reasons & int(Reason.VIRTUAL_DISK_QUEUE_FULL)) > 0
    sure, guest = np.nan_to_num(case.lower[:, GUEST]), np.nan_to_num(case.value[:, GUEST])
    negligible = NEGLIGIBLE_SHARE * threshold
    doubted: Bools = (sure <= negligible) & (guest > negligible) & (guest < COARSE_AT_MOST * threshold) & ~full
    return doubted


def _capped(case: Case, low: Floats, named: npt.NDArray[np.int64]) -> Bools:
    """Rows that are likely at most. A volume's average says nothing about kernel time that alone is more than all the driver waited."""
    below = np.where(np.isnan(case.upper), 0.0, case.upper)[:, _BELOW_KERNEL].sum(axis=1)
    proven = (named == KERNEL) & (_at(low, named) > below)
    of_volume = (case.reasons & int(Reason.MINOR_PART_OF_VOLUME)) > 0
    capped: Bools = ((case.reasons & int(_CAPS)) > 0) | (of_volume & ~proven)
    return capped


def _above(numbers: Floats, expected: Floats, measured: Bools) -> Floats:
    """The definition of excess latency: (n, 10) µs above the baseline of each span, at least 0; 0 where a span was not measured."""
    return np.where(measured, np.maximum(numbers - expected, 0.0), 0.0)


def _at(numbers: Floats, index: npt.NDArray[np.int64]) -> Floats:
    taken: Floats = np.take_along_axis(numbers, index[:, None], axis=1)[:, 0]
    return taken


def _runner_up(high: Floats, measured: Bools, named: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], Floats]:
    """The span with the largest upper excess besides the named one; −∞ where there is none."""
    others = np.where(measured, high, -np.inf)
    np.put_along_axis(others, named[:, None], -np.inf, axis=1)
    second = np.argmax(others, axis=1)
    return second, _at(others, second)


def _second(excess: Floats, high: Floats, measured: Bools, named: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The span with the largest estimate of an excess besides the named one, where that is no small part of it; else that with the largest
    upper excess."""
    others = np.where(measured & (PLAINLY * excess > _at(excess, named)[:, None]), excess, -np.inf)
    np.put_along_axis(others, named[:, None], -np.inf, axis=1)
    second = np.argmax(others, axis=1)
    return np.where(np.isfinite(_at(others, second)), second, _runner_up(high, measured, named)[0])


def _next_largest(excess: Floats, named: npt.NDArray[np.int64]) -> Floats:
    others = excess.copy()
    np.put_along_axis(others, named[:, None], 0.0, axis=1)
    largest: Floats = others.max(axis=1)
    return largest


def _clear(low: Floats, highest_other: Floats, named: npt.NDArray[np.int64]) -> Bools:
    return _at(low, named) > highest_other


def _overlap(low: Floats, high: Floats, first: npt.NDArray[np.int64], second: npt.NDArray[np.int64]) -> Floats:
    """Length that two intervals share, as a part of the narrower; a point inside the other shares all of itself."""
    common = np.minimum(_at(high, first), _at(high, second)) - np.maximum(_at(low, first), _at(low, second))
    narrower = np.minimum(_at(high, first) - _at(low, first), _at(high, second) - _at(low, second))
    point = np.where(common >= 0, 1.0, 0.0)
    with np.errstate(invalid="ignore"):
        shared: Floats = np.divide(common, narrower, out=point, where=(narrower > 0) & np.isfinite(narrower))
    return shared


def in_milliseconds(quality: npt.NDArray[np.int64], milliseconds: int) -> npt.NDArray[np.int64]:
    """(n,) `Reason.WHOLE_MILLISECONDS` where a row's quality has its flag of whole `milliseconds`."""
    flags: npt.NDArray[np.int64] = np.where((quality & milliseconds) > 0, int(Reason.WHOLE_MILLISECONDS), 0)
    return flags


def _shown_reasons(case: Case) -> npt.NDArray[np.int64]:
    """A full queue is only news while the guest is not measured."""
    reasons = case.reasons & ~int(Reason.WHOLE_MILLISECONDS | Reason.MAYBE_IDLE)
    unseen = (reasons & int(Reason.GUEST_NOT_MEASURED)) > 0
    return np.where(unseen, reasons, reasons & ~int(Reason.VIRTUAL_DISK_QUEUE_FULL))


def excess_outstanding(excess_us: Floats, ops: Floats, wall_s: Floats) -> Floats:
    """(n,) excess latency × IOPS: the I/Os that are outstanding because of the excess, of the timed `ops` in `wall_s`; 0 without time."""
    return np.divide(excess_us * ops / 1e6, wall_s, out=np.zeros(len(wall_s)), where=wall_s > 0)
