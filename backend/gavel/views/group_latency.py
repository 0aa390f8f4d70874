"""VMs with one value of a label together over time: outstanding I/O and latency by layer."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from gavel.analysis.intervals import Floats
from gavel.analysis.ledger import latency_us, occupancy, ops_in
from gavel.analysis.segments import SPAN_LAYERS
from gavel.db.engine import Connection
from gavel.db.queries.ledger_pieces import MINUTE, Resolution
from gavel.db.queries.ledger_together import SummedSeries, ledger_together
from gavel.db.queries.object_filter import LabelFilter, ObjectFilter
from gavel.db.queries.refs import RefKind
from gavel.db.queries.scopes import ledger_until, present_things, sources_behind
from gavel.db.series.catalog import LEDGER_ROLLS
from gavel.db.series.modes import storage
from gavel.diagnosis.diagnose import span_key, span_label, span_layers
from gavel.domain.io_path import SPANS, Layer, LayerName
from gavel.domain.scope import ScopeKind, scope_key
from gavel.views.time_grid import MOST_BUCKETS, STEPS, TimeGrid, UnusableStepError, check_buckets, sensible_step

# Rows of single VMs that are added up: 1–3 µs each of CPU time of the database. More of them than the first make buckets wider.
_WANTED_ROWS, _MOST_ROWS = 250_000, 900_000
_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLayerSeries:
    """A layer over time: I/Os outstanding in it, and its latency per I/O; lists are as long as `times_ms`, null is "not measured"."""

    name: str
    label: str
    layers: tuple[LayerName, ...]
    ios: list[float]
    us: list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredShare:
    """`ops_share`: share of the group's I/Os whose time in the layer was measured, over the whole range; null without I/O."""

    layer: LayerName
    label: str
    ops_share: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupLatency:
    """The group's present VMs together, reads and writes as one; lists are as long as `times_ms`, null is "not measured".

    `value`: as asked for. `members`: VMs of the group. `source_ids`: vCenters and arrays that their numbers come from.
    `minutes_there`: most minutes that one of them has of the bucket; I/Os are outstanding on average over these. `members_there`: most
    VMs that have a minute at once. `total_ios`, `total_us`: of everything measured.
    """

    label: str
    value: str
    members: int
    source_ids: list[int]
    from_at: datetime
    to_at: datetime
    ledger_until_at: datetime | None
    resolution: Resolution
    step_s: int
    times_ms: list[int]
    minutes_there: list[int]
    members_there: list[int]
    ops: list[float]
    total_ios: list[float]
    total_us: list[float]
    layers: tuple[GroupLayerSeries, ...]
    measured_shares: tuple[MeasuredShare, ...]


def group_latency(
    connection: Connection, label: str, value: str, from_at: datetime, to_at: datetime, step: timedelta | None
) -> GroupLatency:
    """In buckets of `step`, or of a width that bounds the rows to add up.

    Raises UnusableStepError for too many buckets or rows, and ValueError for an empty range or a step that is not of whole minutes.
    """
    wanted = ObjectFilter(labels=(LabelFilter(label, value),))
    ids = sorted(vm for vm, _ in present_things(connection, RefKind.VM, wanted=wanted))
    width = _width(len(ids), from_at, to_at, step)
    keys = [scope_key(ScopeKind.VM, vm) for vm in ids]
    found = ledger_together(connection, keys, from_at, to_at, width, storage(connection))
    grid = TimeGrid.of(found)
    check_buckets(grid.buckets, from_at, to_at)
    timed = np.minimum(ops_in(found.span_ops), np.nan_to_num(found.ops))
    return GroupLatency(
        label=label,
        value=value,
        members=len(ids),
        source_ids=sources_behind(connection, RefKind.VM, ids),
        from_at=found.from_at,
        to_at=found.to_at,
        ledger_until_at=ledger_until(connection),
        resolution=found.resolution,
        step_s=round(found.step.total_seconds()),
        times_ms=grid.times_ms,
        minutes_there=grid.counts(found.minutes),
        members_there=grid.counts(found.objects),
        ops=grid.column(found.ops),
        total_ios=grid.column(_total_ios(found, timed)),
        total_us=grid.column(latency_us(found.span_time.sum(axis=1), timed)),
        layers=tuple(_layers(found, timed, grid)),
        measured_shares=tuple(_measured_shares(found)),
    )


def _width(members: int, from_at: datetime, to_at: datetime, step: timedelta | None) -> timedelta:
    """As asked for; else the first sensible one that makes no more rows than are wanted, or the fewest."""
    length = to_at - from_at
    least = sensible_step(from_at, to_at)
    fitting = (one for one in STEPS if one >= least and members * length / _row_width(one) <= _WANTED_ROWS)
    width = step or next(fitting, max(least, LEDGER_ROLLS[-1].width))
    check_buckets(length / width, from_at, to_at)
    rows = members * length / _row_width(width)
    if rows > _MOST_ROWS:
        widest = LEDGER_ROLLS[-1].width
        longest = min(_MOST_ROWS / members * widest, MOST_BUCKETS * STEPS[-1])
        if length > longest:
            raise UnusableStepError(
                f"{members:,} VMs over {length / _DAY:.1f} days are too many to add up at once. Choose a range of at most"
                f" {_span(longest)}, or a smaller group."
            )
        raise UnusableStepError(f"That step is too fine for {members:,} VMs; {widest.total_seconds():.0f} s would do.")
    return width


def _span(length: timedelta) -> str:
    return f"{length // _DAY} days" if length >= 2 * _DAY else f"{length // timedelta(hours=1)} hours"


def _row_width(step: timedelta) -> timedelta:
    """Of the widest rows that buckets of `step` are made of."""
    return next((roll.width for roll in reversed(LEDGER_ROLLS) if not step % roll.width), MINUTE)


def _total_ios(series: SummedSeries, timed: Floats) -> Floats:
    """An idle group has none outstanding; one whose I/Os were not timed has a number that is not measured."""
    inside = occupancy(series.span_time.sum(axis=1), 1.0) / (series.minutes * 60.0)
    measured: Floats = np.where(timed > 0, inside, np.where(series.ops == 0, 0.0, np.nan))
    return measured


def _layers(series: SummedSeries, timed: Floats, grid: TimeGrid) -> Iterator[GroupLayerSeries]:
    """Outermost first."""
    measured = series.span_ops > 0
    wall_s = series.minutes * 60.0
    for span in sorted(np.flatnonzero(measured.any(axis=0)).tolist(), key=lambda span: SPANS[span]):
        time = np.where(measured[:, span], series.span_time[:, span], np.nan)
        yield GroupLayerSeries(
            name=span_key(span),
            label=span_label(span),
            layers=span_layers(span),
            ios=grid.column(occupancy(time, 1.0) / wall_s),
            us=grid.column(latency_us(time, timed)),
        )


def _measured_shares(series: SummedSeries) -> Iterator[MeasuredShare]:
    ops, in_spans = float(np.nansum(series.ops)), series.span_ops.sum(axis=0)
    for layer in Layer:
        measured = float(in_spans @ SPAN_LAYERS[:, layer])
        share = None if ops <= 0 else min(1.0, measured / ops)
        yield MeasuredShare(layer=layer.key, label=span_label(SPANS.index((layer, layer))), ops_share=share)
