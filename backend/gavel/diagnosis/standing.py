"""How one thing of a list stands: its diagnosis over the window, without what only its own page says."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from gavel.analysis.diagnosis import Reason
from gavel.db.queries.refs import RefKind
from gavel.diagnosis.baselines import BaselineFrom
from gavel.diagnosis.diagnose import (
    DiagnosedRows,
    DiagnosisState,
    LayerNumbers,
    baseline_from,
    baseline_us,
    layer_numbers,
    none_if_nan,
    span_key,
    span_label,
    summarize_named,
)
from gavel.diagnosis.excess import largest_excess
from gavel.diagnosis.own_layers import is_seen_only, own_words
from gavel.diagnosis.sentences import NOTHING, Facts, Head, head
from gavel.domain.io_path import Confidence, Direction, Quality, Severity


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One thing, or the environment, with its diagnosis; reads and writes together.

    severity: None without a diagnosis; seen_only: as in `Diagnosis`; confidence: None where no layer is named.
    until_at: over a short window, when the newest minutes stopped to say it, as in `Streak`; None where they say it still.
    """

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
    sentence: Head
    until_at: datetime | None
    excess_outstanding: float | None
    total_us: float | None
    baseline_us: float | None
    baseline_from: BaselineFrom | None
    excess_us: float | None
    iops: float | None
    bytes_per_s: float | None
    quality: Quality | None
    layers: tuple[LayerNumbers, ...]


NOTHING_KNOWN = Standing(
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
    sentence=head(NOTHING),
    until_at=None,
    excess_outstanding=None,
    total_us=None,
    baseline_us=None,
    baseline_from=None,
    excess_us=None,
    iops=None,
    bytes_per_s=None,
    quality=None,
    layers=(),
)


def standing_of(
    diagnosed: DiagnosedRows, row: int, kind: RefKind | None = None, until_at: datetime | None = None
) -> Standing:
    """kind: None of the environment, of which all layers are its own."""
    seen_only = kind is not None and is_seen_only(kind, diagnosed, row)
    named, other, total = diagnosed.named(row), diagnosed.other(row), float(diagnosed.total_us[row])
    state = diagnosed.states[row]
    return Standing(
        state=state,
        severity=Severity.NORMAL if seen_only else diagnosed.severities[row],
        seen_only=seen_only,
        limited_counters=diagnosed.has_limited_counters(row),
        confidence=diagnosed.confidences[row],
        layer=None if named is None else span_key(named),
        layer_label=None if named is None else span_label(named),
        other=None if other is None else span_key(other),
        other_label=None if other is None else span_label(other),
        share=None if named is None else float(diagnosed.diagnoses.share[row]),
        sentence=head(_facts(diagnosed, row, until_at, own_words(kind) if kind is not None and seen_only else None)),
        until_at=until_at,
        excess_outstanding=none_if_nan(diagnosed.excess_outstanding[row]),
        total_us=none_if_nan(total),
        baseline_us=baseline_us(diagnosed, row),
        baseline_from=baseline_from(diagnosed, row),
        excess_us=float(diagnosed.diagnoses.total_excess[row]) if state is DiagnosisState.JUDGED else None,
        iops=none_if_nan(diagnosed.ops[row] / diagnosed.wall_s[row]),
        bytes_per_s=none_if_nan(diagnosed.rows.bytes[row, Direction.ALL] / diagnosed.wall_s[row]),
        quality=diagnosed.qualities[row],
        layers=tuple(layer_numbers(diagnosed.case, row, diagnosed.rows, Direction.ALL, total)),
    )


def _facts(diagnosed: DiagnosedRows, row: int, until_at: datetime | None, own_layers: str | None) -> Facts:
    named_us, excess = summarize_named(diagnosed, row)
    return Facts(
        state=diagnosed.states[row],
        severity=diagnosed.severities[row],
        confidence=diagnosed.confidences[row],
        ops=float(np.nan_to_num(diagnosed.ops[row])),
        minutes=round(float(diagnosed.wall_s[row]) / 60),
        total_us=float(np.nan_to_num(diagnosed.total_us[row])),
        excess_us=excess,
        baseline_us=baseline_us(diagnosed, row),
        baseline_from=baseline_from(diagnosed, row),
        reasons=Reason(int(diagnosed.diagnoses.reasons[row])),
        named=diagnosed.named(row),
        other=diagnosed.other(row),
        over=largest_excess(diagnosed, row),
        named_us=named_us,
        until_at=until_at,
        own_layers=own_layers,
    )
