"""The whole estate at a glance: by layer, and its things ranked by what they lose."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import numpy as np

from gavel.analysis.intervals import Bools, Floats
from gavel.analysis.segments import SPAN_LAYERS
from gavel.analysis.topology import Index
from gavel.analysis.verdict import Reason
from gavel.db.engine import Connection
from gavel.db.queries.ledger import Detail, ledger
from gavel.db.queries.rows import Ref, RefKind
from gavel.db.queries.scopes import SCOPES, arrays_behind, ledger_until, present_things
from gavel.domain.io_path import Certainty, Direction, Layer
from gavel.domain.scope import ESTATE_ID, ScopeKind, scope_key
from gavel.pipeline.enduring import SHORT, ended
from gavel.pipeline.expecting import ExpectedFrom, hours_of, usual
from gavel.pipeline.judging import (
    Judged,
    LayerNumbers,
    OccupancyNumbers,
    State,
    expected_from,
    expected_us,
    judged,
    known,
    layer_numbers,
    occupancies,
    span_key,
    span_label,
    told_named,
)
from gavel.pipeline.over import furthest_over
from gavel.pipeline.sentences import NOTHING, Facts, head
from gavel.pipeline.undecided import impact_of_parts, occupancy_of_parts

Order = Literal["impact", "excess", "latency", "iops", "name"]
Way = Literal["asc", "desc"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which things, in which order. layer: those whose verdict names it; certainty: those that are as sure."""

    kind: RefKind
    search: str = ""
    layer: Layer | None = None
    certainty: Certainty | None = None
    order: Order = "impact"
    descending: bool = True
    limit: int = 100
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One thing, or the estate, with its verdict; reads and writes together.

    until_at: over a short window, when the newest minutes stopped to say it, as in `Run`; None where they say it still.
    """

    state: State
    certainty: Certainty
    layer: str | None
    layer_label: str | None
    other: str | None
    other_label: str | None
    share: float | None
    sentence: str
    until_at: datetime | None
    impact: float | None
    total_us: float | None
    expected_us: float | None
    expected_from: ExpectedFrom | None
    excess_us: float | None
    iops: float | None
    bytes_per_s: float | None
    grade: str | None
    layers: tuple[LayerNumbers, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked(Standing):
    """arrays: those that it is on, by name; empty: on none that is known."""

    subject: Ref
    arrays: tuple[Ref, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class EstateStanding(Standing):
    """impact: of its datastores added up. occupancy: those of undetermined datastores apart, as "kernel or SAN"."""

    occupancy: tuple[OccupancyNumbers, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Over all that match, not only a page. ended: those that have an `until_at`."""

    iops: float
    impact: float
    by_certainty: Mapping[str, int]
    by_state: Mapping[str, int]
    ended: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    from_at: datetime
    to_at: datetime
    ledger_until_at: datetime | None
    estate: EstateStanding
    totals: Totals
    items: tuple[Ranked, ...]
    total: int


@dataclass(frozen=True, slots=True)
class _Listed:
    """n things (id, name) in order of name; `row`: (n,) which row of `judged` is theirs, −1 for those that the ledger does not have."""

    kind: RefKind
    things: Sequence[tuple[int, str]]
    judged: Judged
    row: Index
    states: Sequence[State]
    certainties: Sequence[Certainty]

    @classmethod
    def of(cls, kind: RefKind, things: Sequence[tuple[int, str]], ruled: "_Ruled") -> "_Listed":
        row, found = _rows_of(things, ruled.ids), ruled.judged
        rows = row.tolist()
        states = [found.states[n] if n >= 0 else State.NO_DATA for n in rows]
        certainties = [found.certainties[n] if n >= 0 else Certainty.UNKNOWN for n in rows]
        return cls(kind, things, found, row, states, certainties)

    def number(self, numbers: Floats) -> Floats:
        """(n,) of each thing; NaN where it has none."""
        return np.where(self.row >= 0, numbers[self.row], np.nan) if len(numbers) else np.full(len(self.row), np.nan)


