"""The waterfall as an SVG: light theme, every text measured before it is placed, nothing from outside but escaped names."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from gavel.alerting.render.message import visible
from gavel.alerting.render.picture_font import Font, regular, semibold
from gavel.alerting.render.picture_rows import (
    BASELINE_WORDS,
    STATE_WORDS,
    DirectionTimes,
    Piece,
    Row,
    Scale,
    axis_end,
    rows_of,
    scale_of,
    shown,
    title_of,
)
from gavel.domain.io_path import PATH_COLORS

# The light theme of styles/tokens.css; a test holds them equal.
INKS = {
    "card": "#ffffff",
    "border": "#d5dbe6",
    "grid": "#e7ebf2",
    "text": "#131a26",
    "muted": "#4e5a70",
    "faint": "#5f6a80",
    "bad": "#b3261e",
    "gap": "#9aa5b8",
    "total": "#0b0f17",
    "boundary": "#39445a",
}
FILLS = {**{name: color.fill for name, color in PATH_COLORS.items()}, "gap": INKS["gap"]}
EDGES = {**{name: color.edge for name, color in PATH_COLORS.items()}, "gap": INKS["faint"]}
WIDTH = 1200
_MARGIN, _LABELS, _BETWEEN = 28, 156, 76
_HEAD, _TITLES, _TOTAL_ROW, _ROW, _FOOT = 74, 44, 52, 33, 66
_BARS = {"total": 24.0, "layer": 18.0, "part": 8.0}
_LEAD = 10
_ROUND_ENDS = ' stroke-linecap="round"'
_GAP = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """What stands above and below the bars. named: keys of the layers the diagnosis names, one or two, or none. baseline_from: a key of
    `BASELINE_WORDS`, what the expectation rests on."""

    name: str
    sentence: str
    window: str
    quality: str | None = None
    named: tuple[str, ...] = ()
    baseline_from: str | None = None


@dataclass(frozen=True, slots=True)
class _Plot:
    """One direction's part of the picture."""

    title: str
    x: float
    width: float
    top: float
    max_us: float
    faint: bool

    def at(self, us: float) -> float:
        return self.x + self.width * us / self.max_us

    def middle(self, row: int) -> float:
        return self.top + _middle(row)


def _middle(row: int) -> float:
    """From the top of the first row, which is the total and has the layers' names above its bar."""
    return _TOTAL_ROW - 16.0 if row == 0 else _TOTAL_ROW + _ROW * (row - 0.5)


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    font: Font
    ink: str


def drawing(heading: Heading, columns: Sequence[DirectionTimes]) -> tuple[str, int]:
    """The SVG and its height in pixels at its width of `WIDTH`. ValueError without a direction."""
    columns = shown(columns)
    if not columns:
        raise ValueError("a waterfall without reads and writes has no picture")
    scale = scale_of(columns)
    every = rows_of(columns, scale)
    count = len(every[0])
    height = _HEAD + _TITLES + _TOTAL_ROW + _ROW * (count - 1) + _FOOT
    max_us = axis_end(row for rows in every for row in rows)
    parts = [*_defs(), _rect(0, 0, WIDTH, height, INKS["card"]), *_heading(heading)]
    for index, (column, rows) in enumerate(zip(columns, every, strict=True)):
        plot = _plot(index, columns, max_us)
        parts += _column(column, rows, plot, heading.named, scale)
    parts += [*_labels(every[0]), *_legend(height, heading)]
    body = "".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">{body}</svg>',
        height,
    )


def in_words(heading: Heading, columns: Sequence[DirectionTimes]) -> str:
    """For who cannot see the picture."""
    columns = shown(columns)
    scale = scale_of(columns)
    told = []
    for column, rows in zip(columns, rows_of(columns, scale), strict=True):
        layers = [f"{row.label} {row.value}" for row in rows if row.kind == "layer" and row.value]
        breakdown = f" ({', '.join(layers)})" if layers else ""
        told.append(f"{title_of(column, alone=len(columns) == 1)} {rows[0].value}{breakdown}")
    return f"Latency breakdown of {visible(heading.name[:200])}: {'; '.join(told)}"


