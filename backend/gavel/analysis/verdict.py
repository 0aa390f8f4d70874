"""The ruling: which layer loses time, how much, and how sure that is (attribution.md §5)."""

from dataclasses import dataclass
from enum import IntFlag

import numpy as np
import numpy.typing as npt

from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.ledger import LedgerRows, timed_ops
from gavel.analysis.segments import SPAN_LAYERS, SPANS, span_name
from gavel.domain.io_path import Certainty, Direction, Layer

HEALTHY_US = 200.0
HEALTHY_SHARE = 0.25
OVERLAP = 0.80
# So small a part of what makes a row ill is no excess to speak of.
HARDLY = 0.10
LEAST_SHARE_OF_DEVICE = 0.5
# Outstanding I/Os are an average of whole numbers: within a sixteenth of the limit is at the limit.
QUEUE_FULL = 15 / 16


class Reason(IntFlag):
    """What a verdict has to say beside its layer. 16 once was one and stays unused: rows are stored with these."""

    NONE = 0
    GUEST_NOT_MEASURED = 1
    VIRTUAL_DISK_QUEUE_FULL = 2
    DISAGREEMENT = 4
    MINOR_PART_OF_DEVICE = 8
    CHRONIC = 32
    MERGED_LAYERS = 64
    TOO_COARSE = 128


WORDS = {
    Reason.GUEST_NOT_MEASURED: "below the guest; guest not measured",
    Reason.VIRTUAL_DISK_QUEUE_FULL: "virtual disk queue full: guest queueing likely, not measured",
    Reason.DISAGREEMENT: "measurements contradict each other, so every interval is widened by the contradiction",
    Reason.MINOR_PART_OF_DEVICE: "assuming its I/Os fare like the device's average",
    Reason.CHRONIC: "chronic: its own history is slower than may be expected",
    Reason.MERGED_LAYERS: "not every layer was measured by itself",
    Reason.TOO_COARSE: "counters too coarse to show an excess or to exclude one",
}
SETTLES = "microsecond counters: vSphere 9, or an esxtop file of this host"
_CAPS = Reason.DISAGREEMENT | Reason.MINOR_PART_OF_DEVICE


@dataclass(frozen=True, slots=True)
class Case:
    """What n verdicts rest on. Times in µs per I/O by span (n, 10), NaN where not measured; the rest (n,) or as said.

    expected: (n, 10); outermost_lower: lower bound of the outermost boundary; caps and remarks in `reasons` (flags of `Reason`).
    """

    value: Floats
    lower: Floats
    upper: Floats
    expected: Floats
    outermost_lower: Floats
    reasons: npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Verdicts:
    """n rulings. `named` and `other` are positions in `SPANS` (−1: none); `other` stands beside `named` when undetermined.

    excess: (n, 10) µs; share: of the named span in the total excess; `reasons`: flags of `Reason`.
    """

    certainty: npt.NDArray[np.str_]
    named: npt.NDArray[np.int64]
    other: npt.NDArray[np.int64]
    excess: Floats
    total_excess: Floats
    share: Floats
    reasons: npt.NDArray[np.int64]


def expected_by_span(expected_us: Floats, span_ops: Floats, ops: Floats) -> Floats:
    """(n, 10) expected µs per I/O of each span from (n, 4) by layer; a span that only part of the ops passed is expected that much less."""
    measured = np.divide(span_ops, ops[:, None], out=np.zeros_like(span_ops), where=ops[:, None] > 0)
    result: Floats = (expected_us @ SPAN_LAYERS.T) * np.minimum(measured, 1.0)
    return result


def case_of(rows: LedgerRows, direction: Direction, expected_us: Floats, remarks: npt.NDArray[np.int64]) -> Case:
    """The case that ledger rows make, per I/O of the scope that was timed; `remarks` are flags of `Reason` that the caller knows of."""
    ops, span_ops = timed_ops(rows)[:, direction], rows.span_ops[:, direction]
    measured = span_ops > 0

    def per_io(sums: Floats) -> Floats:
        return np.divide(sums[:, direction], ops[:, None], out=np.full_like(span_ops, np.nan), where=measured)

    outermost = np.divide(rows.outermost_lower[:, direction], ops, out=np.zeros_like(ops), where=ops > 0)
    expected = expected_by_span(expected_us, span_ops, ops)
    return Case(
        per_io(rows.span_time),
        per_io(rows.span_lower),
        per_io(rows.span_upper),
        expected,
        outermost,
        remarks | _seen(measured),
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
        (Reason.VIRTUAL_DISK_QUEUE_FULL, (outstanding >= QUEUE_FULL * queue_limit) & (queue_limit > 0)),
    )
    result: npt.NDArray[np.int64] = np.sum(
        [np.where(rows, int(flag), 0) for flag, rows in flags], axis=0, dtype=np.int64
    )
    return result


