"""What was said of an environment beside what really happened, row by row: minutes, and windows of several of them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime, timedelta

import numpy as np
from tests.truth.per_io.environment import FIRST_MINUTE, Device, Environment
from tests.truth.per_io.events import Log, simulated
from tests.truth.per_io.guests import Agent, pushed
from tests.truth.per_io.product import told
from tests.truth.per_io.truth import GUEST, KINDS, Reality, Truth, position, vcenters_of
from tests.truth.per_io.wire import read

from gavel.analysis.baseline import Expectations
from gavel.analysis.diagnosis import Case
from gavel.analysis.ledger import LEAST_OPS, rolled_up, timed_ops
from gavel.analysis.minutes import Attribution, Rows
from gavel.analysis.segments import SPAN_LAYERS
from gavel.analysis.severity import elevated_from_us
from gavel.db.queries.expectations import HOURS
from gavel.db.queries.ledger import LedgerSeries
from gavel.diagnosis.baselines import Usual, hours_at
from gavel.diagnosis.diagnose import DiagnosedRows, diagnose_rows
from gavel.domain.io_path import SPANS, Direction, Layer
from gavel.domain.ledger import LedgerRows, Notes
from gavel.domain.scope import ScopeKind

# The confidence of what names no layer.
NO_LAYER = "no layer"
# The answers of layers whose excesses differ by less are both right.
ALIKE = 0.85
_LAYERS = (Layer.KERNEL, Layer.SAN, Layer.ARRAY, Layer.GUEST)
SINGLE = tuple(SPANS.index((layer, layer)) for layer in _LAYERS)
# (10, 4) which of the four a span covers.
COVERS = SPAN_LAYERS[:, list(_LAYERS)] > 0
WORST = ("disagreement_us", "offset_error_s", "queue_depth")
FLAGS = ("reasons", "quality_reasons")


@dataclass(frozen=True)
class Window:
    """`minutes` minutes from `first` on, counted from the environment's first."""

    first: int
    minutes: int


@dataclass(frozen=True)
class Said:
    """n rows of one kind and length. thing: the environment's number; mode: of the vCenters that measured it; true, expected: (n, 4) µs per
    I/O by layer, of the guest where it was measured and 0 elsewhere; value, lower, upper: (n, 10) by span; named, other: spans or −1."""

    seed: np.ndarray
    kind: np.ndarray
    thing: np.ndarray
    minute: np.ndarray
    length: np.ndarray
    mode: np.ndarray
    ops: np.ndarray
    true_ops: np.ndarray
    true: np.ndarray
    expected: np.ndarray
    value: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    measured: np.ndarray
    confidence: np.ndarray
    named: np.ndarray
    other: np.ndarray
    reasons: np.ndarray
    quality_reasons: np.ndarray

    def __len__(self) -> int:
        return len(self.seed)

    def chosen(self, index: np.ndarray) -> "Said":
        return Said(*(getattr(self, one.name)[index] for one in fields(self)))

    @property
    def excess(self) -> np.ndarray:
        """(n, 4) true, by layer."""
        excess: np.ndarray = np.maximum(self.true - self.expected, 0.0)
        return excess

    @property
    def threshold(self) -> np.ndarray:
        return elevated_from_us(self.expected.sum(axis=1))

    @property
    def sick(self) -> np.ndarray:
        sick: np.ndarray = self.excess.sum(axis=1) >= self.threshold
        return sick

    @property
    def names(self) -> np.ndarray:
        """(n,) whether a layer is named whose true excess is (nearly) the largest."""
        excess = self.excess
        best = excess >= ALIKE * excess.max(axis=1, keepdims=True)
        named, other = (COVERS[span] & (span >= 0)[:, None] for span in (self.named, self.other))
        right: np.ndarray = ((named | other) & best).any(axis=1)
        return right

    @property
    def wrong(self) -> np.ndarray:
        """(n,) another layer, a layer where all is well, or none where it is not."""
        return np.where(self.confidence == NO_LAYER, self.sick, ~self.sick | ~self.names)


def joined(parts: Sequence[Said]) -> Said:
    return Said(**{one.name: np.concatenate([getattr(part, one.name) for part in parts]) for one in fields(Said)})


def said(environment: Environment, windows: Sequence[int] = (1,)) -> Said:
    """Simulated, served, read, attributed and judged. windows: lengths in minutes, laid side by side; 0 is the whole."""
    log = simulated(environment)
    return said_of(environment, log, told(environment, read(environment, log)), windows)


