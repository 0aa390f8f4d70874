"""What a load tool saw and where the time was, in one sentence whose parts add up: `fio saw 1.40 ms: guest 0.47, kernel 0.44, …`."""

from collections.abc import Sequence
from typing import Final

from gavel.analysis.segments import span_name
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.diagnosis.diagnose import LayerNumbers, span_key
from gavel.domain.io_path import SPANS, LayerName
from gavel.domain.load_runs import LoadFigures

_TOOLS: Final = {"iometer": "Iometer", "hcibench": "HCIBench"}
_SPAN_OF: Final = {span_key(span): span for span in range(len(SPANS))}
# Whose I/Os are in the layers of what more than one VM uses.
_OF_ALL: Final = {RefKind.DATASTORE: "all VMs on datastore", RefKind.VOLUME: "all hosts on volume"}
# Below 0.1 ms a hundredth is a tenth of it.
_FINE_US = 100.0


def run_sentence(
    tool: str,
    figures: LoadFigures,
    layers: Sequence[LayerNumbers],
    not_measured: Sequence[LayerName],
    remainder_us: float | None,
    *,
    subject: EntityRef,
    iops: float | None,
) -> str:
    """Of reads and writes together. Of a VM what remains is the guest's where Gavel does not measure the guest. Layers of a datastore or a
    volume hold the I/Os of others, too, so that their parts do not add up to what the tool saw: they stand apart, with their `iops`."""
    seen = _TOOLS.get(tool, tool)
    if figures.ops_per_s is None:
        return f"{seen} logged averages of its latency over time, without I/O rates."
    rate = f"{figures.ops_per_s:,.0f} IOPS"
    if figures.mean_us is None:
        return f"{seen} saw {rate} and no latency."
    digits = 2 if figures.mean_us >= _FINE_US else 3
    whole = f"{seen} saw {_ms(figures.mean_us, digits)} ms at {rate}"
    if remainder_us is None or not layers:
        return f"{whole}."
    parts = [(span_name(_SPAN_OF[layer.name]), layer.us) for layer in layers]
    if subject.kind in _OF_ALL:
        total_us = figures.mean_us - remainder_us
        shown = _adding_up([us for _, us in parts], total_us, digits)
        each = ", ".join(f"{name} {text}" for (name, _), text in zip(parts, shown, strict=True))
        at = "" if iops is None else f" at {iops:,.0f} IOPS"
        return f"{whole}; I/Os of {_OF_ALL[subject.kind]} {subject.name} took {_ms(total_us, digits)} ms{at}: {each}."
    if round(remainder_us / 1000, digits) < 0:
        measured = ", ".join(f"{name} {_ms(us, digits)}" for name, us in parts)
        total = _ms(figures.mean_us - remainder_us, digits)
        return f"{whole}; I/Os of these minutes took {total} ms: {measured}. Slower I/Os of others are among them."
    rest = "guest" if "guest" in not_measured else "remainder"
    parts.insert(0, (rest, max(remainder_us, 0.0)))
    shown = _adding_up([us for _, us in parts], figures.mean_us, digits)
    return f"{whole}: {', '.join(f'{name} {text}' for (name, _), text in zip(parts, shown, strict=True))}."


def _ms(us: float, digits: int) -> str:
    """Rounded once, in units of the last digit: a half would go either way of a quotient that is not exact."""
    return f"{round(us / _unit_us(digits)) / 10**digits:.{digits}f}"


def _unit_us(digits: int) -> int:
    return 1000 // int(10**digits)


def _adding_up(parts_us: Sequence[float], whole_us: float, digits: int) -> list[str]:
    """In ms, rounded so that they add up to the rounded whole: what rounding leaves goes to the parts that it took most from."""
    unit_us = _unit_us(digits)
    units = [int(us // unit_us) for us in parts_us]
    left = round(whole_us / unit_us) - sum(units)
    by_loss = sorted(range(len(units)), key=lambda at: units[at] - parts_us[at] / unit_us)
    for at in by_loss[: max(left, 0)]:
        units[at] += 1
    return [_ms(count * unit_us, digits) for count in units]