# --- heading, labels, legend ------------------------------------------------------------------------------------------


def _heading(heading: Heading) -> Iterator[str]:
    quality = f" · data quality {heading.quality}" if heading.quality else ""
    window = regular().ending(visible(heading.window) + quality, 13, 420)
    window_width = regular().width(window, 13)
    room = WIDTH - 2 * _MARGIN - window_width - 24
    yield _text(_MARGIN, 36, _Word(semibold().middle(_seen(heading.name), 19, room), semibold(), "text"), 19)
    yield _text(WIDTH - _MARGIN - window_width, 36, _Word(window, regular(), "muted"), 13)
    sentence = regular().ending(_seen(heading.sentence), 14, WIDTH - 2 * _MARGIN)
    yield _text(_MARGIN, 60, _Word(sentence, regular(), "muted"), 14)


def _seen(text: str) -> str:
    # Long ones are cut to what fits; this only bounds the work.
    return visible(text if len(text) <= 2000 else text[:1000] + "…" + text[-1000:])


def _labels(rows: Sequence[Row]) -> Iterator[str]:
    for index, row in enumerate(rows):
        font, ink = (regular(), "muted") if row.kind == "part" else (semibold(), "text")
        x, size = (_MARGIN + 12, 12.5) if row.kind == "part" else (_MARGIN, 13.5)
        label = font.ending(visible(row.label), size, _MARGIN + _LABELS - 8 - x)
        yield _text(x, _HEAD + _TITLES + _middle(index) + 0.35 * size, _Word(label, font, ink), size)


def _legend(height: int, heading: Heading) -> Iterator[str]:
    y, x = height - 22, float(_MARGIN + _LABELS)
    yield _line(_MARGIN, height - 44, WIDTH - _MARGIN, height - 44, INKS["grid"], 1)
    signs = [(BASELINE_WORDS[heading.baseline_from], _expected_sign), *_SIGNS]
    for words, sign in signs if heading.named else signs[:-1]:
        yield sign(x, x + 22, y)
        yield _text(x + 30, y + 4.5, _Word(words, regular(), "muted"), 12.5)
        x += 60 + regular().width(words, 12.5)
    yield _rect(0.5, 0.5, WIDTH - 1, height - 1, "none", f' stroke="{INKS["border"]}"')


def _expected_sign(start: float, end: float, y: float) -> str:
    return _line(start, y, end, y, INKS["boundary"], 2.6, _ROUND_ENDS)


def _bounds_sign(start: float, end: float, y: float) -> str:
    return _whisker(start, end, y, INKS["total"], 1.5)


def _hatch_sign(start: float, end: float, y: float) -> str:
    return _rect(start, y - 7, end - start, 14, INKS["gap"]) + _rect(start, y - 7, end - start, 14, "url(#hatch)")


def _named_sign(start: float, end: float, y: float) -> str:
    look = f' fill-opacity="0.12" stroke="{INKS["bad"]}" stroke-opacity="0.5"'
    return _rect(start, y - 7, end - start, 14, INKS["bad"], look)


_SIGNS: Sequence[tuple[str, Callable[[float, float, float], str]]] = (
    ("range of the layer", _bounds_sign),
    ("estimated, queued or not separable", _hatch_sign),
    ("named by the diagnosis", _named_sign),
)


# --- one direction ----------------------------------------------------------------------------------------------------


def _plot(index: int, columns: Sequence[DirectionTimes], max_us: float) -> _Plot:
    """Equally wide on one scale: only then can reads and writes be compared by eye."""
    left, count = _MARGIN + _LABELS, len(columns)
    whole = WIDTH - _MARGIN - 18 - left
    width = (whole - (count - 1) * _BETWEEN) / count
    title = title_of(columns[index], alone=count == 1)
    is_faint = str(columns[index].state) != "judged"
    return _Plot(title, left + index * (width + _BETWEEN), width, _HEAD + _TITLES, max_us, is_faint)


