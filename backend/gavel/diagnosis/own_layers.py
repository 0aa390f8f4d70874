"""Which layers' time is an object's own, and which is only seen there: an array is not slow because a host's queue is full."""

from collections.abc import Mapping

import numpy as np

from gavel.analysis.severity import elevated_from_us
from gavel.db.queries.refs import RefKind
from gavel.diagnosis.diagnose import DiagnosedRows, baseline_us, named_spans
from gavel.domain.io_path import SPANS, Layer, Severity

# Kinds that are not listed have all of them.
_OWN: Mapping[RefKind, frozenset[Layer]] = {
    RefKind.HOST: frozenset({Layer.GUEST, Layer.KERNEL, Layer.SAN}),
    RefKind.CLUSTER: frozenset({Layer.GUEST, Layer.KERNEL, Layer.SAN}),
    RefKind.VOLUME: frozenset({Layer.SAN, Layer.ARRAY}),
    RefKind.ARRAY: frozenset({Layer.SAN, Layer.ARRAY}),
}


def is_own(kind: RefKind, layer: Layer) -> bool:
    return layer in _OWN.get(kind, frozenset(Layer))


def is_seen_only(kind: RefKind, diagnosed: DiagnosedRows, row: int) -> bool:
    """Whether an object is elevated or high by layers alone that are not its own, while those that are stay below the threshold."""
    if kind not in _OWN or diagnosed.severities[row] not in (Severity.ELEVATED, Severity.HIGH):
        return False
    spans = named_spans(diagnosed, row)
    if not spans or any(_is_partly_own(kind, span) for span in spans):
        return False
    own = sum(float(diagnosed.diagnoses.excess[row, span]) for span in range(len(SPANS)) if _is_partly_own(kind, span))
    usual = baseline_us(diagnosed, row)
    return own < float(elevated_from_us(np.array(0.0 if usual is None else usual)))


def own_severity(kind: RefKind, diagnosed: DiagnosedRows, row: int) -> Severity | None:
    """By the object's own layers where the others alone are elevated; else as it was diagnosed."""
    return Severity.NORMAL if is_seen_only(kind, diagnosed, row) else diagnosed.severities[row]


def own_words(kind: RefKind) -> str:
    """Of a kind that does not have all layers: "SAN and array"."""
    names = [layer.name.lower() if layer is not Layer.SAN else "SAN" for layer in Layer if is_own(kind, layer)]
    return " and ".join([", ".join(names[:-1]), names[-1]])


def _is_partly_own(kind: RefKind, span: int) -> bool:
    first, last = SPANS[span]
    return any(is_own(kind, layer) for layer in Layer if first <= layer <= last)
