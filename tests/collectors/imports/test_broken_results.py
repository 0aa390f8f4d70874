"""A result of any load tool that is cut or changed anywhere is read or refused by its name: nothing else leaves its reader."""

import io
import re
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.collectors.imports.diskspd.spans import Span, as_text, as_xml
from tests.collectors.imports.fio.results import job, result, way, written
from tests.collectors.imports.hcibench.summaries import of_fio
from tests.collectors.imports.iometer.results import block, results, row
from tests.collectors.imports.sqlio.results import printed
from tests.collectors.imports.vdbench.flat import HEAD_50406, Interval, flatfile, rows, started

from gavel.collectors.import_registry import FORMATS
from gavel.collectors.load_file import LoadFileError
from gavel.domain.imports import ImportOptions

TOTALS = "09:31:00.270  avg_2-60  2000.00  7.81  4096  75.00  0.500  0.400  0.800  96.066  10.097  1.0  1.2  0.2\n"
GOOD: Mapping[str, tuple[str, str]] = {
    "fio": ("fio", written(result(job(read=way())))),
    "flatfile": ("vdbench", flatfile(rows([Interval()] * 5), rows([Interval()] * 3, run="rd2"))),
    "totals": ("vdbench", started("rd1") + HEAD_50406 + TOTALS),
    "diskspd xml": ("diskspd", as_xml(Span(), Span())),
    "diskspd text": ("diskspd", as_text(Span(), Span())),
    "iometer": ("iometer", results(block(row()))),
    "sqlio": ("sqlio", printed()),
    "hcibench": ("hcibench", of_fio()),
}
GIVEN = ImportOptions(utc_bias_minutes=0)


def is_read_or_refused(tool: str, text: str) -> None:
    try:
        held = FORMATS[tool].read(io.BytesIO(text.encode("utf-8", "replace")), "its name", GIVEN)
    except LoadFileError as error:
        message = str(error)
    else:
        message = "its name" if getattr(held, "runs", ()) else "nothing was read"
    assert message.startswith("its name")
    assert "\n" not in message


@pytest.mark.parametrize("name", GOOD)
def test_load_tool_results_are_read_whole(name: str) -> None:
    tool, text = GOOD[name]
    assert getattr(FORMATS[tool].read(io.BytesIO(text.encode()), "its name", GIVEN), "runs", ())


@pytest.mark.parametrize("name", GOOD)
@given(
    st.floats(0, 1),
    st.integers(0, 40),
    st.sampled_from(["", "9" * 400, "-1", "nan", "1e999", "\n", ",", "|", "<", "é\x00", " "]),
)
def test_load_tool_result_broken_anywhere_is_read_or_refused_by_its_name(
    name: str, part: float, removed: int, put: str
) -> None:
    tool, text = GOOD[name]
    at = int(part * len(text))
    is_read_or_refused(tool, text[:at] + put + text[at + removed :])
    is_read_or_refused(tool, text[:at])


@pytest.mark.parametrize("digits", [9, 17, 20, 400, 5000])
@pytest.mark.parametrize("name", GOOD)
def test_load_tool_result_with_any_number_beyond_measure_is_read_or_refused(name: str, digits: int) -> None:
    tool, text = GOOD[name]
    for number in re.finditer(r"\d+", text):
        is_read_or_refused(tool, text[: number.start()] + "9" * digits + text[number.end() :])
