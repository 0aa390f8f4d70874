"""Whose latency is it? The verdict on one scope over one window: the rule on the window's summed ledger, in words, with its evidence."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from gavel.analysis.grade import in_words
from gavel.analysis.segments import SPANS
from gavel.analysis.stack import LAYER_SEGMENTS
from gavel.analysis.verdict import Reason
from gavel.db.engine import Connection
from gavel.db.queries.expectations import behind
from gavel.db.queries.leaves import carried_name
from gavel.db.queries.ledger import LedgerSeries
from gavel.db.queries.rows import Ref, RefKind
from gavel.db.queries.scopes import array_names
from gavel.domain.io_path import Certainty, Direction, Layer, Segment
from gavel.pipeline import depth_words
from gavel.pipeline.contributing import top_host
from gavel.pipeline.depths import QueueInForce, depth_evidence, fullest_minute, queue_in_force
from gavel.pipeline.enduring import Run, run
from gavel.pipeline.evidence import ArrayCounted, Evidence, Raw, evidence
from gavel.pipeline.expecting import ExpectedFrom
from gavel.pipeline.judging import (
    LayerNumbers,
    State,
    counted_by_both,
    covered,
    expected_from,
    expected_us,
    known,
    named_spans,
    not_measured,
    partly_measured,
    span_key,
    span_label,
    told,
    told_named,
)
from gavel.pipeline.over import furthest_over, open_between
from gavel.pipeline.parts import SEGMENT_WORDS, are_coarse
from gavel.pipeline.sentences import NOTHING, Facts, FullestMinute, Sentence, sentence
from gavel.pipeline.summing import EVERY_LAYER, Sum, Window, summed
from gavel.pipeline.waterfalls import layers_of

_KERNEL, _ARRAY = SPANS.index((Layer.KERNEL, Layer.KERNEL)), SPANS.index((Layer.ARRAY, Layer.ARRAY))
# A host, or a segment, is named when it has more than this of the layer's time.
_MOST = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """How good the numbers are. coverage: host ÷ array ops; offset_error_s: of the worst clock.

    missing_s: seconds in which a side had no sample. outstanding_ios as the virtual disks counted them, modelled_ios = IOPS × latency:
    Little's check. queue_depth: of the devices in use.
    """

    grade: str | None = None
    grade_reasons: tuple[str, ...] = ()
    coverage: float | None = None
    covered_host_iops: float | None = None
    covered_array_iops: float | None = None
    disagreement_us: float | None = None
    offset_error_s: float | None = None
    missing_s: float | None = None
    queue_depth: float | None = None
    outstanding_ios: float | None = None
    modelled_ios: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict(Window):
    """layer, other: None unless named. since_at, until_at: of the run of this verdict, as in `Run`. Times in µs per I/O."""

    state: State
    certainty: Certainty
    layer: str | None
    layer_label: str | None
    other: str | None
    other_label: str | None
    share: float | None
    sentence: Sentence
    since_at: datetime | None
    until_at: datetime | None
    total_us: float | None
    expected_us: float | None
    expected_from: ExpectedFrom | None
    excess_us: float | None
    impact: float | None
    layers: tuple[LayerNumbers, ...]
    not_measured: tuple[str, ...]
    quality: Quality
    evidence: tuple[Evidence, ...]
    array_counted: tuple[ArrayCounted, ...]


def verdict(connection: Connection, kind: RefKind, thing_id: int, from_at: datetime, to_at: datetime) -> Verdict:
    """Raises NotFoundError, and ValueError for an empty range."""
    found = summed(connection, kind, thing_id, from_at, to_at)
    raw = evidence(connection, kind, thing_id, found.window.from_at, found.window.to_at)
    return _nothing(found, raw) if found.is_empty else _verdict(connection, kind, found, raw)


def _nothing(found: Sum, raw: Raw) -> Verdict:
    return Verdict(
        **found.window.fields,
        state=State.NO_DATA,
        certainty=Certainty.UNKNOWN,
        layer=None,
        layer_label=None,
        other=None,
        other_label=None,
        share=None,
        sentence=sentence(NOTHING),
        since_at=None,
        until_at=None,
        total_us=None,
        expected_us=None,
        expected_from=None,
        excess_us=None,
        impact=None,
        layers=(),
        not_measured=EVERY_LAYER,
        quality=Quality(),
        evidence=raw.numbers,
        array_counted=raw.counted,
    )


def _verdict(connection: Connection, kind: RefKind, found: Sum, raw: Raw) -> Verdict:
    one = found.judged
    total, named, other = float(one.total_us[0]), one.named(0), one.other(0)
    is_judged = found.state is State.JUDGED
    lasted = run(connection, found) if is_judged else Run(None, None)
    queue = _queue(connection, kind, found) if is_judged else None
    return Verdict(
        **found.window.fields,
        state=found.state,
        certainty=one.certainties[0],
        layer=None if named is None else span_key(named),
        layer_label=None if named is None else span_label(named),
        other=None if other is None else span_key(other),
        other_label=None if other is None else span_label(other),
        share=None if named is None else float(one.verdicts.share[0]),
        sentence=sentence(_facts(connection, kind, found, lasted, queue)),
        since_at=lasted.since_at,
        until_at=lasted.until_at,
        total_us=known(total),
        expected_us=expected_us(one, 0),
        expected_from=expected_from(one, 0),
        excess_us=float(one.verdicts.total_excess[0]) if is_judged else None,
        impact=known(one.impact[0]),
        layers=layers_of(found, Direction.ALL, one.case, total),
        not_measured=not_measured(one.case, 0),
        quality=_quality(found, total),
        evidence=raw.numbers if queue is None else (*raw.numbers, *depth_evidence(queue)),
        array_counted=raw.counted,
    )


def _queue(connection: Connection, kind: RefKind, found: Sum) -> QueueInForce | None:
    """The device queue that a verdict has to speak of: where the kernel's queues may be at fault, or one that is full."""
    spans = named_spans(found.judged, 0)
    details = [_detail(found.found, span) for span in spans]
    above = [detail is not None and detail[0] is Segment.HYPERVISOR for detail in details]
    waits = any(SPANS[span][0] <= Layer.KERNEL <= SPANS[span][1] for span in spans) and not any(above)
    return queue_in_force(connection, kind, found.window.subject.id, found.found, waits=waits)


