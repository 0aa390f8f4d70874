"""The picture of a waterfall that goes with a message: a PNG and the words that stand for it."""

from collections.abc import Sequence
from functools import cache

import resvg_py

from gavel.alerting.render.message import Message, Picture, window
from gavel.alerting.render.picture_font import regular, semibold
from gavel.alerting.render.picture_rows import DirectionTimes
from gavel.alerting.render.picture_svg import WIDTH, Heading, drawing, in_words

# Sharp on screens with two pixels per point.
_ZOOM = 2
# A picture of all that a waterfall can have is a third of that.
LARGEST_PNG = 512 * 1024


def picture_of(message: Message, columns: Sequence[DirectionTimes], named: tuple[str, ...] = ()) -> Picture | None:
    """What goes with `message`; a summary of many objects has no waterfall. named: keys of the layers that the diagnosis names."""
    if message.object_count > 1:
        return None
    heading = Heading(
        name=message.path[-1] if message.path else message.rule_name,
        sentence=message.sentence,
        window=window(message.from_at, message.to_at),
        quality=message.quality.value if message.quality else None,
        named=named,
    )
    return waterfall_picture(heading, columns)


def waterfall_picture(heading: Heading, columns: Sequence[DirectionTimes]) -> Picture:
    """The same input gives the same bytes. `columns`: the directions of a waterfall as `diagnosis.breakdown` has them."""
    svg, height = drawing(heading, columns)
    png = resvg_py.svg_to_bytes(
        svg,
        width=_ZOOM * WIDTH,
        height=_ZOOM * height,
        # Only what comes along: the same picture on every machine.
        skip_system_fonts=True,
        font_files=_font_files(),
        font_family=regular().family,
    )
    return Picture(alt=in_words(heading, columns), png=bytes(png))


@cache
def _font_files() -> list[str]:
    return [str(font.file) for font in (regular(), semibold())]
