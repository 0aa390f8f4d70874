"""Whose latency is it? The diagnosis on one scope over one window: the rule on the window's summed ledger, in words, with its evidence."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from gavel.analysis.attribution import in_words
from gavel.analysis.diagnosis import Reason
from gavel.db.engine import Connection
from gavel.db.queries.refs import RefKind
from gavel.diagnosis.baselines import BaselineFrom
from gavel.diagnosis.breakdown import layers_of, main_segment
from gavel.diagnosis.capture_words import capture_words
from gavel.diagnosis.cause import Cause
from gavel.diagnosis.cause_decision import decide
from gavel.diagnosis.device_queues import QueueDepths, fullest_minute, queue_depths
from gavel.diagnosis.diagnose import (
    DiagnosisState,
    LayerNumbers,
    baseline_from,
    baseline_us,
    covered,
    matched_ops,
    named_spans,
    none_if_nan,
    not_measured,
    partly_measured,
    span_key,
    span_label,
    summarize_named,
    summarize_spans,
)
from gavel.diagnosis.evidence import ArrayCounted, EvidenceNumber, EvidenceNumbers
from gavel.diagnosis.excess import largest_excess, open_between
from gavel.diagnosis.load import LoadedWindow, WindowContext, load
from gavel.diagnosis.own_layers import is_seen_only, own_severity, own_words
from gavel.diagnosis.queue_depth import (
    depth_evidence,
    queue_words,
)
from gavel.diagnosis.scoreboard import LayerScore, nothing_scored, scoreboard
from gavel.diagnosis.sentences import NOTHING, Facts, FullestMinute, Sentence, Statement, sentence
from gavel.diagnosis.window import EVERY_LAYER, DiagnosisWindow, WindowSum
from gavel.domain.io_path import SEGMENT_STYLES, SPANS, Confidence, Direction, Layer, LayerName, Quality, Severity

_KERNEL, _ARRAY = SPANS.index((Layer.KERNEL, Layer.KERNEL)), SPANS.index((Layer.ARRAY, Layer.ARRAY))


@dataclass(frozen=True, slots=True, kw_only=True)
class DataQuality:
    """Data quality of a diagnosis. `quality_reasons`: why it is not an A, in words. `match_ratio`: host ÷ array ops of
    what is matched on both sides, `matched_host_iops` ÷ `matched_array_iops`: an array may have volumes that no polled host uses.

    `offset_error_s`: of the worst clock; `missing_s`: seconds in which a side had no sample. `outstanding_ios` (as the virtual disks
    counted them) against `modelled_ios` (IOPS × latency) is Little's check. `queue_depths`: of the device queues in use, each by itself.
    `recalculated_minutes`: minutes of the window that were calculated again because samples arrived or changed after they had been
    diagnosed, the newest time at `recalculated_at`. `has_earlier_rules`: minutes of the window were diagnosed with earlier rules, and their
    samples are no longer kept, or not calculated again yet.
    """

    quality: Quality | None = None
    quality_reasons: tuple[str, ...] = ()
    match_ratio: float | None = None
    matched_host_iops: float | None = None
    matched_array_iops: float | None = None
    disagreement_us: float | None = None
    offset_error_s: float | None = None
    missing_s: float | None = None
    queue_depths: QueueDepths | None = None
    outstanding_ios: float | None = None
    modelled_ios: float | None = None
    recalculated_minutes: int = 0
    recalculated_at: datetime | None = None
    has_earlier_rules: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis(DiagnosisWindow):
    """How bad the latency is, and whose it is. `severity`: by the excess alone, null without a diagnosis. `seen_only`: normal, for only
    layers are elevated that are not the object's own: guest and kernel at arrays and volumes, the array at hosts. `limited_counters`:
    normal only since the counters are too coarse to show the excess. `layer` is named with `confidence`; `other` stands beside it when
    inconclusive; all three are null where no layer is named.
    `share`: of the named layer in the excess. `excess_outstanding`: excess latency × IOPS. `since_at`: first minute of the present run of
    this diagnosis, at most 24 h before the window's end; null when the newest minutes have another diagnosis, or none. `until_at`: then
    the end of the last minute, of the window's last hour, with this diagnosis, once two minutes after it have another one; null while it
    continues. `cause`: null where no layer is named, or nothing is known of disks, devices and volumes. `scoreboard`: all four."""

    state: DiagnosisState
    severity: Severity | None
    seen_only: bool
    limited_counters: bool
    confidence: Confidence | None
    layer: str | None
    layer_label: str | None
    other: str | None
    other_label: str | None
    share: float | None
    sentence: Sentence
    since_at: datetime | None
    until_at: datetime | None
    total_us: float | None
    baseline_us: float | None
    baseline_from: BaselineFrom | None
    excess_us: float | None
    excess_outstanding: float | None
    layers: tuple[LayerNumbers, ...]
    cause: Cause | None
    scoreboard: tuple[LayerScore, ...]
    not_measured: tuple[LayerName, ...]
    data_quality: DataQuality
    evidence: tuple[EvidenceNumber, ...]
    array_counted: tuple[ArrayCounted, ...]


def diagnosis(
    connection: Connection, kind: RefKind, thing_id: int, from_at: datetime | None, to_at: datetime | None
) -> Diagnosis:
    """Raises NotFoundError, and ValueError for an empty range."""
    return explain(load(connection, kind, thing_id, from_at, to_at))


def explain(loaded: LoadedWindow) -> Diagnosis:
    """Without another look at the database."""
    whole, context, raw = loaded.whole, loaded.context, loaded.evidence
    return _nothing(whole, raw) if context is None else _diagnosis(whole, context, raw)


def _nothing(window_sum: WindowSum, raw: EvidenceNumbers) -> Diagnosis:
    return Diagnosis(
        **window_sum.window.fields,
        state=DiagnosisState.NO_DATA,
        severity=None,
        seen_only=False,
        limited_counters=False,
        confidence=None,
        layer=None,
        layer_label=None,
        other=None,
        other_label=None,
        share=None,
        sentence=sentence(NOTHING),
        since_at=None,
        until_at=None,
        total_us=None,
        baseline_us=None,
        baseline_from=None,
        excess_us=None,
        excess_outstanding=None,
        layers=(),
        cause=None,
        scoreboard=nothing_scored(window_sum.kind),
        not_measured=EVERY_LAYER,
        data_quality=DataQuality(),
        evidence=raw.numbers,
        array_counted=raw.counted,
    )


def _diagnosis(window_sum: WindowSum, context: WindowContext, raw: EvidenceNumbers) -> Diagnosis:
    one = window_sum.diagnosed
    total, named, other = float(one.total_us[0]), one.named(0), one.other(0)
    lasted, queue = context.streak, context.queue
    cause = None if named is None else decide(context.cause)
    layers = layers_of(window_sum, Direction.ALL, one.case, total)
    return Diagnosis(
        **window_sum.window.fields,
        state=window_sum.state,
        severity=own_severity(window_sum.kind, one, 0),
        seen_only=is_seen_only(window_sum.kind, one, 0),
        limited_counters=one.has_limited_counters(0),
        confidence=one.confidences[0],
        layer=None if named is None else span_key(named),
        layer_label=None if named is None else span_label(named),
        other=None if other is None else span_key(other),
        other_label=None if other is None else span_label(other),
        share=None if named is None else float(one.diagnoses.share[0]),
        sentence=sentence(_facts(window_sum, context), "" if cause is None else cause.sentence),
        since_at=lasted.since_at,
        until_at=lasted.until_at,
        total_us=none_if_nan(total),
        baseline_us=baseline_us(one, 0),
        baseline_from=baseline_from(one, 0),
        excess_us=float(one.diagnoses.total_excess[0]) if window_sum.state is DiagnosisState.JUDGED else None,
        excess_outstanding=none_if_nan(one.excess_outstanding[0]),
        layers=layers,
        cause=cause,
        scoreboard=scoreboard(window_sum.kind, layers, one, 0),
        not_measured=not_measured(one.case, 0),
        data_quality=_data_quality(window_sum, total, context),
        evidence=raw.numbers if queue is None else (*raw.numbers, *depth_evidence(queue)),
        array_counted=raw.counted,
    )


def _data_quality(window_sum: WindowSum, total_us: float, context: WindowContext) -> DataQuality:
    one, notes = window_sum.diagnosed, window_sum.series.notes
    ratio = covered(notes, one.rows)[0]
    by_hosts, by_array = (none_if_nan(ops[0] / one.wall_s[0]) for ops in matched_ops(notes, one.rows))
    return DataQuality(
        quality=one.qualities[0],
        quality_reasons=in_words(int(notes.quality_reasons[0])),
        match_ratio=float(ratio) if np.isfinite(ratio) else None,
        matched_host_iops=None if by_array is None else by_hosts,
        matched_array_iops=by_array,
        disagreement_us=none_if_nan(notes.disagreement_us[0]),
        offset_error_s=none_if_nan(notes.offset_error_s[0]),
        missing_s=none_if_nan(notes.missing_s[0]),
        outstanding_ios=window_sum.outstanding,
        modelled_ios=none_if_nan(total_us * one.ops[0] / (one.wall_s[0] * 1e6)),
        queue_depths=queue_depths(context.queues),
        recalculated_minutes=context.recalculated.minutes,
        recalculated_at=context.recalculated.at,
        has_earlier_rules=context.recalculated.has_earlier_rules,
    )


# --- in words ---------------------------------------------------------------------------------------------------------


def _facts(window_sum: WindowSum, context: WindowContext) -> Facts:
    one, notes = window_sum.diagnosed, window_sum.series.notes
    named = one.named(0)
    detail = None if named is None else main_segment(window_sum.series, named)
    named_us, excess = summarize_named(one, 0)
    array, kernel = summarize_spans(one, 0, [_ARRAY]), summarize_spans(one, 0, [_KERNEL])
    return Facts(
        state=window_sum.state,
        severity=one.severities[0],
        confidence=one.confidences[0],
        ops=float(np.nan_to_num(one.ops[0])),
        minutes=window_sum.window.minutes,
        total_us=float(np.nan_to_num(one.total_us[0])),
        excess_us=excess,
        baseline_us=baseline_us(one, 0),
        baseline_from=baseline_from(one, 0),
        reasons=Reason(int(one.diagnoses.reasons[0])),
        disagreement_us=none_if_nan(notes.disagreement_us[0]),
        named=named,
        other=one.other(0),
        over=largest_excess(one, 0),
        open_between=open_between(one, 0),
        named_us=named_us,
        detail=None if detail is None else SEGMENT_STYLES[detail[0]].label,
        detail_share=1.0 if detail is None else detail[1],
        place=context.location,
        since_at=context.streak.since_at,
        until_at=context.streak.until_at,
        from_at=window_sum.window.from_at,
        to_at=window_sum.window.to_at,
        array_us=None if array is None else array.us,
        array_share=1.0 if array is None else array.share,
        kernel_us=None if kernel is None else kernel.upper_us,
        kernel_share=1.0 if kernel is None else kernel.share,
        partly=tuple(partly_measured(one, 0)),
        outstanding=window_sum.outstanding,
        fullest=_fullest(window_sum, context) if window_sum.state is DiagnosisState.JUDGED else None,
        more=_more(context),
        has_earlier_rules=context.recalculated.has_earlier_rules,
        own_layers=own_words(window_sum.kind) if is_seen_only(window_sum.kind, one, 0) else None,
    )


def _more(context: WindowContext) -> tuple[Statement, ...]:
    queue = () if context.queue is None else tuple(queue_words(context.queue))
    return (*queue, *capture_words([each.file_name for each in context.captures]))


def _fullest(window_sum: WindowSum, context: WindowContext) -> FullestMinute | None:
    """Told beside the I/Os outstanding, of which guest and kernel are the matter."""
    if not any(SPANS[span][0] <= Layer.KERNEL for span in named_spans(window_sum.diagnosed, 0)):
        return None
    return fullest_minute(context.queues, window_sum.series, context.owner)