def _quality(found: Sum, total_us: float) -> Quality:
    one, notes = found.judged, found.found.notes
    ratio = covered(notes, one.rows)[0]
    by_hosts, by_array = (known(ops[0] / one.wall_s[0]) for ops in counted_by_both(notes, one.rows))
    return Quality(
        grade=one.grades[0].value,
        grade_reasons=in_words(int(notes.grade_reasons[0])),
        coverage=float(ratio) if np.isfinite(ratio) else None,
        covered_host_iops=None if by_array is None else by_hosts,
        covered_array_iops=by_array,
        disagreement_us=known(notes.disagreement_us[0]),
        offset_error_s=known(notes.offset_error_s[0]),
        missing_s=known(notes.missing_s[0]),
        queue_depth=known(notes.queue_depth[0]),
        outstanding_ios=found.outstanding,
        modelled_ios=known(total_us * one.ops[0] / (one.wall_s[0] * 1e6)),
    )


# --- in words ---------------------------------------------------------------------------------------------------------


def _facts(connection: Connection, kind: RefKind, found: Sum, lasted: Run, queue: QueueInForce | None) -> Facts:
    one, notes = found.judged, found.found.notes
    named = one.named(0)
    detail = None if named is None else _detail(found.found, named)
    named_us, excess = told_named(one, 0)
    owner = None if named is None else _kernel_owner(connection, kind, found, named)
    array, kernel = told(one, 0, [_ARRAY]), told(one, 0, [_KERNEL])
    return Facts(
        state=found.state,
        certainty=one.certainties[0],
        ops=float(np.nan_to_num(one.ops[0])),
        minutes=found.window.minutes,
        total_us=float(np.nan_to_num(one.total_us[0])),
        excess_us=excess,
        expected_us=expected_us(one, 0),
        expected_from=expected_from(one, 0),
        reasons=Reason(int(one.verdicts.reasons[0])),
        disagreement_us=known(notes.disagreement_us[0]),
        named=named,
        other=one.other(0),
        over=furthest_over(one, 0),
        open_between=open_between(one, 0),
        named_us=named_us,
        detail=None if detail is None else SEGMENT_WORDS[detail[0]],
        detail_share=1.0 if detail is None else detail[1],
        place=None if named is None else _place(connection, kind, found, named, owner),
        since_at=lasted.since_at,
        until_at=lasted.until_at,
        from_at=found.window.from_at,
        to_at=found.window.to_at,
        array_us=None if array is None else array.us,
        array_share=1.0 if array is None else array.share,
        kernel_us=None if kernel is None else kernel.upper_us,
        kernel_share=1.0 if kernel is None else kernel.share,
        partly=tuple(partly_measured(one, 0)),
        outstanding=found.outstanding,
        fullest=_fullest(connection, kind, found, owner) if found.state is State.JUDGED else None,
        queue=() if queue is None else tuple(depth_words.told(queue)),
    )


