"""Waterfalls as `diagnosis.breakdown` has them, in all states that a picture may meet."""

from dataclasses import dataclass

from gavel.alerting.render.picture_svg import Heading
from gavel.diagnosis.diagnose import DiagnosisState


@dataclass(frozen=True)
class LayerNumbers:
    name: str
    label: str
    layers: tuple[str, ...]
    us: float
    lower_us: float
    upper_us: float
    baseline_us: float
    excess_us: float
    excess_lower_us: float
    share: float | None


@dataclass(frozen=True)
class PartNumbers:
    name: str
    label: str
    layer: str
    is_rest: bool
    us: float
    share: float | None


@dataclass(frozen=True)
class DirectionNumbers:
    direction: str
    state: DiagnosisState
    total_us: float | None
    baseline_us: float | None
    layers: tuple[LayerNumbers, ...]
    parts: tuple[PartNumbers, ...]
    not_measured: tuple[str, ...]


LAYERS = ("guest", "kernel", "san", "array")
HEADING = Heading(
    name="ds-prod-07",
    sentence="Kernel queue on esx-14: 0.44 of 0.93 ms since 02:10 UTC, 0.44 ms above baseline. Confirmed.",
    window="2026-11-21 02:10 – 02:15 UTC",
    quality="B",
    named=("kernel",),
)


def layer(name: str, us: float, error_us: float, usual_us: float, total_us: float) -> LayerNumbers:
    layers = tuple(name.split("_"))
    lower = max(0.0, us - error_us)
    words = " or ".join({"san": "SAN"}.get(one, one) for one in layers)
    return LayerNumbers(
        name=name,
        label=words[0].upper() + words[1:],
        layers=layers,
        us=us,
        lower_us=lower,
        upper_us=us + error_us,
        baseline_us=usual_us,
        excess_us=max(0.0, us - usual_us),
        excess_lower_us=max(0.0, lower - usual_us),
        share=us / total_us if total_us else None,
    )


def part(name: str, label: str, of: str, us: float, total_us: float) -> PartNumbers:
    return PartNumbers(name=name, label=label, layer=of, is_rest=name.endswith("_rest"), us=us, share=us / total_us)


def column(direction: str, layers: list[LayerNumbers], parts: list[PartNumbers], **changes: object) -> DirectionNumbers:
    covered = {one for layer in layers for one in layer.layers}
    fields: dict[str, object] = {
        "direction": direction,
        "state": DiagnosisState.JUDGED,
        "total_us": sum(one.us for one in layers),
        "baseline_us": sum(one.baseline_us for one in layers),
        "layers": tuple(layers),
        "parts": tuple(parts),
        "not_measured": tuple(one for one in LAYERS if one not in covered),
    }
    return DirectionNumbers(**(fields | changes))  # type: ignore[arg-type]


def nothing(direction: str, state: DiagnosisState = DiagnosisState.NO_DATA) -> DirectionNumbers:
    return column(direction, [], [], state=state, total_us=None, baseline_us=None)


def queued(direction: str, scale: float = 1.0) -> DirectionNumbers:
    """Kernel, SAN and array apart, with segments; the guest not measured."""
    total = 930.0 * scale
    layers = [
        layer("kernel", 438 * scale, 12 * scale, 20 * scale, total),
        layer("san", 92 * scale, 45 * scale, 90 * scale, total),
        layer("array", 400 * scale, 1.5 * scale, 380 * scale, total),
    ]
    parts = [
        part("kernel_queue", "Kernel queue", "kernel", 420 * scale, total),
        part("kernel_service", "Kernel processing", "kernel", 18 * scale, total),
        part("fabric", "Fabric", "san", 62 * scale, total),
        part("array_port", "Array port", "san", 30 * scale, total),
        part("array_qos", "Array QoS limit", "array", 150 * scale, total),
        part("array_queue", "Array queue", "array", 50 * scale, total),
        part("array_service", "Array service", "array", 200 * scale, total),
    ]
    return column(direction, layers, parts)


def inconclusive(direction: str) -> DirectionNumbers:
    total = 6350.0
    layers = [
        layer("guest", 350, 120, 300, total),
        layer("kernel_san", 5300, 700, 300, total),
        layer("array", 700, 20, 690, total),
    ]
    return column(
        direction, layers, [part("kernel_san_rest", "Kernel or SAN, not separable", "kernel_san", 5300, total)]
    )


CONFIRMED = (queued("read"), queued("write", 0.4), queued("all"))
INCONCLUSIVE = (inconclusive("read"), queued("write", 2), inconclusive("all"))
ONE_SIDED = (
    column("read", [layer("array", 400, 1.5, 380, 400)], []),
    column("write", [layer("array", 55, 1.5, 50, 55)], []),
)
READS_ONLY = (queued("read"), nothing("write", DiagnosisState.IDLE))
TOO_FEW = (
    column("read", [layer("kernel_san_array", 900, 300, 0, 900)], [], state=DiagnosisState.TOO_FEW),
    nothing("write", DiagnosisState.IDLE),
)
NOTHING = (nothing("read"), nothing("write"), nothing("all"))
NOT_MEASURED = (nothing("read", DiagnosisState.NOT_MEASURED), nothing("write", DiagnosisState.NOT_MEASURED))
TINY = (queued("read", 0.04), queued("write", 0.00001))
ALL_CASES = {
    "confirmed": CONFIRMED, "inconclusive": INCONCLUSIVE, "one_sided": ONE_SIDED, "reads_only": READS_ONLY, "too_few": TOO_FEW,
    "nothing": NOTHING, "not_measured": NOT_MEASURED, "tiny": TINY,
}  # fmt: skip