def _column(
    column: DirectionTimes, rows: Sequence[Row], plot: _Plot, named: tuple[str, ...], scale: Scale
) -> Iterator[str]:
    yield from _title(column, rows[0], plot)
    yield from _axis(plot, len(rows), scale)
    marked = () if plot.faint else named
    for index, row in enumerate(rows):
        if row.layer in marked:
            wash = ' fill-opacity="0.09"'
            yield _rect(plot.x - 8, plot.middle(index) - _ROW / 2, plot.width + 34, _ROW, INKS["bad"], wash)
    yield from _owners(rows, plot)
    for index, row in enumerate(rows):
        yield from _connector(index, rows, plot)
        for piece in row.pieces:
            yield from _bar(piece, row.kind, index, plot)
        yield from _expected(row, index, plot)
        yield from _bounds(row, index, plot)
        yield from _value(row, index, plot)


def _title(column: DirectionTimes, total: Row, plot: _Plot) -> Iterator[str]:
    words = [(_Word(plot.title, semibold(), "muted"), 14.0)]
    if column.total_us is not None:
        words.append((_Word(total.value, semibold(), "faint" if plot.faint else "text"), 20.0))
    if state := STATE_WORDS[str(column.state)]:
        words.append((_Word(state, regular(), "faint"), 14.0))
    x = plot.x
    for word, size in words:
        yield _text(x, _HEAD + 28, word, size)
        x += word.font.width(word.text, size) + 10


def _axis(plot: _Plot, count: int, scale: Scale) -> Iterator[str]:
    bottom = plot.middle(count - 1) + _ROW / 2
    if count == 1:
        return
    for step in range(4):
        us = plot.max_us * step / 3
        x = plot.at(us)
        yield _line(x, plot.top - 4, x, bottom, INKS["grid"], 1)
        label = f"{float(f'{us / scale.unit_us:.3g}'):g} {scale.unit}" if step else "0"
        yield _text(x - regular().width(label, 11.5) / 2, bottom + 16, _Word(label, regular(), "faint"), 11.5)


def _owners(rows: Sequence[Row], plot: _Plot) -> Iterator[str]:
    """The layers' names above the total, where they fit: colour alone says nothing to many."""
    y = plot.middle(0) - _BARS["total"] / 2 - 6
    for row in rows:
        if row.kind == "layer" and row.pieces:
            start, end, width = plot.at(row.start_us), plot.at(row.end_us), regular().width(row.label, 11.5)
            if width <= end - start:
                yield _text((start + end - width) / 2, y, _Word(row.label, regular(), "muted"), 11.5)


def _connector(index: int, rows: Sequence[Row], plot: _Plot) -> Iterator[str]:
    """From the end of a layer's bar down to where the next layer's begins, past the rows of its parts."""
    row = rows[index]
    if row.kind != "layer" or not row.pieces:
        return
    following = range(index + 1, len(rows))
    if (after := next((one for one in following if rows[one].kind == "layer" and rows[one].pieces), None)) is not None:
        x, half = plot.at(row.end_us), _BARS["layer"] / 2
        dashes = ' stroke-dasharray="2 2"'
        yield _line(x, plot.middle(index) + half, x, plot.middle(after) - half, INKS["muted"], 1, dashes)


def _bar(piece: Piece, kind: str, index: int, plot: _Plot) -> Iterator[str]:
    x, height = plot.at(piece.start_us), _BARS[kind]
    width = max(1.0, plot.at(piece.end_us) - x)
    y = plot.middle(index) - height / 2
    fill = "gap" if plot.faint else piece.look.fill
    edge = f' stroke="{EDGES[fill]}"'
    yield _rect(x, y, width, height, FILLS[fill], edge)
    if piece.look.hatched:
        yield _rect(x, y, width, height, "url(#hatch)", edge)