def _fullest(connection: Connection, kind: RefKind, found: Sum, owner: Ref | None) -> FullestMinute | None:
    """Told beside the I/Os outstanding, of which guest and kernel are the matter."""
    if not any(SPANS[span][0] <= Layer.KERNEL for span in named_spans(found.judged, 0)):
        return None
    return fullest_minute(connection, kind, found.window.subject.id, found.found, owner)


def _detail(found: LedgerSeries, named: int) -> tuple[Segment, float] | None:
    """The segment that most of a layer's time is in, and which part of it that is.

    Not of the kernel where whole milliseconds cannot tell its segments apart.
    """
    first, last = SPANS[named]
    coarse = bool(are_coarse(found.notes.grade_reasons)[0])
    if first is not last or first is Layer.SAN or (first is Layer.KERNEL and coarse):
        return None
    rows = found.rows
    whole = float(rows.span_time[0, Direction.ALL, named])
    times = {segment: float(rows.segment_time[0, Direction.ALL, segment]) for segment in LAYER_SEGMENTS[first]}
    largest = max(times, key=lambda segment: times[segment])
    return (largest, min(1.0, times[largest] / whole)) if times[largest] > _MOST * whole else None


def _kernel_owner(connection: Connection, kind: RefKind, found: Sum, named: int) -> Ref | None:
    """Where the kernel is named: the host, or of a host the device, that most of its time passes through."""
    first, last = SPANS[named]
    if not first is last is Layer.KERNEL:
        return None
    return top_host(connection, kind, found, Layer.KERNEL, _MOST)


def _place(connection: Connection, kind: RefKind, found: Sum, named: int, owner: Ref | None) -> str | None:
    """Where the layer is: where most of the kernel's time is, or the array where there is one only."""
    first, last = SPANS[named]
    if first is last is Layer.ARRAY:
        on = {one.source_id for one in behind(connection, kind, [found.window.subject.id])}
        names = array_names(connection, sorted(on))
        return names[0] if len(names) == 1 else None
    return _named(connection, owner)


def _named(connection: Connection, owner: Ref | None) -> str | None:
    """Nobody knows a device by its number: what it carries comes first."""
    if owner is None:
        return None
    carried = carried_name(connection, owner.id) if owner.kind is RefKind.DEVICE else None
    return owner.name if carried is None else f"the device of {carried}"
