"""How wide a text is in the pictures' own font, and what of it the font can draw. The files are a subset of Inter, without kerning."""

import struct
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path

_FOLDER = Path(__file__).parent / "fonts"
# Stands for what the font has no picture of.
MISSING = "□"
_ELLIPSIS = "…"
# No picture shows more; what is cut out need not be measured.
_LONGEST = 400


@dataclass(frozen=True, slots=True)
class Font:
    """family: as the SVG names it. advances: ems by character."""

    family: str
    file: Path
    advances: dict[str, float]

    def width(self, text: str, size: float) -> float:
        """Pixels of a drawable text."""
        return size * sum(self.advances[character] for character in text)

    def drawable(self, text: str) -> str:
        return "".join(character if character in self.advances else MISSING for character in text)

    def ending(self, text: str, size: float, room: float) -> str:
        """The text, or as much of its beginning as fits."""
        text = self.drawable(text[:_LONGEST])
        if self.width(text, size) <= room:
            return text
        reach = self._reach(text, size, room - self.width(_ELLIPSIS, size))
        return text[:reach].rstrip() + _ELLIPSIS

    def middle(self, text: str, size: float, room: float) -> str:
        """The text, or as much of its two ends as fits: names differ at their ends."""
        if len(text) > _LONGEST:
            text = text[: _LONGEST // 2] + _ELLIPSIS + text[-_LONGEST // 2 :]
        text = self.drawable(text)
        if self.width(text, size) <= room:
            return text
        half = (room - self.width(_ELLIPSIS, size)) / 2
        head, tail = self._reach(text, size, half), self._reach(text[::-1], size, half)
        return f"{text[:head]}{_ELLIPSIS}{text[len(text) - tail :]}"

    def _reach(self, text: str, size: float, room: float) -> int:
        """How many characters from the beginning fit."""
        widths = accumulate(size * self.advances[character] for character in text)
        return sum(1 for width in widths if width <= room)


@cache
def regular() -> Font:
    return _read("Inter", _FOLDER / "Inter-Regular.ttf")


@cache
def semibold() -> Font:
    return _read("Inter SemiBold", _FOLDER / "Inter-SemiBold.ttf")


def _read(family: str, file: Path) -> Font:
    data = file.read_bytes()
    tables = _tables(data)
    units_per_em = struct.unpack_from(">H", data, tables["head"] + 18)[0]
    # The last width that is written down holds for every later glyph.
    metrics = struct.unpack_from(">H", data, tables["hhea"] + 34)[0]
    widths = [struct.unpack_from(">H", data, tables["hmtx"] + 4 * glyph)[0] for glyph in range(metrics)]
    advances = {
        chr(code): widths[min(glyph, metrics - 1)] / units_per_em
        for code, glyph in _glyphs(data, tables["cmap"]).items()
    }
    return Font(family, file, advances)


def _tables(data: bytes) -> dict[str, int]:
    """Where each table begins."""
    records = (struct.unpack_from(">4sIII", data, 12 + 16 * row) for row in range(struct.unpack_from(">H", data, 4)[0]))
    return {tag.decode("ascii"): offset for tag, _, offset, _ in records}


def _glyphs(data: bytes, cmap: int) -> dict[int, int]:
    """Glyph by code point, from the segments of the first encoding (format 4, which has all of Unicode's first plane)."""
    table = cmap + struct.unpack_from(">I", data, cmap + 8)[0]
    kind, _, _, twice = struct.unpack_from(">4H", data, table)
    if kind != 4:
        raise ValueError(f"the character map has format {kind} instead of 4; make the subset anew")
    count = twice // 2
    ends = struct.unpack_from(f">{count}H", data, table + 14)
    starts = struct.unpack_from(f">{count}H", data, table + 16 + twice)
    deltas = struct.unpack_from(f">{count}H", data, table + 16 + 2 * twice)
    offsets = struct.unpack_from(f">{count}H", data, table + 16 + 3 * twice)
    found = {}
    for row, (start, end, delta, offset) in enumerate(zip(starts, ends, deltas, offsets, strict=True)):
        place = table + 16 + 3 * twice + 2 * row + offset
        for code in range(start, end + 1):
            glyph = struct.unpack_from(">H", data, place + 2 * (code - start))[0] if offset else code
            if (glyph or not offset) and (number := (glyph + delta) & 0xFFFF):
                found[code] = number
    return found
