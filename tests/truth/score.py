"""How attribution did against the truth: counts of right and wrong per kind of row, vCenter version and counter mode, and the goals."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from tests.truth.per_io.tables import Share
from tests.truth.really import Truth

from gavel.analysis.attribution import QualityReason
from gavel.analysis.diagnosis import Diagnoses
from gavel.analysis.ledger import GUEST, LEAST_OPS, Difference, Differences
from gavel.analysis.minutes import Rows
from gavel.analysis.segments import SPAN_LAYERS, span_name
from gavel.domain.io_path import SPANS, Confidence, Direction
from gavel.domain.scope import ScopeKind

# The lab sums in 32 bits.
SLACK_US = 0.05
_INCOMPLETE = int(QualityReason.SAMPLE_MISSING | QualityReason.SIDE_MISSING)
STRICT = (ScopeKind.HOST_DEVICE, ScopeKind.DATASTORE)
SHARED = (ScopeKind.VM, ScopeKind.VM_DISK)
JUDGED = (*STRICT, ScopeKind.VM)
# Kind → the least part of bounds that hold. Places are sums over what changes at a minute's edge by different amounts. Devices and
# datastores have no exception, but for the mode below.
BOUNDS_GOALS = {
    **dict.fromkeys(STRICT, 1.0),
    **dict.fromkeys(SHARED, 0.99),
    ScopeKind.HOST: 0.995,
    ScopeKind.VOLUME: 0.999,
}
# How far an instant strays from the mean is what all but a twentieth of the samples stayed within: likely to hold, not certain to.
BY_EXPERIENCE = "latest last_second, proven"
EXPERIENCE_GOAL = 0.9999
# What devices and datastores have reached otherwise: short of their goal (docs/decisions/every-io-timed-by-itself.md), and never less.
STRICT_REACHED = 0.99999
# Least part of a datastore's differences whose interval holds the true one; vSCSI − device takes disks' and devices' I/Os to fare alike.
DELTA_GOALS = {Difference.VSCSI_DEVICE: 0.99, Difference.DEVICE_DRIVER: 1.0, Difference.DRIVER_ARRAY: 1.0}
DIAGNOSIS_GOALS = {Confidence.CONFIRMED: 0.995, Confidence.LIKELY: 0.90, Confidence.INCONCLUSIVE: 0.95}


@dataclass
class Score:
    """Counts that add up over labs. bounds: (mode, kind, span, holds); diagnoses: (mode, kind, confidence, right, deserved any).

    sums: (mode, rows whose segments are right); proofs: (what, right); deltas: (mode, which, holds).
    worst: where bounds failed by how much.
    """

    bounds: Counter[tuple[str, ScopeKind, str, bool]] = field(default_factory=Counter)
    diagnoses: Counter[tuple[str, ScopeKind, str, bool, bool]] = field(default_factory=Counter)
    sums: Counter[tuple[str, bool]] = field(default_factory=Counter)
    proofs: Counter[tuple[str, bool]] = field(default_factory=Counter)
    deltas: Counter[tuple[str, Difference, bool]] = field(default_factory=Counter)
    worst: list[str] = field(default_factory=list)

    def add(self, other: "Score") -> None:
        """The counts of another score."""
        self.bounds.update(other.bounds)
        self.diagnoses.update(other.diagnoses)
        self.sums.update(other.sums)
        self.proofs.update(other.proofs)
        self.deltas.update(other.deltas)
        self.worst.extend(other.worst)


def complete(rows: Rows) -> np.ndarray:
    """(n,) minutes in which no sample and no side is missing, and enough was done to judge."""
    whole = (rows.notes.quality_reasons & _INCOMPLETE) == 0
    enough: np.ndarray = whole & (rows.rows.ops[:, Direction.ALL] >= LEAST_OPS)
    return enough


def in_guests(rows: Rows) -> np.ndarray:
    """(n,) rows all of whose I/Os were measured in their guests."""
    ops = rows.rows.ops[:, Direction.ALL]
    every: np.ndarray = (ops > 0) & (rows.rows.span_ops[:, Direction.ALL, GUEST] >= (1 - 1e-6) * ops)
    return every


def _judgeable(rows: Rows) -> np.ndarray:
    """(n,) complete ones of which all guests were measured, or none: of a part of them the model gives no truth."""
    some = rows.rows.span_ops[:, Direction.ALL, GUEST] > 0
    judged: np.ndarray = complete(rows) & (in_guests(rows) | ~some)
    return judged


def score_bounds(score: Score, modes: np.ndarray, kind: ScopeKind, rows: Rows, real: Truth, where: str) -> None:
    """Every measured layer of every direction against its true time; a layer that only part of the I/Os passed measurably is left out."""
    ledger = rows.rows
    ops = np.maximum(ledger.ops, 1e-9)[:, :, None]
    whole = np.abs(ledger.span_ops - ops) <= 1e-6 * ops
    judged = whole & (ops >= LEAST_OPS) & complete(rows)[:, None, None] & (real.ops[:, :, None] > 0)
    off = np.maximum(ledger.span_lower / ops - real.spans, real.spans - ledger.span_upper / ops)
    holds = off <= SLACK_US
    for mode in np.unique(modes):
        chosen = (modes == mode)[:, None, None] & judged
        for span in range(len(SPANS)):
            for good in (True, False):
                count = int((chosen & (holds == good))[:, :, span].sum())
                if count:
                    score.bounds[str(mode), kind, span_name(span), good] += count
    for row, way, span in np.argwhere(judged & ~holds)[:3]:
        low, high = (float(x[row, way, span] / ops[row, way, 0]) for x in (ledger.span_lower, ledger.span_upper))
        score.worst.append(
            f"{where} {kind.name} {rows.thing[row]} minute {rows.minute[row]} {Direction(way).name} {span_name(span)}: "
            f"true {real.spans[row, way, span]:.1f} outside [{low:.1f}, {high:.1f}] µs"
        )


def score_deltas(score: Score, modes: np.ndarray, rows: Rows, told: Differences, real: np.ndarray, where: str) -> None:
    """Of datastores: intervals against (n, 4) the true differences, where both boundaries were measured for all I/Os."""
    for which in DELTA_GOALS:
        low, high, true = told.lower[:, which], told.upper[:, which], real[:, which]
        judged = complete(rows) & ~np.isnan(low) & ~np.isnan(true)
        off = np.maximum(low - true, true - high)
        holds = off <= SLACK_US
        for mode in np.unique(modes):
            for good in (True, False):
                count = int((judged & (modes == mode) & (holds == good)).sum())
                if count:
                    score.deltas[str(mode), which, good] += count
        for row in np.flatnonzero(judged & ~holds)[:2]:
            score.worst.append(
                f"{where} DATASTORE {rows.thing[row]} minute {rows.minute[row]} {which.name.lower()}: "
                f"true {true[row]:.1f} outside [{low[row]:.1f}, {high[row]:.1f}] µs"
            )


def score_sums(score: Score, modes: np.ndarray, kind: ScopeKind, rows: Rows) -> None:
    """Estimates: nothing is negative, and the segments of a row that has them all add up to its layers."""
    ledger = rows.rows
    ops = ledger.ops[:, :2, None]
    first = 2 if kind is ScopeKind.HOST_DEVICE else 1
    every = ((ledger.segment_ops[:, :2, first:] == ops) & (ops > 0)).all(axis=2)
    segments, spans = ledger.segment_time[:, :2].sum(axis=2), ledger.span_time[:, :2].sum(axis=2)
    adds = np.isclose(segments, spans, rtol=1e-6, atol=1.0)
    negative = (ledger.segment_time < 0).any(axis=(1, 2)) | (ledger.span_time < 0).any(axis=(1, 2))
    right = (adds | ~every).all(axis=1) & ~negative
    for mode in np.unique(modes):
        for good in (True, False):
            score.sums[str(mode), good] += int((right[modes == mode] == good).sum())


def score_diagnoses(
    score: Score, modes: np.ndarray, kind: ScopeKind, rows: Rows, given: Diagnoses, deserved: Diagnoses
) -> None:
    """A diagnosis is right when it names the layer that the truth names, one of its two, or none where the truth names none."""
    for row in np.flatnonzero(_judgeable(rows)):
        true = int(deserved.named[row])
        named = [int(one) for one in (given.named[row], given.other[row]) if one >= 0]
        right = any(SPAN_LAYERS[one, SPANS[true][0]] > 0 for one in named) if true >= 0 else not named
        score.diagnoses[str(modes[row]), kind, str(given.confidence[row]), right, true >= 0] += 1


# --- the table --------------------------------------------------------------------------------------------------------


def fallen_behind(score: Score) -> list[str]:
    """What is less than the rules have reached, in words; empty when all is well."""
    return goals_missed(score, strict=STRICT_REACHED)


def goals_missed(score: Score, strict: float = 1.0) -> list[str]:
    """What fell short, in words; empty when all is well. strict: the least part of bounds of devices and datastores that hold."""
    missed = []
    for kind, by_experience, kind_goal in bounds_goals():
        goal = min(kind_goal, strict) if by_experience is False else kind_goal
        holds, count = _bounds(score, kind, by_experience=by_experience)
        if (not count and not by_experience) or holds < goal * count:
            missed.append(f"bounds of {_called(kind, by_experience)}: {holds} of {count} hold, goal {goal:.3%}")
    for which, goal in DELTA_GOALS.items():
        holds, count = _deltas(score, which)
        if not count or holds < goal * count:
            missed.append(f"intervals of {which.name.lower()}: {holds} of {count} hold, goal {goal:.1%}")
    for confidence, goal in DIAGNOSIS_GOALS.items():
        for mode in ("unproven", "proven"):
            right, count = _diagnoses(score, JUDGED, confidence, mode)
            # A tenth of the labs has too few inconclusive rows for a goal of one in twenty: what counts is what is surely missed.
            if not count or Share(right, count).interval[1] < goal:
                missed.append(
                    f"{confidence.value} diagnoses, counters {mode}: {right} of {count} right, goal {goal:.1%}"
                )
    missed += [
        f"segments of {count} rows do not add up ({mode})"
        for (mode, good), count in score.sums.items()
        if not good and count
    ]
    missed += [f"{count} false proofs: {what}" for (what, good), count in score.proofs.items() if not good]
    return missed


def bounds_goals() -> Iterator[tuple[ScopeKind, bool | None, float]]:
    """Kind, whether of the modes whose bounds are by experience (None: of all), and the least part that holds."""
    for kind, goal in BOUNDS_GOALS.items():
        if kind in STRICT:
            yield kind, False, goal
            yield kind, True, EXPERIENCE_GOAL
        else:
            yield kind, None, goal


def _called(kind: ScopeKind, by_experience: bool | None) -> str:
    return f"{kind.name.lower()}{', latest an instant' if by_experience else ''}"


def _bounds(score: Score, kind: ScopeKind, *, by_experience: bool | None) -> tuple[int, int]:
    rows = [
        (key, count)
        for key, count in score.bounds.items()
        if key[1] is kind and by_experience in (None, BY_EXPERIENCE in key[0])
    ]
    return sum(count for key, count in rows if key[3]), sum(count for _, count in rows)


def _deltas(score: Score, which: Difference, mode: str = "") -> tuple[int, int]:
    rows = [(key, count) for key, count in score.deltas.items() if key[1] is which and key[0].endswith(mode)]
    return sum(count for key, count in rows if key[2]), sum(count for _, count in rows)


def _diagnoses(score: Score, kinds: Iterable[ScopeKind], confidence: str, mode: str) -> tuple[int, int]:
    kept = [
        (key, count)
        for key, count in score.diagnoses.items()
        if key[1] in kinds and key[2] == confidence and key[0].endswith(f" {mode}")
    ]
    return sum(count for key, count in kept if key[3]), sum(count for _, count in kept)


def table(score: Score) -> Iterator[str]:
    """All figures as lines of text."""
    modes = sorted({key[0] for key in score.bounds})
    yield "bounds that hold the true time of a measured layer, in complete minutes"
    for kind, by_experience, goal in bounds_goals():
        holds, count = _bounds(score, kind, by_experience=by_experience)
        yield f"  {_called(kind, by_experience):<32} {holds:>9} of {count:>9}  {_percent(holds, count)}  (goal {goal:.2%})"
    yield from _delta_lines(score)
    yield "diagnoses of host devices, datastores and VMs: right, of how many"
    for confidence, goal in DIAGNOSIS_GOALS.items():
        for mode in ("unproven", "proven"):
            right, count = _diagnoses(score, JUDGED, confidence, mode)
            yield f"  {confidence.value:<13}{mode:<9} {right:>7} of {count:>7}  {_percent(right, count)}  (goal {goal:.1%})"
    yield "by vCenter and counters: rows that deserve a diagnosis · confirmed, likely, inconclusive, no layer; inconclusive of all"
    for mode in modes:
        for kind in JUDGED if any(key[0] == mode for key in score.diagnoses) else ():
            yield _shares(score, mode, kind)
    yield "proofs: right, false"
    for what in sorted({what for what, _ in score.proofs}):
        yield f"  {what:<40} {score.proofs[what, True]:>5} {score.proofs[what, False]:>5}"
    # Those that have no exception first.
    strict = tuple(f" {kind.name} " for kind in STRICT)
    worst = sorted(score.worst, key=lambda line: not any(kind in line for kind in strict))
    yield from (f"  {line}" for line in worst[:20])


def _delta_lines(score: Score) -> Iterator[str]:
    yield "differences of a datastore whose interval holds the true one, in complete minutes"
    for which, goal in DELTA_GOALS.items():
        for mode in ("unproven", "proven"):
            holds, count = _deltas(score, which, f" {mode}")
            name = which.name.lower().replace("_", " − ")
            yield f"  {name:<17}{mode:<9} {holds:>7} of {count:>7}  {_percent(holds, count)}  (goal {goal:.1%})"


def _shares(score: Score, mode: str, kind: ScopeKind) -> str:
    counts: Counter[str] = Counter()
    inconclusive = rows = 0
    for (of_mode, of_kind, confidence, _, is_ill), count in score.diagnoses.items():
        if (of_mode, of_kind) == (mode, kind):
            rows += count
            inconclusive += count if confidence == Confidence.INCONCLUSIVE.value else 0
            if is_ill:
                counts[confidence] += count
    ill = sum(counts.values())
    # Last: what names no layer.
    order = (Confidence.CONFIRMED.value, Confidence.LIKELY.value, Confidence.INCONCLUSIVE.value, "")
    parts = " ".join(_percent(counts[one], ill) for one in order)
    return f"  {mode:<50}{kind.name.lower():<12}{ill:>7} · {parts} ; {_percent(inconclusive, rows)} of {rows}"


def _percent(part: int, whole: int) -> str:
    return f"{part / whole:8.3%}" if whole else "       –"
