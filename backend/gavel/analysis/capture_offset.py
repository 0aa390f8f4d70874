"""How far the clock of a capture runs ahead of that of stored samples, by the I/Os that both count of the same devices."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from gavel.analysis.align import Instants
from gavel.analysis.intervals import Floats

LEAST_CORRELATION = 0.7
LEAST_SAMPLES = 10
# A load that does not vary has no correlation; there both sides count as many I/Os.
LEAST_EQUAL = 0.8
_EQUAL_WITHIN, _LEAST_IOS = 0.1, 30.0
# Clocks of hosts that nobody keeps; whole and half hours beside: a zone that was taken for another.
_MOST_DRIFT_S, _ZONE_DRIFT_S = 900, 60
_ZONES_S = tuple(half * 1800 for half in range(-28, 29))
_COARSE_S = 10
# Load that comes back alike (a backup each quarter of an hour) fits at several offsets: the smallest of those that fit as well is taken.
_AS_GOOD = 0.01
_LEAST_ERROR_S = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCounts:
    """Samples of one device as they are stored: end and length in µs, I/Os of each (n,)."""

    end_us: Instants
    length_us: Instants
    ops: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedCounts:
    """The same device in a capture: end and length of each row in µs, I/Os of each (r,), NaN where the row has no rates."""

    end_us: Instants
    length_us: Instants
    ops: Floats


@dataclass(frozen=True, slots=True)
class OffsetProposal:
    """offset_s: how far the capture's stamps are ahead of the stored ones, true within error_s. samples: stored ones that were compared.

    equal_share: of them those in which both sides count as many I/Os.
    """

    offset_s: float
    error_s: float
    correlation: float
    samples: int
    equal_share: float = 0.0

    @property
    def is_usable(self) -> bool:
        return self.correlation >= LEAST_CORRELATION and self.samples >= LEAST_SAMPLES

    @property
    def is_same_load(self) -> bool:
        """Whether both sides are of one load, be it one that does not vary."""
        return self.is_usable or self.equal_share >= LEAST_EQUAL


def propose_offset(pairs: Sequence[tuple[StoredCounts, CapturedCounts]]) -> OffsetProposal | None:
    """From the devices that both sides have. None where no offset makes ten samples overlap, or nothing varies."""
    compared = [_Pair(stored, captured) for stored, captured in pairs if len(stored.end_us) and len(captured.end_us)]
    if not compared:
        return None
    near = range(-_MOST_DRIFT_S, _MOST_DRIFT_S + 1, _COARSE_S)
    zones = [zone + step for zone in _ZONES_S for step in range(-_ZONE_DRIFT_S, _ZONE_DRIFT_S + 1, _COARSE_S)]
    best = None
    for lags in (near, zones):
        scored = {lag: _score(compared, lag) for lag in lags}
        best = _nearest_best(scored)
        if best is not None and scored[best][0] >= LEAST_CORRELATION:
            break
    if best is None:
        return None
    fine = {lag: _score(compared, lag) for lag in range(best - _COARSE_S, best + _COARSE_S + 1)}
    lag = _nearest_best(fine)
    if lag is None:
        return None
    return OffsetProposal(float(lag), _error_s(fine, lag), *fine[lag])


def measure_agreement(pairs: Sequence[tuple[StoredCounts, CapturedCounts]], offset_s: float) -> OffsetProposal:
    """How well both sides agree at a given offset."""
    compared = [_Pair(stored, captured) for stored, captured in pairs if len(stored.end_us) and len(captured.end_us)]
    correlation, samples = _score(compared, offset_s)
    return OffsetProposal(offset_s, _LEAST_ERROR_S, correlation, samples, _equal_share(compared, offset_s))


def _equal_share(pairs: Sequence["_Pair"], lag_s: float) -> float:
    """Of the samples with I/Os those of which both sides count as many, but for a tenth."""
    equal = every = 0
    for pair in pairs:
        stored, captured = pair.at(lag_s)
        busy = np.maximum(stored, captured) >= _LEAST_IOS
        every += int(busy.sum())
        equal += int((np.abs(stored - captured) <= _EQUAL_WITHIN * np.maximum(stored, captured))[busy].sum())
    return equal / every if every else 0.0


class _Pair:
    """One device. The capture's I/Os as a sum over time, so that those of any stretch are a difference."""

    def __init__(self, stored: StoredCounts, captured: CapturedCounts) -> None:
        self.ops = stored.ops
        self.end_s, self.start_s = stored.end_us / 1e6, (stored.end_us - stored.length_us) / 1e6
        end_s, length_s = captured.end_us / 1e6, captured.length_us / 1e6
        rated = ~np.isnan(captured.ops)
        order = np.argsort(end_s[rated], kind="stable")
        self._ends, lengths = end_s[rated][order], length_s[rated][order]
        self._starts = self._ends - lengths
        self._sum = np.concatenate([[0.0], np.cumsum(captured.ops[rated][order])])
        self._covered = np.concatenate([[0.0], np.cumsum(lengths)])

    def at(self, lag_s: float) -> tuple[Floats, Floats]:
        """I/Os of stored samples and of the capture, of the samples that the capture covers when it is `lag_s` ahead."""
        covered = self._until(self._covered, self.end_s + lag_s) - self._until(self._covered, self.start_s + lag_s)
        usable = (covered >= 0.95 * (self.end_s - self.start_s)) & ~np.isnan(self.ops)
        mine = self._until(self._sum, self.end_s + lag_s) - self._until(self._sum, self.start_s + lag_s)
        return self.ops[usable], mine[usable]

    def _until(self, sums: Floats, at_s: Floats) -> Floats:
        """Of `sums` as they were at each instant, straight within a row."""
        if not len(self._ends):
            return np.zeros(len(at_s))
        row = np.clip(np.searchsorted(self._ends, at_s, side="left"), 0, len(self._ends) - 1)
        length = np.maximum(self._ends[row] - self._starts[row], 1e-9)
        part = np.clip((at_s - self._starts[row]) / length, 0.0, 1.0)
        found: Floats = sums[row] + part * (sums[row + 1] - sums[row])
        return found


