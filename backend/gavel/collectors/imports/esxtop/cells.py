"""From a line to its cells. esxtop writes some cells without quotation marks and without a comma after them; nothing may shift for that."""

from collections.abc import Sequence

from gavel.collectors.imports.esxtop.errors import EsxtopRowError

_QUOTE = b'"'
# Layouts that rows of one segment may have: genuine files have one.
_MOST_LAYOUTS = 16

Layout = tuple[int, tuple[tuple[int, int], ...]]


def split_cells(line: bytes, separator: bytes = b",") -> list[tuple[bytes, bool]]:
    """Each cell, and whether it stood in quotation marks.

    A quoted cell ends at the next mark and takes one separator with it; a bare one ends at the next separator, which it takes with it,
    or before the next mark. So a separator at the very end adds no cell.
    """
    pieces = _pieces(line)
    cells: list[tuple[bytes, bool]] = []
    for position, piece in enumerate(pieces):
        if position % 2:
            cells.append((piece, True))
        else:
            cells.extend((cell, False) for cell in _bare(piece, separator, first=position == 0))
    return cells


def _pieces(line: bytes) -> list[bytes]:
    """What stands between the marks: quoted cells at odd positions, separators and bare cells at even ones."""
    pieces = line.split(_QUOTE)
    if len(pieces) % 2 == 0:
        raise EsxtopRowError("a quotation mark is not closed")
    return pieces


def _bare(piece: bytes, separator: bytes, *, first: bool) -> list[bytes]:
    """The bare cells between two quoted ones (or the ends of the line)."""
    rest = piece if first else piece.removeprefix(separator)
    if not rest:
        return []
    cells = rest.split(separator)
    return cells[:-1] if cells[-1] == b"" else cells


class RowPicker:
    """Takes the wanted cells out of rows, and no others: a row of 17,000 columns has a few hundred of interest.

    A row whose cells are not as many as the header's is refused: which of them is missing cannot be seen.
    """

    def __init__(self, columns: int, wanted: Sequence[int], separator: bytes = b",") -> None:
        self._columns = columns
        self._wanted = wanted
        self._separator = separator
        self._picks: dict[Layout, list[int]] = {}

    def pick(self, line: bytes) -> list[bytes]:
        """The wanted cells, in the order asked for. Raises EsxtopRowError."""
        pieces = _pieces(line)
        layout = self._layout(pieces)
        picks = self._picks.get(layout)
        if picks is not None:
            return [pieces[pick] for pick in picks]
        return self._pick_slowly(line, layout)

    def _layout(self, pieces: list[bytes]) -> Layout:
        """Where bare cells stand, and how many: equal layouts have equal positions."""
        separator = self._separator
        odd = [(at, piece) for at, piece in enumerate(pieces[::2]) if piece != separator]
        counts = ((at, len(_bare(piece, separator, first=at == 0))) for at, piece in odd)
        return len(pieces), tuple((at, count) for at, count in counts if count)

    def _pick_slowly(self, line: bytes, layout: Layout) -> list[bytes]:
        cells = split_cells(line, self._separator)
        if len(cells) != self._columns:
            raise EsxtopRowError(f"{len(cells)} cells, where the header has {self._columns}")
        if all(cells[position][1] for position in self._wanted) and len(self._picks) < _MOST_LAYOUTS:
            quoted_before, count = [], 0
            for _, quoted in cells:
                quoted_before.append(count)
                count += quoted
            self._picks[layout] = [2 * quoted_before[position] + 1 for position in self._wanted]
        return [cells[position][0] for position in self._wanted]
