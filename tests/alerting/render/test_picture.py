"""The picture tells what the waterfall tells: every bar in its place, every number in words, nothing by colour alone."""

import re
import time
from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.alerting import waterfalls
from tests.alerting.messages import NAMES, USUAL, summary
from tests.alerting.waterfalls import (
    ALL_CASES,
    CONFIRMED,
    HEADING,
    INCONCLUSIVE,
    LAYERS,
    NOTHING,
    ONE_SIDED,
    READS_ONLY,
    TINY,
    TOO_FEW,
    column,
    layer,
    nothing,
)

from gavel.alerting.render.picture import LARGEST_PNG, picture_of, waterfall_picture
from gavel.alerting.render.picture_font import MISSING, regular, semibold
from gavel.alerting.render.picture_rows import (
    BASELINE_WORDS,
    STATE_WORDS,
    DirectionTimes,
    Scale,
    rows_of,
    scale_of,
    share_text,
    shown,
)
from gavel.alerting.render.picture_svg import EDGES, FILLS, INKS, WIDTH, Heading, drawing
from gavel.diagnosis import breakdown, diagnose
from gavel.diagnosis.diagnose import DiagnosisState

FRONTEND = Path(__file__).resolve().parents[3] / "frontend/src"
CASES = pytest.mark.parametrize("case", sorted(ALL_CASES))
_SVG = "{http://www.w3.org/2000/svg}"


def drawn(columns: Sequence[DirectionTimes], **heading: object) -> ET.Element:
    return ET.fromstring(drawing(replace(HEADING, **heading), columns)[0])  # type: ignore[arg-type] # noqa: S314


def texts(svg: ET.Element) -> list[tuple[str, float, float, float]]:
    """(words, left, right, baseline) of every text, in pixels."""
    found = []
    for one in svg.iter(f"{_SVG}text"):
        font = semibold() if one.attrib["font-family"] == "Inter SemiBold" else regular()
        left, words = float(one.attrib["x"]), one.text or ""
        right = left + font.width(words, float(one.attrib["font-size"]))
        found.append((words, left, right, float(one.attrib["y"])))
    return found


def words(svg: ET.Element) -> list[str]:
    return [text for text, *_ in texts(svg)]


@CASES
def test_every_case_is_a_png_of_its_size_and_always_the_same(case: str) -> None:
    picture = waterfall_picture(HEADING, ALL_CASES[case])
    assert picture.png is not None
    assert picture.png.startswith(b"\x89PNG\r\n\x1a\n")
    height = drawing(HEADING, ALL_CASES[case])[1]
    assert picture.png[16:24] == (2 * WIDTH).to_bytes(4, "big") + (2 * height).to_bytes(4, "big")
    assert len(picture.png) < LARGEST_PNG / 2
    assert picture == waterfall_picture(HEADING, ALL_CASES[case])


def test_a_message_has_the_picture_of_its_own_window_and_a_summary_has_none() -> None:
    heading = Heading(
        name="ds-prod-07",
        sentence=USUAL.sentence,
        window="2026-11-21 02:10 – 02:15 UTC",
        quality="B",
        named=("kernel",),
    )
    assert picture_of(USUAL, CONFIRMED, ("kernel",)) == waterfall_picture(heading, CONFIRMED)
    assert picture_of(summary(), CONFIRMED) is None


def test_a_picture_is_made_while_somebody_waits() -> None:
    waterfall_picture(HEADING, CONFIRMED)
    started = time.process_time()
    waterfall_picture(HEADING, CONFIRMED)
    assert time.process_time() - started < 1


@CASES
@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_no_name_leaves_the_picture_or_means_anything_in_it(case: str, name: str) -> None:
    svg = drawn(ALL_CASES[case], name=name, sentence=name, window=name[:40])
    assert {element.tag.removeprefix(_SVG) for element in svg.iter()} <= {
        "svg",
        "defs",
        "pattern",
        "rect",
        "line",
        "path",
        "text",
    }
    assert all(left >= 0 and right <= WIDTH for _, left, right, _ in texts(svg))