def _score(pairs: Sequence[_Pair], lag_s: float) -> tuple[float, int]:
    """Correlation over all devices, each about its own mean, so that a busy one and an idle one alone do not make it."""
    left, right, samples = [], [], 0
    for pair in pairs:
        stored, captured = pair.at(lag_s)
        samples = max(samples, len(stored))
        if len(stored) >= LEAST_SAMPLES:
            left.append(stored - stored.mean())
            right.append(captured - captured.mean())
    if not left:
        return 0.0, samples
    first, second = np.concatenate(left), np.concatenate(right)
    size = float(np.sqrt((first**2).sum() * (second**2).sum()))
    return (float((first * second).sum()) / size if size > 0 else 0.0), samples


def _nearest_best(scored: dict[int, tuple[float, int]]) -> int | None:
    usable = {lag: score for lag, (score, samples) in scored.items() if samples >= LEAST_SAMPLES and score > 0}
    if not usable:
        return None
    highest = max(usable.values())
    near = [lag for lag, score in usable.items() if score >= highest - _AS_GOOD]
    # The middle of the offsets around 0 that fit as well as the best.
    closest = min(near, key=abs)
    run = sorted(lag for lag in near if abs(lag - closest) <= _COARSE_S)
    return max(run, key=lambda lag: usable[lag])


def _error_s(fine: dict[int, tuple[float, int]], lag: int) -> float:
    """Half of the stretch of offsets that fit hardly worse."""
    best = fine[lag][0] if lag in fine else 0.0
    good = [each for each, (score, _) in fine.items() if score >= best - max(_AS_GOOD, (1 - best) / 2)]
    return max(_LEAST_ERROR_S, (max(good) - min(good)) / 2) if good else float(_COARSE_S)