def overview(connection: Connection, wanted: Wanted, from_at: datetime, to_at: datetime) -> Overview:
    """Raises ValueError for an empty range."""
    estate = _judge(connection, ScopeKind.ESTATE, [ESTATE_ID], from_at, to_at)
    things = present_things(connection, wanted.kind, wanted.search)
    ruled = _judge(connection, SCOPES[wanted.kind], [thing_id for thing_id, _ in things], from_at, to_at)
    is_whole = wanted.kind is RefKind.DATASTORE and not wanted.search
    parts = ruled if is_whole else _datastores(connection, from_at, to_at)
    listed = _Listed.of(wanted.kind, things, ruled)
    matching = _matching(listed, wanted)
    ranked = _ordered(listed, matching, wanted)
    page = ranked[wanted.offset : wanted.offset + wanted.limit]
    arrays = arrays_behind(connection, wanted.kind, [things[n][0] for n in page])
    until = _ended(connection, listed, matching, ruled.from_at, ruled.to_at)
    return Overview(
        from_at=ruled.from_at,
        to_at=ruled.to_at,
        ledger_until_at=ledger_until(connection),
        estate=_estate(estate, parts.judged),
        totals=_totals(listed, matching, len(until)),
        items=tuple(_ranked(listed, n, arrays, until) for n in page),
        total=len(matching),
    )


@dataclass(frozen=True, slots=True)
class _Ruled:
    """(m,) things that the ledger has in the window, in order of id."""

    ids: Index
    judged: Judged
    from_at: datetime
    to_at: datetime


def _judge(connection: Connection, scope: ScopeKind, ids: Sequence[int], from_at: datetime, to_at: datetime) -> _Ruled:
    wanted = np.sort(np.array(ids, dtype=np.int64))
    keys = scope_key(scope, 0) + wanted
    found = ledger(connection, keys.tolist(), from_at, to_at, None, Detail.LAYERS)
    position = np.searchsorted(keys, found.keys)
    hours = np.tile(hours_of(found.from_at, found.to_at), (len(found), 1))
    ruled = judged(found, scope, position, usual(connection, scope, wanted.tolist()), hours)
    return _Ruled(wanted[position], ruled, found.from_at, found.to_at)


def _datastores(connection: Connection, from_at: datetime, to_at: datetime) -> _Ruled:
    things = present_things(connection, RefKind.DATASTORE, "")
    return _judge(connection, ScopeKind.DATASTORE, [thing_id for thing_id, _ in things], from_at, to_at)


def _rows_of(things: Sequence[tuple[int, str]], ids: Index) -> Index:
    wanted = np.array([thing_id for thing_id, _ in things], dtype=np.int64)
    if len(ids) == 0:
        return np.full(len(wanted), -1)
    at = np.minimum(np.searchsorted(ids, wanted), len(ids) - 1)
    return np.where(ids[at] == wanted, at, -1)


def _matching(listed: _Listed, wanted: Wanted) -> list[int]:
    return [
        n
        for n, certainty in enumerate(listed.certainties)
        if (wanted.certainty is None or certainty is wanted.certainty)
        and (wanted.layer is None or _names(listed, n, wanted.layer))
    ]


def _names(listed: _Listed, n: int, layer: Layer) -> bool:
    row = int(listed.row[n])
    if row < 0:
        return False
    spans = (listed.judged.named(row), listed.judged.other(row))
    return any(span is not None and SPAN_LAYERS[span, layer] > 0 for span in spans)


def _ordered(listed: _Listed, matching: Sequence[int], wanted: Wanted) -> list[int]:
    """What has no number comes last either way, and equals stay in order of name.

    By impact, what is healthy stands behind what is not: a little excess of very many I/Os is no reason to look at it first.
    """
    if wanted.order == "name":
        return list(reversed(matching)) if wanted.descending else list(matching)
    numbers = _sorted_by(listed, wanted.order)[matching]
    unknown = np.isnan(numbers)
    signed = np.where(unknown, 0.0, -numbers if wanted.descending else numbers)
    order = np.lexsort((signed, _healthy(listed, matching, wanted), unknown))
    return [matching[n] for n in order.tolist()]


def _healthy(listed: _Listed, matching: Sequence[int], wanted: Wanted) -> Bools:
    if wanted.order != "impact":
        return np.zeros(len(matching), dtype=np.bool_)
    healthy = np.array([listed.certainties[n] is Certainty.HEALTHY for n in matching], dtype=np.bool_)
    return healthy if wanted.descending else ~healthy


def _sorted_by(listed: _Listed, order: Order) -> Floats:
    found = listed.judged
    match order:
        case "excess":
            numbers = np.where([state is State.JUDGED for state in found.states], found.verdicts.total_excess, np.nan)
        case "latency":
            numbers = found.total_us
        case "iops":
            numbers = _iops(found)
        case _:
            numbers = found.impact
    return listed.number(numbers)


def _iops(found: Judged) -> Floats:
    rate: Floats = found.ops / found.wall_s
    return rate


