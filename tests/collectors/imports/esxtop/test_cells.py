"""The tokenizer keeps every cell at its position, whatever esxtop leaves out around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.collectors.imports.esxtop.cells import RowPicker, split_cells
from gavel.collectors.imports.esxtop.errors import EsxtopRowError

Cell = tuple[bytes, bool]

quoted_cells = st.tuples(st.text("0123456789. ,-", max_size=6).map(str.encode), st.just(True))
bare_cells = st.tuples(st.text("0123456789. -", min_size=1, max_size=6).map(str.encode), st.just(False))
rows = st.lists(st.one_of(quoted_cells, bare_cells), min_size=1, max_size=40)


def printed(cells: list[Cell], *, commas_behind_bare: bool, last_comma: bool) -> bytes:
    """As esxtop writes them: after a bare cell the comma is missing when a quoted one follows."""
    line = b""
    for at, (cell, quoted) in enumerate(cells):
        line += b'"' + cell + b'"' if quoted else cell
        last = at == len(cells) - 1
        if (last and last_comma) or (not last and (quoted or commas_behind_bare or not cells[at + 1][1])):
            line += b","
    return line


@given(cells=rows, commas=st.booleans(), last=st.booleans())
def test_cells_split_as_they_were_printed(cells: list[Cell], commas: bool, last: bool) -> None:
    assert split_cells(printed(cells, commas_behind_bare=commas, last_comma=last)) == cells


@given(cells=rows, data=st.data(), last=st.booleans())
def test_wanted_cells_are_those_of_the_whole_row(cells: list[Cell], data: st.DataObject, last: bool) -> None:
    wanted = data.draw(st.lists(st.integers(0, len(cells) - 1), max_size=8))
    picker = RowPicker(len(cells), wanted)
    line = printed(cells, commas_behind_bare=False, last_comma=last)
    expected = [cells[at][0] for at in wanted]
    assert picker.pick(line) == expected
    assert picker.pick(line) == expected  # by the positions it has kept


@given(cells=st.lists(quoted_cells, min_size=2, max_size=20), bare=st.integers(0, 18))
def test_rows_of_another_layout_are_picked_by_their_own(cells: list[Cell], bare: int) -> None:
    """The positions of one layout are never used for another one with as many cells."""
    other = list(cells)
    other[bare % len(cells)] = (b"7", False)
    picker = RowPicker(len(cells), range(len(cells)))
    for each in (cells, other, cells):
        line = printed(each, commas_behind_bare=False, last_comma=False)
        assert picker.pick(line) == [cell for cell, _ in each]


@pytest.mark.parametrize("line", [b'"1","2"', b'"1","2","3","4"', b"1,2", b'"1",2"3""4"'])
def test_row_with_another_cell_count_is_refused(line: bytes) -> None:
    with pytest.raises(EsxtopRowError, match="cells, where the header has 3"):
        RowPicker(3, [0]).pick(line)


def test_row_with_an_open_quotation_mark_is_refused() -> None:
    with pytest.raises(EsxtopRowError, match="not closed"):
        RowPicker(2, [0]).pick(b'"1","2')


def test_broken_power_cells_are_cells_without_a_name() -> None:
    line = b'"0.00",    73.1"8.93","7",    73.9'
    assert split_cells(line) == [
        (b"0.00", True), (b"    73.1", False), (b"8.93", True), (b"7", True), (b"    73.9", False),
    ]  # fmt: skip


def test_rows_separated_by_tabs_are_split_at_tabs() -> None:
    assert RowPicker(3, [2, 1], b"\t").pick(b'"1,5"\t"2"\t"3"\t') == [b"3", b"2"]
