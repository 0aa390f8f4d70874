"""What scopes are expected to take: their own history where it is long enough, else what their arrays are set to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import numpy as np

from gavel.analysis.baseline import DEFAULTS, Expectations, baseline_us
from gavel.analysis.intervals import Bools, Floats
from gavel.db.engine import Connection
from gavel.db.queries.expectations import HOURS, BackingArray, Histories, array_settings, backing_arrays, histories
from gavel.db.queries.refs import RefKind
from gavel.domain.io_path import Layer
from gavel.domain.ledger import Flags
from gavel.domain.scope import ScopeKind, scope_key

_HOUR = timedelta(hours=1)
_REF_KINDS: Mapping[ScopeKind, RefKind | None] = {
    ScopeKind.VM: RefKind.VM,
    ScopeKind.DATASTORE: RefKind.DATASTORE,
    ScopeKind.HOST: RefKind.HOST,
    ScopeKind.CLUSTER: RefKind.CLUSTER,
    ScopeKind.VOLUME: RefKind.VOLUME,
    ScopeKind.ARRAY: RefKind.ARRAY,
    ScopeKind.ENVIRONMENT: None,
}
# Settings of an array source, and what each of them is here.
_SETTINGS = {
    "baseline_san_us": "san_us",
    "baseline_array_us": "array_us",
    "san_cap_us": "san_cap_us",
    "array_cap_us": "array_cap_us",
    "san_payload_mb_per_s": "san_bytes_per_us",
}
_ROUND_TRIP = "pod_round_trip_us"


class BaselineFrom(StrEnum):
    """What an expectation rests on; BOTH: one of SAN and array on its history, the other on the setting."""

    HISTORY = "history"
    SETTING = "setting"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usual:
    """Of n scopes: history (n, 24) by hour of the day, settings of their arrays (n,), and the round trip that a write waits for (n,)."""

    san_us: Floats
    array_us: Floats
    settings: Expectations
    round_trip_us: Floats

    def at(self, scope: Flags, seconds: Floats, write_share: Floats, bytes_per_op: Floats) -> tuple[Floats, Bools]:
        """(m, 4) expected µs by layer and (m,) whether history is chronic, for m rows.

        scope: (m,) position; seconds: (m, 24) of each hour of the day in the row; write_share: (m,) of its I/Os; bytes_per_op: (m,) their
        size.
        """
        san, array = (_mean(history[scope], seconds) for history in (self.san_us, self.array_us))
        own = Expectations(
            **{field.name: _at(getattr(self.settings, field.name), scope) for field in fields(Expectations)}
        )
        expected, chronic = baseline_us(san, array, self.round_trip_us[scope] * write_share, own, bytes_per_op)
        is_chronic: Bools = np.logical_or.reduce(chronic, axis=1)
        return expected, is_chronic

    def learned(self, scope: Flags, seconds: Floats) -> Bools:
        """(m, 4) by layer, for rows as of `at`: whether there is a history of any hour that the row is in."""
        result = np.zeros((len(scope), len(Layer)), dtype=np.bool_)
        for layer, history in ((Layer.SAN, self.san_us), (Layer.ARRAY, self.array_us)):
            result[:, layer] = (~np.isnan(history[scope]) & (seconds > 0)).any(axis=1)
        return result


@dataclass(frozen=True, slots=True)
class UsualOf:
    """What is usual of things of one kind, for whoever asks about some of them more than once. ids: (n,) ascending."""

    ids: Flags
    usual: Usual

    def position(self, wanted: Flags) -> Flags:
        """(m,) of things that are among them."""
        found: Flags = np.searchsorted(self.ids, wanted)
        return found


def usual(connection: Connection, kind: ScopeKind, ids: Sequence[int]) -> Usual:
    """In the order of `ids`."""
    history = histories(connection, [scope_key(kind, thing) for thing in ids])
    return usual_of(connection, kind, ids, history, array_settings(connection))


def usual_of(
    connection: Connection,
    kind: ScopeKind,
    ids: Sequence[int],
    history: Histories,
    array_settings: Mapping[int, Mapping[str, Any]],
) -> Usual:
    """The same from what was read before; on which arrays the things are is read only where the arrays are set differently."""
    settings, round_trip = _settings(connection, kind, ids, array_settings)
    return Usual(san_us=history.san_us, array_us=history.array_us, settings=settings, round_trip_us=round_trip)


def hours_of(from_at: datetime, to_at: datetime) -> Floats:
    """(24,) seconds of each hour of the day in [from_at, to_at)."""
    seconds = np.zeros(HOURS)
    at = from_at
    while at < to_at:
        end = min(to_at, at.replace(minute=0, second=0, microsecond=0) + _HOUR)
        seconds[at.hour] += (end - at).total_seconds()
        at = end
    return seconds


def hours_at(starts_us: Flags) -> Floats:
    """(m, 24) for rows within one hour each, by their starts in µs since 1970."""
    hour = starts_us // 3_600_000_000 % HOURS
    hours: Floats = np.eye(HOURS)[hour]
    return hours


def _mean(history: Floats, seconds: Floats) -> Floats:
    """(m,) over the hours that have a history; NaN where none has."""
    known = ~np.isnan(history) & (seconds > 0)
    weight = np.where(known, seconds, 0.0).sum(axis=1)
    total = np.where(known, history * seconds, 0.0).sum(axis=1)
    mean: Floats = np.divide(total, weight, out=np.full(len(total), np.nan), where=weight > 0)
    return mean


def _at(setting: float | Floats, scope: Flags) -> float | Floats:
    return setting[scope] if isinstance(setting, np.ndarray) else setting


def _settings(
    connection: Connection, kind: ScopeKind, ids: Sequence[int], array_settings: Mapping[int, Mapping[str, Any]]
) -> tuple[Expectations, Floats]:
    """A thing on several arrays is expected what its volumes are on average."""
    by_source = {source: _numbers(settings) for source, settings in array_settings.items()}
    alike = set(by_source.values())
    if not alike or (len(alike) == 1 and next(iter(alike))[-1] == 0):
        numbers = next(iter(alike), _numbers({}))
        return _expectations(numbers), np.zeros(len(ids))
    means = _means(backing_arrays(connection, _REF_KINDS[kind], ids), by_source, ids)
    return _expectations(list(means)), means[-1]


def _expectations(numbers: Sequence[float | Floats]) -> Expectations:
    """Of its fields in order, and what comes after them."""
    return Expectations(**{field.name: number for field, number in zip(fields(Expectations), numbers, strict=False)})


def _numbers(settings: Mapping[str, Any]) -> tuple[float, ...]:
    """Fields of `Expectations` in order, then the round trip."""
    own = (settings.get(name, getattr(DEFAULTS, field)) for name, field in _SETTINGS.items())
    return (*own, settings.get(_ROUND_TRIP, 0.0))


def _means(backing: Sequence[BackingArray], by_source: Mapping[int, tuple[float, ...]], ids: Sequence[int]) -> Floats:
    """(settings, n) weighted by volumes; what is on no known array is expected the defaults."""
    position = {thing: n for n, thing in enumerate(ids)}
    defaults = _numbers({})
    sums, counts = np.zeros((len(defaults), len(ids))), np.zeros(len(ids))
    for one in backing:
        numbers = by_source.get(one.source_id, defaults)
        at = position[one.thing_id]
        sums[:, at] += one.count * np.array([*numbers[:-1], numbers[-1] if one.is_stretched else 0.0])
        counts[at] += one.count
    fallback = np.tile(np.array(defaults)[:, None], len(ids))
    means: Floats = np.divide(sums, counts, out=fallback, where=counts > 0)
    return means