@given(
    st.lists(
        st.lists(st.tuples(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6)), min_size=1, max_size=4),
        min_size=2,
        max_size=2,
    )
)
@example([[(5e-324, 0.0, 0.0)], [(0.0, 0.0, 0.0)]])
@settings(max_examples=60)
def test_no_two_texts_lie_on_one_another(times: list[list[tuple[float, float, float]]]) -> None:
    columns = [
        column(direction, [layer(name, *one, sum(us for us, _, _ in own)) for name, one in zip(LAYERS, own, strict=False)], [])
        for direction, own in zip(("read", "write"), times, strict=True)
    ]  # fmt: skip
    places = sorted(texts(drawn(columns)), key=lambda one: (one[3], one[1]))
    for (former, _, right, y), (latter, left, _, other_y) in pairwise(places):
        assert y != other_y or right <= left, (former, latter)
    assert all(left >= 0 and right <= WIDTH for _, left, right, _ in places)


@CASES
def test_bars_follow_one_another_and_end_at_the_total(case: str) -> None:
    columns = shown(ALL_CASES[case])
    for own, told in zip(rows_of(columns, scale_of(columns)), columns, strict=True):
        layers = [row for row in own if row.kind == "layer" and row.pieces]
        assert all(former.end_us == pytest.approx(latter.start_us) for former, latter in pairwise(layers))
        if layers:
            assert layers[0].start_us == 0
            assert layers[-1].end_us == pytest.approx(told.total_us)
            assert own[0].pieces == tuple(piece for row in layers for piece in row.pieces)
        for row in layers:
            parts = [one for one in own if one.kind == "part" and one.layer == row.key and one.pieces]
            assert not parts or parts[-1].end_us == pytest.approx(row.end_us)


def test_a_layer_is_named_and_its_number_written() -> None:
    said = words(drawn(CONFIRMED))
    for text in ("Kernel", "SAN", "Array", "Kernel queue", "Array QoS limit", "0.93 ms", "0.44 ms", "47 %", "+0.42 ms"):
        assert text in said, text
    # Above the total too, where they fit.
    assert said.count("Kernel") == 3


def test_what_is_not_measured_is_no_zero() -> None:
    said = words(drawn(ONE_SIDED))
    assert said.count("not measured") == 6
    assert "0 ms" not in said
    zero = column("read", [layer("kernel", 0, 0, 0, 400), layer("array", 400, 1, 0, 400)], [])
    assert "0 ms" in words(drawn([zero, nothing("write", DiagnosisState.IDLE)]))
    assert Scale("ms", 2).text(0.4) == "<0.01 ms"
    assert "<1 µs" in words(drawn(TINY))


def test_what_is_not_told_apart_is_one_hatched_grey_band() -> None:
    svg = drawn(INCONCLUSIVE, named=("kernel_san",))
    said = words(svg)
    assert "Kernel or SAN" in said
    assert said.count("not separable") == 2
    rects = [one.attrib for one in svg.iter(f"{_SVG}rect")]
    hatched = {(one["x"], one["y"]) for one in rects if one["fill"] == "url(#hatch)"}
    grey = {(one["x"], one["y"]) for one in rects if one["fill"] == FILLS["gap"]}
    # The total's piece, the band itself, and the legend's sign.
    assert len(grey) == 3
    assert grey <= hatched


def test_bounds_are_whiskers_and_the_named_layer_is_marked() -> None:
    plain, svg = drawn(CONFIRMED, named=()), drawn(CONFIRMED)
    # Three layers twice, each with a halo, and the legend's.
    assert len(list(svg.iter(f"{_SVG}path"))) == 13
    washes = [one for one in svg.iter(f"{_SVG}rect") if one.attrib["fill"] == INKS["bad"]]
    assert len(washes) == 2 * 3 + 1
    assert "named by the diagnosis" in words(svg)
    assert "named by the diagnosis" not in words(plain)