def said_with_guests(environment: Environment, agents: Sequence[Agent], windows: Sequence[int] = (1,)) -> Said:
    """The same with what some guests push. Rows that a part of the guests measured have no truth of their own, and are left out."""
    log = simulated(environment)
    found = told(environment, read(environment, log), guests=pushed(environment, log, agents))
    return said_of(environment, log, found, windows)


def said_of(environment: Environment, log: Log, found: Attribution, windows: Sequence[int]) -> Said:
    parts, reality = [], Reality(environment, log)
    for kind in KINDS:
        real = reality.of(kind)
        for length in windows:
            whole = length or environment.minutes
            every = [Window(first, whole) for first in range(0, environment.minutes - whole + 1, whole)]
            parts.append(_said_of_kind(environment, kind, real, found.rows[kind], every))
    return joined(parts)


def _said_of_kind(
    environment: Environment, kind: ScopeKind, real: Truth, rows: Rows, windows: Sequence[Window]
) -> Said:
    things = int(rows.thing.max(initial=-1)) + 1
    thing, first, series = summed_up(rows, things, windows)
    where = position(environment, kind, thing)
    modes = {number: _mode(environment, kind, number) for number in np.unique(where).tolist()}
    length = windows[0].minutes
    spans = first[:, None] + np.arange(length)
    true_ops = real.ops[where[:, None], spans].sum(axis=1)
    time = real.time_us[where[:, None], spans].sum(axis=1)
    in_guest, in_part = _measured_in_guests(series.rows)
    time[:, GUEST] = np.where(in_guest, time[:, GUEST], 0.0)
    diagnosis = ruled(environment, kind, where, series)
    case, diagnoses, count = diagnosis.case, diagnosis.diagnoses, len(thing)
    found = Said(
        seed=np.full(count, environment.seed),
        kind=np.full(count, int(kind)),
        thing=where,
        minute=first,
        length=np.full(count, length),
        mode=np.array([modes[number] for number in where.tolist()], dtype="U64"),
        ops=series.rows.ops[:, Direction.ALL],
        true_ops=true_ops,
        true=np.divide(time, true_ops[:, None], out=np.zeros_like(time), where=true_ops[:, None] > 0),
        expected=_expected(case),
        value=case.value,
        lower=case.lower,
        upper=case.upper,
        measured=_measured_whole(series.rows),
        confidence=np.where(diagnoses.confidence == "", NO_LAYER, diagnoses.confidence).astype("U16"),
        named=diagnoses.named,
        other=diagnoses.other,
        reasons=diagnoses.reasons,
        quality_reasons=series.notes.quality_reasons,
    )
    told_of = (found.ops >= LEAST_OPS) & (true_ops > 0) & (diagnoses.severity != "") & ~in_part
    return found.chosen(np.flatnonzero(told_of))


def ruled(environment: Environment, kind: ScopeKind, things: np.ndarray, series: LedgerSeries) -> DiagnosedRows:
    """As the product's pages judge sums of minutes, with expectations as they are set without a history."""
    count = len(things)
    unknown = np.full((count, HOURS), np.nan)
    usual = Usual(
        san_us=unknown, array_us=unknown, settings=Expectations(), round_trip_us=_round_trips(environment, kind, things)
    )
    return diagnose_rows(series, kind, np.arange(count), usual, hours_at(series.starts_us))


def _expected(case: Case) -> np.ndarray:
    """(n, 4) as the product expects it of each layer that it measured by itself, else what is set."""
    single = list(SINGLE)
    usual = Expectations()
    return np.where(
        np.isnan(case.value[:, single]),
        [0.0, float(usual.san_us), float(usual.array_us), 0.0],
        case.expected[:, single],
    )


def _measured_whole(rows: LedgerRows) -> np.ndarray:
    """(n, 10) spans in which all I/Os were timed."""
    ops = timed_ops(rows)[:, Direction.ALL, None]
    return np.abs(rows.span_ops[:, Direction.ALL] - ops) <= 1e-6 * ops


def _measured_in_guests(rows: LedgerRows) -> tuple[np.ndarray, np.ndarray]:
    """(n,) whether all I/Os were timed in their guests; whether only some of them were."""
    ops, timed = rows.ops[:, Direction.ALL], rows.span_ops[:, Direction.ALL, SINGLE[GUEST]]
    every = (ops > 0) & (timed >= (1 - 1e-6) * ops)
    return every, (timed > 0) & ~every


