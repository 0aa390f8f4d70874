"""All four layers of a diagnosis side by side: which is the cause, and which are proven not to be."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from gavel.analysis.severity import elevated_from_us
from gavel.db.queries.refs import RefKind
from gavel.diagnosis.diagnose import DiagnosedRows, LayerNumbers, baseline_us, span_layers
from gavel.diagnosis.own_layers import is_own
from gavel.domain.io_path import LAYER_STYLES, Layer, LayerName


class ScoreState(StrEnum):
    """CAUSE: named. POSSIBLE: one of two layers of an inconclusive diagnosis. ELEVATED: above the threshold, but not named.
    NOT_THE_CAUSE: there is an excess, and the upper bound of this layer's is below the threshold. NORMAL: below it, not proven."""

    CAUSE = "cause"
    POSSIBLE = "possible"
    ELEVATED = "elevated"
    NORMAL = "normal"
    NOT_THE_CAUSE = "not_the_cause"
    NOT_MEASURED = "not_measured"


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerScore:
    """A layer: latency against its baseline, with range. `state`: `cause` is named, `possible` one of the two of an inconclusive
    diagnosis, `elevated` above the threshold but not named, `not_the_cause` proven by the upper bound of its excess, `normal` below the
    threshold without that proof. `merged_with`: layers it is not separable from. `is_own`: false where its time is only seen here."""

    layer: LayerName
    label: str
    us: float | None = None
    lower_us: float | None = None
    upper_us: float | None = None
    baseline_us: float | None = None
    delta_us: float | None = None
    delta_lower_us: float | None = None
    delta_upper_us: float | None = None
    state: ScoreState = ScoreState.NOT_MEASURED
    merged_with: tuple[LayerName, ...] = ()
    is_own: bool = True


def nothing_scored(kind: RefKind) -> tuple[LayerScore, ...]:
    """Of an object without a minute in the ledger."""
    return tuple(_not_measured(kind, layer) for layer in Layer)


def scoreboard(
    kind: RefKind, layers: Sequence[LayerNumbers], diagnosed: DiagnosedRows, row: int
) -> tuple[LayerScore, ...]:
    """Always four, in the order of the I/O path. layers: numbers of row `row`, each layer in one of them at most."""
    named, other = diagnosed.named(row), diagnosed.other(row)
    possible = {layer for span in (named, other) if span is not None for layer in span_layers(span)}
    usual = baseline_us(diagnosed, row)
    threshold = float(elevated_from_us(np.array(0.0 if usual is None else usual)))
    return tuple(
        _scored(kind, layer, layers, possible, threshold, is_single=other is None, has_excess=named is not None)
        for layer in Layer
    )


def _scored(
    kind: RefKind,
    layer: Layer,
    layers: Sequence[LayerNumbers],
    possible: set[LayerName],
    threshold: float,
    *,
    is_single: bool,
    has_excess: bool,
) -> LayerScore:
    name = layer.key
    # Where some I/Os were measured apart and others not, the narrow one is the layer's own.
    holding = min((one for one in layers if name in one.layers), key=lambda item: len(item.layers), default=None)
    if holding is None:
        return _not_measured(kind, layer)
    if name in possible:
        state = ScoreState.CAUSE if is_single else ScoreState.POSSIBLE
    elif holding.excess_us >= threshold:
        state = ScoreState.ELEVATED
    elif has_excess and _upper_excess(name, layers) < threshold:
        state = ScoreState.NOT_THE_CAUSE
    else:
        state = ScoreState.NORMAL
    return LayerScore(
        layer=name,
        label=LAYER_STYLES[layer].label,
        us=holding.us,
        lower_us=holding.lower_us,
        upper_us=holding.upper_us,
        baseline_us=holding.baseline_us,
        delta_us=holding.us - holding.baseline_us,
        delta_lower_us=holding.lower_us - holding.baseline_us,
        delta_upper_us=holding.upper_us - holding.baseline_us,
        state=state,
        merged_with=tuple(one for one in holding.layers if one != name),
        is_own=is_own(kind, layer),
    )


def _upper_excess(name: LayerName, layers: Sequence[LayerNumbers]) -> float:
    """Of all numbers that hold time of the layer together: what is not separable may all be its."""
    return sum(one.excess_upper_us for one in layers if name in one.layers)


def _not_measured(kind: RefKind, layer: Layer) -> LayerScore:
    return LayerScore(layer=layer.key, label=LAYER_STYLES[layer].label, is_own=is_own(kind, layer))