def test_silence_says_why() -> None:
    assert "not analyzed yet" in words(drawn(NOTHING))
    assert "Reads and writes" in words(drawn(NOTHING))
    assert {"Read", "Write", "no I/O"} <= set(words(drawn(READS_ONLY)))
    assert "too few I/Os" in words(drawn(TOO_FEW))
    with pytest.raises(ValueError, match="without reads and writes"):
        drawing(HEADING, ())


def test_who_cannot_see_it_is_told() -> None:
    alt = waterfall_picture(replace(HEADING, name="ds\u202e-07"), READS_ONLY).alt
    assert alt == (
        "Latency breakdown of ds\\u202e-07: Read 0.93 ms (Guest not measured, Kernel 0.44 ms, SAN 0.09 ms, Array 0.40 ms); "
        "Write no I/O"
    )


@pytest.mark.parametrize(
    ("share", "text"), [(None, ""), (0, "0 %"), (0.004, "<1 %"), (0.5, "50 %"), (0.999, "99 %"), (1.0, "100 %")]
)
def test_a_share_is_never_rounded_to_nothing_or_to_all(share: float | None, text: str) -> None:
    assert share_text(share) == text


def test_names_are_cut_where_they_differ_least() -> None:
    font = semibold()
    cut = font.middle("datastore-" + "x" * 1000 + "-07", 19, 300)
    assert cut.startswith("datastore-")
    assert cut.endswith("-07")
    assert font.width(cut, 19) <= 300
    assert regular().ending("short", 13, 300) == "short"
    assert regular().drawable("a🔥b日") == f"a{MISSING}b{MISSING}"
    for text in (*STATE_WORDS.values(), "µ ± × – … Größe Ωμέγα Ёлка"):
        assert MISSING not in regular().drawable(text)
        assert MISSING not in semibold().drawable(text)


def test_the_waterfalls_of_a_diagnosis_are_what_is_drawn() -> None:
    for told, asked in (
        (breakdown.DirectionNumbers, waterfalls.DirectionNumbers),
        (breakdown.PartNumbers, waterfalls.PartNumbers),
        (diagnose.LayerNumbers, waterfalls.LayerNumbers),
    ):
        assert {field.name for field in fields(asked)} <= {field.name for field in fields(told)}


# --- the same as on the page ------------------------------------------------------------------------------------------


def test_colours_are_those_of_the_light_theme() -> None:
    css = (FRONTEND / "styles/tokens.css").read_text()
    light = dict(re.findall(r"--gv-([\w-]+):\s*(#[0-9a-f]{6});", css.split('[data-theme="light"]')[1].split("}")[0]))
    assert {name: light[name.replace("_", "-")] for name in INKS} == INKS
    assert {name: light[name.replace("_", "-")] for name in FILLS} == FILLS
    assert {name: light[f"{name.replace('_', '-')}-edge"] for name in EDGES if name != "gap"} == {
        name: edge for name, edge in EDGES.items() if name != "gap"
    }


@pytest.mark.parametrize("basis", BASELINE_WORDS)
def test_nothing_is_called_usual_before_it_was_learned(basis: str | None) -> None:
    """In the page's words, and with room for the longest of them."""
    svg = drawn(CONFIRMED, baseline_from=basis)
    assert BASELINE_WORDS[basis] in words(svg)
    assert ("for this hour" in BASELINE_WORDS[basis]) is (basis == "history")
    assert max(right for _, _, right, _ in texts(svg)) <= WIDTH
    page = (FRONTEND / "copy/diagnosis.ts").read_text()
    names = {"history": "baselineHistory", "setting": "baselineSetting", "both": "baselinePartly", None: "baseline"}
    assert f"export const {names[basis]} = '{BASELINE_WORDS[basis]}'" in page


def test_silence_is_said_in_the_page_s_words() -> None:
    source = "".join((FRONTEND / f"copy/{area}.ts").read_text() for area in ("breakdown", "units"))
    assert all(f"'{said}'" in source for said in STATE_WORDS.values() if said)