def _round_trips(environment: Environment, kind: ScopeKind, things: np.ndarray) -> np.ndarray:
    """What may be added to writes: the round trip between arrays, only of what lies on stretched volumes altogether."""
    volumes: dict[int, set[int]] = {}
    if kind in (ScopeKind.VM, ScopeKind.VM_DISK):
        for number, disk in enumerate(environment.disks):
            mine = {environment.devices[device].volume for device in disk.devices}
            volumes.setdefault(disk.vm if kind is ScopeKind.VM else number, set()).update(mine)
    else:
        keys: dict[ScopeKind, Callable[[int, Device], int]] = {
            ScopeKind.HOST_DEVICE: lambda place, _: place,
            ScopeKind.HOST: lambda _, device: device.host,
            ScopeKind.DATASTORE: lambda _, device: environment.store_of_volume.get(device.volume, -1),
            ScopeKind.VOLUME: lambda _, device: device.volume,
            ScopeKind.ARRAY: lambda _, device: environment.volumes[device.volume].array,
        }
        for place, device in enumerate(environment.devices):
            volumes.setdefault(keys[kind](place, device), set()).add(device.volume)
    trips = [
        min((environment.volumes[volume].round_trip_us for volume in volumes.get(thing, ())), default=0.0)
        for thing in things.tolist()
    ]
    return np.array(trips, dtype=np.float64)


def _mode(environment: Environment, kind: ScopeKind, number: int) -> str:
    modes = {environment.vcenters[one].mode for one in vcenters_of(environment, kind, number)}
    versions = {mode.split()[0] for mode in modes}
    return modes.pop() if len(modes) == 1 else f"{versions.pop() if len(versions) == 1 else '8+9'} of two vCenters"


# --- sums over minutes, as the store adds them up ---------------------------------------------------------------------


def summed_up(rows: Rows, things: int, windows: Sequence[Window]) -> tuple[np.ndarray, np.ndarray, LedgerSeries]:
    """Thing (n,), first minute (n,), and the sums of every thing in every window in which it has a row."""
    window_of = np.full(max(one.first + one.minutes for one in windows), -1)
    for number, one in enumerate(windows):
        window_of[one.first : one.first + one.minutes] = number
    minute = rows.minute - FIRST_MINUTE
    at = np.where(minute < len(window_of), window_of[np.minimum(minute, len(window_of) - 1)], -1)
    scope, there = rows.thing * len(windows) + at, at >= 0
    present = np.unique(scope[there])
    group = np.searchsorted(present, scope[there])
    size = len(present)
    kept = LedgerRows(**{one.name: getattr(rows.rows, one.name)[there] for one in fields(LedgerRows)})
    known = replace(kept, ops=np.nan_to_num(kept.ops), bytes=np.nan_to_num(kept.bytes))
    notes = Notes(
        **{one.name: _over_time(one.name, getattr(rows.notes, one.name)[there], group, size) for one in fields(Notes)}
    )
    first, thing = np.array([one.first for one in windows])[present % len(windows)], present // len(windows)
    held = ~np.isnan(rows.notes.outstanding_s[there])
    start = datetime.fromtimestamp(60 * FIRST_MINUTE, UTC)
    return (
        thing,
        first,
        LedgerSeries(
            keys=thing,
            starts_us=(FIRST_MINUTE + first) * 60_000_000,
            rows=rolled_up(known, group, size),
            notes=notes,
            minutes=np.bincount(group, minlength=size),
            ops_minutes=np.bincount(group[~np.isnan(kept.ops[:, 0])], minlength=size),
            outstanding_minutes=np.bincount(group[held], minlength=size),
            from_at=start,
            to_at=start + timedelta(minutes=len(window_of)),
            step=timedelta(minutes=windows[0].minutes),
            resolution="1m",
        ),
    )


def _over_time(name: str, numbers: np.ndarray, group: np.ndarray, size: int) -> np.ndarray:
    """Flags by OR, the worst, or the sum: NaN where no minute knows it."""
    if name in FLAGS:
        flags = np.zeros(size, np.int64)
        np.bitwise_or.at(flags, group, numbers)
        return flags
    total, known = np.full(size, -np.inf) if name in WORST else np.zeros(size), np.zeros(size, np.bool_)
    there = ~np.isnan(numbers)
    (np.maximum if name in WORST else np.add).at(total, group[there], numbers[there])
    known[group[there]] = True
    return np.where(known, total, np.nan)
