"""The rows of a waterfall's picture, by the rules and in the words of the page (charts/waterfall.ts)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor, inf, log10
from typing import Protocol

from gavel.domain.io_path import LAYER_STYLES, SEGMENT_STYLES, Layer, Segment


class LayerTimes(Protocol):
    """A layer, or neighbours that were not separable: µs per I/O."""

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def layers(self) -> Sequence[str]: ...
    @property
    def us(self) -> float: ...
    @property
    def lower_us(self) -> float: ...
    @property
    def upper_us(self) -> float: ...
    @property
    def baseline_us(self) -> float: ...
    @property
    def excess_us(self) -> float: ...
    @property
    def excess_lower_us(self) -> float: ...
    @property
    def share(self) -> float | None: ...


class PartTimes(Protocol):
    """A segment, or the rest of layer `layer`."""

    @property
    def name(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def layer(self) -> str: ...
    @property
    def is_rest(self) -> bool: ...
    @property
    def us(self) -> float: ...
    @property
    def share(self) -> float | None: ...


class DirectionTimes(Protocol):
    """One direction of a window, outermost first; None is not measured. Those of `diagnosis.breakdown` are made of these."""

    @property
    def direction(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def total_us(self) -> float | None: ...
    @property
    def baseline_us(self) -> float | None: ...
    @property
    def layers(self) -> Sequence[LayerTimes]: ...
    @property
    def parts(self) -> Sequence[PartTimes]: ...
    @property
    def not_measured(self) -> Sequence[str]: ...


@dataclass(frozen=True, slots=True)
class FillStyle:
    """fill: a name in `picture_svg.FILLS`. hatched: waiting at a limit, inferred, or not separable."""

    fill: str
    hatched: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """Of a bar, µs from the start of the I/O."""

    start_us: float
    end_us: float
    look: FillStyle


@dataclass(frozen=True, slots=True)
class Row:
    """kind: total, layer or part. layer: the key of the layer it is or belongs to. value: its time in words, or why there is none."""

    key: str
    kind: str
    layer: str
    label: str
    start_us: float = 0.0
    end_us: float = 0.0
    lower_us: float | None = None
    upper_us: float | None = None
    baseline_us: float | None = None
    value: str = ""
    share: str = ""
    excess: str = ""
    is_over: bool = False
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True, slots=True)
class Scale:
    """One unit and one number of decimals for all of a picture, so that parts add up."""

    unit: str
    decimals: int

    def text(self, us: float) -> str:
        """A positive value never reads as zero."""
        value, step = us / self.unit_us, float(10**-self.decimals)
        if value == 0:
            return f"0 {self.unit}"
        if 0 < value < step / 2:
            return f"<{step:.{self.decimals}f} {self.unit}"
        return f"{value:,.{self.decimals}f} {self.unit}"

    @property
    def unit_us(self) -> float:
        return 1000.0 if self.unit == "ms" else 1.0

    @property
    def step_us(self) -> float:
        return float(10**-self.decimals) * self.unit_us


TITLES = {"read": "Read", "write": "Write", "both": "Reads and writes"}
STATE_WORDS = {
    "judged": "",
    "too_few": "too few I/Os",
    "idle": "no I/O",
    "not_measured": "not measured",
    "no_data": "not analyzed yet",
}
# How a baseline is called, by what it rests on; in the page's words (frontend/src/copy/diagnosis.ts).
BASELINE_WORDS: Mapping[str | None, str] = {
    "history": "baseline for this hour",
    "setting": "baseline (configured default, no history yet)",
    "both": "baseline (partly configured default, little history)",
    None: "baseline",
}
_TOTAL = Row("total", "total", "", "Total")
_ORDER = [layer.name.lower() for layer in Layer]
_SEGMENTS = [segment.name.lower() for segment in Segment]
_LAYER_LABELS = {layer.name.lower(): style.label for layer, style in LAYER_STYLES.items()}
_LAYER_FILLS = {layer.name.lower(): style.color for layer, style in LAYER_STYLES.items()}
_SEGMENT_FILLS = {
    segment.name.lower(): FillStyle(style.color, style.hatched) for segment, style in SEGMENT_STYLES.items()
}
_NOT_TOLD_APART = FillStyle("gap", hatched=True)
# Ends of an axis that divide into three even steps without odd decimals.
_ENDS = (1.2, 1.5, 1.8, 2.1, 2.4, 3.0, 3.6, 4.5, 6.0, 7.5, 9.0, 12.0)
_AIR = 1.04
# Nothing that anybody measures is that short, and an axis of the shortest times there are has no width.
_LEAST_US = 1e-6


def shown(columns: Sequence[DirectionTimes]) -> tuple[DirectionTimes, ...]:
    """Reads and writes; one of them when both were silent for the same reason, which is then said once."""
    apart = tuple(column for column in columns if column.direction != "all")
    is_silent = not any(column.layers for column in apart)
    return apart[:1] if is_silent and len({str(column.state) for column in apart}) == 1 else apart


def title_of(column: DirectionTimes, *, alone: bool) -> str:
    return TITLES["both"] if alone else TITLES[column.direction]


def scale_of(columns: Sequence[DirectionTimes]) -> Scale:
    """ms from 0.1 ms on, µs below."""
    most_us = max((column.total_us or 0.0 for column in columns), default=0.0)
    if most_us < 100:
        return Scale("µs", 0)
    return Scale("ms", 2 if most_us < 20_000 else 1 if most_us < 200_000 else 0)


def rows_of(columns: Sequence[DirectionTimes], scale: Scale) -> tuple[tuple[Row, ...], ...]:
    """Of all columns, aligned: row n of every column is about the same thing."""
    names = _names(columns)
    found = []
    for column in columns:
        own = {row.key: row for row in _own_rows(column, scale)}
        found.append(tuple(own.get(name.key) or replace(name, value=_why_absent(column, name)) for name in names))
    return tuple(found)


def axis_end(rows: Iterable[Row]) -> float:
    """µs at the end of the axis: a little more than everything drawn."""
    highest = max((max(row.end_us, row.upper_us or 0.0, row.baseline_us or 0.0) for row in rows), default=0.0)
    if highest < _LEAST_US:
        return 1.0
    wanted = highest * _AIR
    power = 10.0 ** floor(log10(wanted))
    return next((end for end in _ENDS if end * power >= wanted), 12.0) * power


def share_text(share: float | None) -> str:
    """Never "0 %" for something and never "100 %" for less than all; nothing for an unknown share."""
    if share is None:
        return ""
    if share <= 0:
        return "0 %"
    if share < 0.01:
        return "<1 %"
    percent = floor(100 * share + 0.5)
    return f"{min(99, percent) if share < 1 else percent} %"


def _names(columns: Sequence[DirectionTimes]) -> list[Row]:
    """The total, then every layer of any column in path order, each followed by its parts where it has several."""
    layers = {layer.name: (_path_position(layer.layers), layer.label) for column in columns for layer in column.layers}
    if not layers:
        return [_TOTAL]
    for column in columns:
        # A direction without I/O has measured nothing of anything: no news about a layer.
        for name in column.not_measured if column.layers else ():
            layers.setdefault(name, (_path_position([name]), _LAYER_LABELS.get(name, name)))
    ordered = sorted(layers.items(), key=lambda item: item[1][0])
    names = [_TOTAL]
    for name, (_, label) in ordered:
        names += [Row(name, "layer", name, label), *_part_names(columns, name)]
    return names


def _part_names(columns: Sequence[DirectionTimes], layer: str) -> list[Row]:
    """The parts of a layer worth rows of their own: two or more above zero."""
    found: Mapping[str, Row] = {
        part.name: Row(f"part.{part.name}", "part", layer, part.label)
        for column in columns
        for part in column.parts
        if part.layer == layer and part.us > 0
    }
    if len(found) < 2:
        return []
    # In path order whichever column named them; a layer's rest comes after its segments.
    return [found[name] for name in sorted(found, key=lambda item: _SEGMENTS.index(item) if item in _SEGMENTS else inf)]


def _why_absent(column: DirectionTimes, name: Row) -> str:
    """Why a column has no value of a layer that stands in the picture."""
    if name.kind == "part" or not column.layers:
        return ""
    if name.layer in column.not_measured:
        return STATE_WORDS["not_measured"]
    merged = any(len(one.layers) > 1 and name.layer in one.layers for one in column.layers)
    return "not separable" if merged else ""


def _own_rows(column: DirectionTimes, scale: Scale) -> Iterator[Row]:
    rows: list[Row] = []
    at_us = 0.0
    for layer in column.layers:
        parts = list(_placed((part for part in column.parts if part.layer == layer.name), at_us, scale))
        rows += [_layer_row(layer, at_us, parts, scale), *parts]
        at_us += layer.us
    pieces = tuple(piece for row in rows if row.kind == "layer" for piece in row.pieces)
    value = STATE_WORDS[str(column.state)] if column.total_us is None else scale.text(column.total_us)
    yield replace(_TOTAL, end_us=column.total_us or 0.0, baseline_us=column.baseline_us, value=value, pieces=pieces)
    yield from rows


def _placed(parts: Iterable[PartTimes], at_us: float, scale: Scale) -> Iterator[Row]:
    for part in parts:
        end_us = at_us + part.us
        piece = Piece(at_us, end_us, _part_look(part))
        yield Row(
            f"part.{part.name}",
            "part",
            part.layer,
            part.label,
            at_us,
            end_us,
            value=scale.text(part.us),
            share=share_text(part.share),
            pieces=(piece,) if part.us > 0 else (),
        )
        at_us = end_us


def _layer_row(layer: LayerTimes, start_us: float, parts: Iterable[Row], scale: Scale) -> Row:
    end_us = start_us + layer.us
    whole = (Piece(start_us, end_us, _layer_look(layer.layers)),) if layer.us > 0 else ()
    return Row(
        layer.name,
        "layer",
        layer.name,
        layer.label,
        start_us,
        end_us,
        lower_us=start_us + layer.lower_us,
        upper_us=start_us + layer.upper_us,
        baseline_us=start_us + layer.baseline_us if layer.baseline_us > 0 else None,
        value=scale.text(layer.us),
        share=share_text(layer.share),
        excess=f"+{scale.text(layer.excess_us)}" if layer.excess_us >= scale.step_us else "",
        is_over=layer.excess_lower_us > 0,
        pieces=tuple(piece for part in parts for piece in part.pieces) or whole,
    )


def _layer_look(layers: Sequence[str]) -> FillStyle:
    """A layer in its colour; neighbours that were not separable are grey and hatched."""
    return FillStyle(_LAYER_FILLS[layers[0]]) if len(layers) == 1 else _NOT_TOLD_APART


def _part_look(part: PartTimes) -> FillStyle:
    """A segment in its colour; what no segment of a layer explains is the layer's colour, hatched."""
    if not part.is_rest and part.name in _SEGMENT_FILLS:
        return _SEGMENT_FILLS[part.name]
    return replace(_layer_look([layer for layer in _ORDER if layer in part.layer.split("_")]), hatched=True)


def _path_position(layers: Sequence[str]) -> float:
    """Of a layer, or of the outermost of merged ones, on the I/O's path; merged ones stand before their first."""
    return min((_ORDER.index(layer) for layer in layers if layer in _ORDER), default=inf) - (len(layers) - 1) / 10