def _totals(listed: _Listed, matching: Sequence[int], ended_things: int) -> Totals:
    of = np.array(matching, dtype=np.int64)
    judged_here = [n for n in matching if listed.states[n] is State.JUDGED]
    return Totals(
        iops=float(np.nansum(listed.number(_iops(listed.judged))[of])),
        impact=float(np.nansum(listed.number(listed.judged.impact)[of])),
        by_certainty=Counter(str(listed.certainties[n]) for n in judged_here),
        by_state=Counter(str(listed.states[n]) for n in matching),
        ended=ended_things,
    )


def _ended(
    connection: Connection, listed: _Listed, matching: Sequence[int], from_at: datetime, to_at: datetime
) -> Mapping[int, datetime]:
    """By id, of those whose verdict names a layer that the newest minutes do not name any more."""
    rows = {listed.things[n][0]: int(listed.row[n]) for n in matching}
    named = {thing_id: row for thing_id, row in rows.items() if row >= 0 and listed.judged.named(row) is not None}
    if not named or to_at - from_at > SHORT:
        return {}
    return ended(connection, SCOPES[listed.kind], named, listed.judged, from_at, to_at)


def _ranked(listed: _Listed, n: int, arrays: Mapping[int, tuple[Ref, ...]], until: Mapping[int, datetime]) -> Ranked:
    row = int(listed.row[n])
    subject = Ref(listed.kind, *listed.things[n])
    standing = _standing(listed.judged, row, until.get(subject.id)) if row >= 0 else _NOTHING
    return Ranked(subject=subject, arrays=arrays.get(subject.id, ()), **_fields(standing))


def _estate(ruled: _Ruled, datastores: Judged) -> EstateStanding:
    found = ruled.judged
    if len(found) == 0:
        return EstateStanding(occupancy=(), **_fields(_NOTHING))
    standing = _fields(_standing(found, 0)) | {"impact": impact_of_parts(float(found.impact[0]), datastores)}
    layers = occupancy_of_parts(occupancies(found, 0), datastores, float(found.wall_s[0]))
    return EstateStanding(occupancy=tuple(layers), **standing)


def _fields(standing: Standing) -> dict[str, Any]:
    return {name: getattr(standing, name) for name in Standing.__dataclass_fields__}


_NOTHING = Standing(
    state=State.NO_DATA,
    certainty=Certainty.UNKNOWN,
    layer=None,
    layer_label=None,
    other=None,
    other_label=None,
    share=None,
    sentence=head(NOTHING),
    until_at=None,
    impact=None,
    total_us=None,
    expected_us=None,
    expected_from=None,
    excess_us=None,
    iops=None,
    bytes_per_s=None,
    grade=None,
    layers=(),
)


def _standing(found: Judged, row: int, until_at: datetime | None = None) -> Standing:
    named, other, total = found.named(row), found.other(row), float(found.total_us[row])
    state = found.states[row]
    return Standing(
        state=state,
        certainty=found.certainties[row],
        layer=None if named is None else span_key(named),
        layer_label=None if named is None else span_label(named),
        other=None if other is None else span_key(other),
        other_label=None if other is None else span_label(other),
        share=None if named is None else float(found.verdicts.share[row]),
        sentence=head(_facts(found, row, until_at)),
        until_at=until_at,
        impact=known(found.impact[row]),
        total_us=known(total),
        expected_us=expected_us(found, row),
        expected_from=expected_from(found, row),
        excess_us=float(found.verdicts.total_excess[row]) if state is State.JUDGED else None,
        iops=known(found.ops[row] / found.wall_s[row]),
        bytes_per_s=known(found.rows.bytes[row, Direction.ALL] / found.wall_s[row]),
        grade=found.grades[row].value,
        layers=tuple(layer_numbers(found.case, row, found.rows, Direction.ALL, total)),
    )


def _facts(found: Judged, row: int, until_at: datetime | None) -> Facts:
    named_us, excess = told_named(found, row)
    return Facts(
        state=found.states[row],
        certainty=found.certainties[row],
        ops=float(np.nan_to_num(found.ops[row])),
        minutes=round(float(found.wall_s[row]) / 60),
        total_us=float(np.nan_to_num(found.total_us[row])),
        excess_us=excess,
        expected_us=expected_us(found, row),
        expected_from=expected_from(found, row),
        reasons=Reason(int(found.verdicts.reasons[row])),
        named=found.named(row),
        other=found.other(row),
        over=furthest_over(found, row),
        named_us=named_us,
        until_at=until_at,
    )