def rule(case: Case) -> Verdicts:
    """One verdict per row; `UNKNOWN` where no span was measured.

    Where neither the layer is clear nor an excess of it worth speaking of sure, the excess may be nothing but the counters' coarseness:
    healthy, and it says so.
    """
    measured = ~np.isnan(case.value)
    excess, low, high = (_over(numbers, case.expected, measured) for numbers in (case.value, case.lower, case.upper))
    total, expected = excess.sum(axis=1), np.where(measured, case.expected, 0.0).sum(axis=1)
    threshold = np.maximum(HEALTHY_US, HEALTHY_SHARE * expected)
    named = np.argmax(np.where(measured, excess, -1.0), axis=1)
    other, highest_other = _runner_up(high, measured, named)
    surely = np.maximum(low.sum(axis=1), case.outermost_lower - expected)
    certain = (_at(low, named) > highest_other) & (surely >= threshold) & ((case.reasons & int(_CAPS)) == 0)
    blurred = ~_clear(low, highest_other, named) & (highest_other > 0) & (_overlap(low, high, named, other) >= OVERLAP)
    coarse = blurred & ~certain & (total >= threshold) & (surely < threshold) & (_at(low, named) <= HARDLY * threshold)
    certainty = np.select(
        [~measured.any(axis=1), (total < threshold) | coarse, certain, blurred],
        [Certainty.UNKNOWN.value, Certainty.HEALTHY.value, Certainty.CERTAIN.value, Certainty.UNDETERMINED.value],
        Certainty.LIKELY.value,
    )
    judged = (certainty != Certainty.UNKNOWN.value) & (certainty != Certainty.HEALTHY.value)
    share = np.divide(_at(excess, named), total, out=np.zeros_like(total), where=total > 0)
    pair = np.where(certainty == Certainty.UNDETERMINED.value, other, -1)
    return Verdicts(
        certainty,
        np.where(judged, named, -1),
        pair,
        excess,
        total,
        np.where(judged, share, 0.0),
        _told(case) | np.where(coarse, int(Reason.TOO_COARSE), 0),
    )


def _over(numbers: Floats, expected: Floats, measured: Bools) -> Floats:
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


def _clear(low: Floats, highest_other: Floats, named: npt.NDArray[np.int64]) -> Bools:
    return _at(low, named) > highest_other


def _overlap(low: Floats, high: Floats, one: npt.NDArray[np.int64], two: npt.NDArray[np.int64]) -> Floats:
    """Length that two intervals share, as a part of the narrower; a point inside the other shares all of itself."""
    common = np.minimum(_at(high, one), _at(high, two)) - np.maximum(_at(low, one), _at(low, two))
    narrower = np.minimum(_at(high, one) - _at(low, one), _at(high, two) - _at(low, two))
    point = np.where(common >= 0, 1.0, 0.0)
    with np.errstate(invalid="ignore"):
        shared: Floats = np.divide(common, narrower, out=point, where=(narrower > 0) & np.isfinite(narrower))
    return shared


def _told(case: Case) -> npt.NDArray[np.int64]:
    """A full queue is only news while the guest is not measured."""
    unseen = (case.reasons & int(Reason.GUEST_NOT_MEASURED)) > 0
    return np.where(unseen, case.reasons, case.reasons & ~int(Reason.VIRTUAL_DISK_QUEUE_FULL))


def impact(verdicts: Verdicts, ops: Floats, wall_s: float) -> Floats:
    """(n,) I/Os that wait needlessly at any moment: excess I/O-time of the timed `ops` per wall time."""
    return verdicts.total_excess * ops / (wall_s * 1e6)


def sentence(verdicts: Verdicts, row: int) -> str:
    """One ruling in words: "kernel, certain, 52 % of the excess; below the guest; guest not measured"."""
    certainty = Certainty(str(verdicts.certainty[row]))
    told = [words for flag, words in WORDS.items() if int(verdicts.reasons[row]) & flag]
    named, other = int(verdicts.named[row]), int(verdicts.other[row])
    if certainty is Certainty.UNKNOWN:
        return "no verdict: nothing was measured"
    if certainty is Certainty.HEALTHY:
        head = "healthy"
    elif certainty is Certainty.UNDETERMINED:
        head = f"undetermined: {span_name(named)} or {span_name(other)}"
        told.append(f"what would settle it: {SETTLES}")
    else:
        head = f"{span_name(named)}, {certainty.value}, {100 * verdicts.share[row]:.0f} % of the excess"
    return "; ".join([head, *told])