def _expected(row: Row, index: int, plot: _Plot) -> Iterator[str]:
    """Under the bar, as long as is expected: the baseline of this hour, or without a history the setting."""
    if row.baseline_us:
        y = plot.middle(index) + _BARS[row.kind] / 2 + 3.5
        yield _line(plot.at(row.start_us), y, plot.at(row.baseline_us), y, INKS["boundary"], 2.6, _ROUND_ENDS)


def _bounds(row: Row, index: int, plot: _Plot) -> Iterator[str]:
    """Twice drawn, so that it stands out from a bar of any colour and from the card."""
    if row.lower_us is None or row.upper_us is None or row.upper_us <= row.lower_us:
        return
    ends = plot.at(row.lower_us), plot.at(row.upper_us), plot.middle(index)
    yield _whisker(*ends, INKS["card"], 3.6)
    yield _whisker(*ends, INKS["total"], 1.5)


def _value(row: Row, index: int, plot: _Plot) -> Iterator[str]:
    """Right of everything drawn in its row, or left of it; with fewer words where there is no room for all."""
    if row.kind == "total" or not row.value:
        return
    after = plot.at(max(row.end_us, row.upper_us or 0.0)) + _LEAD
    before = plot.at(min(row.start_us, row.start_us if row.lower_us is None else row.lower_us)) - _LEAD
    room_right, room_left = plot.x + plot.width + 24 - after, before - plot.x
    choices = _choices(row)
    words = next((one for one in choices if _width(one) <= max(room_right, room_left)), choices[-1])
    is_right = _width(words) <= room_right or _width(words) > room_left
    x = min(after, plot.x + plot.width + 24 - _width(words)) if is_right else before - _width(words)
    y = plot.middle(index) + 4.5
    for word in words:
        yield _text(x, y, word, 13, halo=True)
        x += word.font.width(word.text, 13) + _GAP


def _choices(row: Row) -> list[list[_Word]]:
    """All that can be said about a row, then less and less."""
    is_told = bool(row.pieces) or bool(row.share)
    quiet = row.kind == "part" or not is_told
    value = _Word(
        row.value, regular() if quiet else semibold(), "text" if not quiet else "muted" if is_told else "faint"
    )
    share = _Word(row.share, regular(), "muted")
    excess = _Word(row.excess, semibold() if row.is_over else regular(), "bad" if row.is_over else "muted")
    return [[word for word in words if word.text] for words in ([value, share, excess], [value, excess], [value])]


def _width(words: Sequence[_Word]) -> float:
    return sum(word.font.width(word.text, 13) for word in words) + _GAP * (len(words) - 1)


# --- elements ---------------------------------------------------------------------------------------------------------


def _defs() -> Iterator[str]:
    stripe = f'<rect width="1.6" height="6" fill="{INKS["card"]}" fill-opacity="0.8"/>'
    look = 'width="5" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"'
    yield f'<defs><pattern id="hatch" {look}>{stripe}</pattern></defs>'


def _rect(x: float, y: float, width: float, height: float, fill: str, more: str = "") -> str:
    return f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" fill="{fill}"{more}/>'


def _line(x1: float, y1: float, x2: float, y2: float, ink: str, width: float, more: str = "") -> str:
    return (
        f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" stroke="{ink}" stroke-width="{width}"{more}/>'
    )


def _whisker(start: float, end: float, y: float, ink: str, width: float) -> str:
    path = f"M{start:.2f} {y:.2f}H{end:.2f}M{start:.2f} {y - 5:.2f}v10M{end:.2f} {y - 5:.2f}v10"
    return f'<path d="{path}" fill="none" stroke="{ink}" stroke-width="{width}"/>'


def _text(x: float, y: float, word: _Word, size: float, *, halo: bool = False) -> str:
    outline = (
        f' paint-order="stroke" stroke="{INKS["card"]}" stroke-width="3.5" stroke-linejoin="round"' if halo else ""
    )
    style = f'font-family="{word.font.family}" font-size="{size}" fill="{INKS[word.ink]}"'
    return f'<text x="{x:.2f}" y="{y:.2f}" {style}{outline} xml:space="preserve">{escape(word.text)}</text>'
