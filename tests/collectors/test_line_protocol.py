"""InfluxDB line protocol: what is written comes back, and a bad line costs that line only."""

import re
import string
import time
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.collectors.line_protocol import (
    LONGEST_LINE,
    MOST_FIELDS,
    MOST_TAGS,
    PRECISION_NS,
    FieldValue,
    Point,
    parse_lines,
)
from gavel.domain.guests import RefusalReason, RefusedLine

WANTED = frozenset({"diskio", "a b,c"})


def read(body: bytes | str, precision: str = "ns", wanted: frozenset[str] = WANTED) -> list[Point | RefusedLine]:
    return list(parse_lines(body.encode() if isinstance(body, str) else body, precision=precision, wanted=wanted))


def point(line: str, precision: str = "ns") -> Point:
    (only,) = read(line, precision)
    assert isinstance(only, Point), only
    return only


def refusal(line: bytes | str) -> RefusedLine:
    (only,) = read(line)
    assert isinstance(only, RefusedLine), only
    return only


def escaped(text: str, letters: str) -> str:
    return "".join(f"\\{letter}" if letter in letters else letter for letter in text)


def written(value: FieldValue, *, unsigned: bool = False) -> str:
    if isinstance(value, bool):
        return "true" if value else "f"
    if isinstance(value, int):
        return f"{value}{'u' if unsigned else 'i'}"
    if isinstance(value, float):
        return repr(value)
    return '"' + escaped(value, '"\\') + '"'


def line_of(measurement: str, tags: Mapping[str, str], fields: Mapping[str, FieldValue], at: int | None) -> str:
    head = escaped(measurement, ", ") + "".join(
        f",{escaped(name, ',= ')}={escaped(value, ',= ')}" for name, value in tags.items()
    )
    body = ",".join(f"{escaped(name, ',= ')}={written(value)}" for name, value in fields.items())
    return f"{head} {body}" + ("" if at is None else f" {at}")


# A backslash at the end of a name would escape what follows it: the protocol cannot write that.
NAMES = st.text(st.sampled_from(string.ascii_letters + string.digits + ' ,=:/()%#".ü'), min_size=1, max_size=12)
VALUES = st.one_of(
    st.integers(-(2**63), 2**63 - 1),
    st.booleans(),
    st.floats(allow_nan=False, allow_infinity=False, width=32),
    st.text(st.characters(codec="utf-8", exclude_characters="\r"), max_size=20),
)


@given(
    tags=st.dictionaries(NAMES, NAMES, max_size=5),
    fields=st.dictionaries(NAMES.filter(lambda name: not name.startswith("#")), VALUES, min_size=1, max_size=5),
    at=st.none() | st.integers(-(2**63), 2**63 - 1),
)
def test_every_point_that_is_written_is_read_as_it_was(
    tags: dict[str, str], fields: dict[str, FieldValue], at: int | None
) -> None:
    (found,) = read(line_of("a b,c", tags, fields, at))
    assert isinstance(found, Point), found
    assert (found.measurement, found.tags, found.at_ns) == ("a b,c", tags, at)
    assert found.fields == fields
    assert {name: type(value) for name, value in found.fields.items()} == {n: type(v) for n, v in fields.items()}


@given(st.lists(st.binary(max_size=40), max_size=12))
def test_whatever_stands_beside_it_a_good_line_is_read_and_nothing_is_raised(rubbish: list[bytes]) -> None:
    good = b"diskio,name=sda reads=1i 5"
    # A quoted text that is open may take the next line with it: only lines without marks are sure to leave the others alone.
    plain = [piece.replace(b'"', b"") for piece in rubbish]
    found = read(b"\n".join([*plain, good]))
    assert [
        each for each in found if isinstance(each, Point) and each.line == sum(b.count(b"\n") + 1 for b in plain) + 1
    ]
    read(b"\n".join([*rubbish, good]))


@given(st.text(st.sampled_from('a=,"\\ \n1i#'), max_size=60))
def test_lines_of_hostile_letters_are_points_or_refused_and_counted_once(text: str) -> None:
    found = read(text, wanted=frozenset({"a", ""}))
    numbers = [each.line for each in found]
    assert numbers == sorted(set(numbers))
    assert all(1 <= number <= text.count("\n") + 1 for number in numbers)


def test_telegrafs_own_line_is_read() -> None:
    line = "diskio,host=db\\ 01,name=sda,wwid=naa.6000c294e9da41377ffbeda45b97abeb reads=12i,io_await=0.5 1732400000000000000"
    found = point(line)
    assert found.tags == {"host": "db 01", "name": "sda", "wwid": "naa.6000c294e9da41377ffbeda45b97abeb"}
    assert found.fields == {"reads": 12, "io_await": 0.5}
    assert found.at_ns == 1_732_400_000_000_000_000


@pytest.mark.parametrize(("precision", "unit_ns"), PRECISION_NS.items())
def test_times_are_in_the_unit_of_the_request(precision: str, unit_ns: int) -> None:
    assert point("diskio f=1 7", precision).at_ns == 7 * unit_ns


def test_another_precision_is_no_precision() -> None:
    with pytest.raises(KeyError):
        read("diskio f=1 7", "d")


def test_lines_of_windows_comments_and_empty_lines_are_understood() -> None:
    found = read(b"# a comment\r\n\r\ndiskio f=1i 1\r\n  \ndiskio f=2u 2\n")
    assert [(each.line, each.fields) for each in found if isinstance(each, Point)] == [(3, {"f": 1}), (5, {"f": 2})]
    assert len(found) == 2


def test_a_line_feed_within_a_text_does_not_end_the_line() -> None:
    found = read('diskio t="one\ntwo",f=1i 1\ndiskio f=2i 2')
    assert [each.fields for each in found if isinstance(each, Point)] == [{"t": "one\ntwo", "f": 1}, {"f": 2}]


def test_a_text_that_is_never_closed_costs_its_own_line() -> None:
    first, second = read('diskio t="one\ndiskio f=2i 2')
    assert isinstance(first, RefusedLine)
    assert isinstance(second, Point)
    assert (first.reason, second.line) == (RefusalReason.MALFORMED, 2)


@pytest.mark.parametrize(
    "line",
    [
        "diskio",
        "diskio ",
        "diskio,name=sda",
        "diskio,name= f=1",
        "diskio,=sda f=1",
        "diskio,name f=1",
        "diskio,a=b=c f=1",
        "diskio,a=1,a=2 f=1",
        "diskio f=1,f=2",
        "diskio f=",
        "diskio =1",
        "diskio f",
        "diskio f=abc",
        "diskio f=1x",
        "diskio f=NaN",
        "diskio f=Inf",
        "diskio f=1e999",
        "diskio f=0x10",
        "diskio f=1_000",
        "diskio f=١i",
        "diskio f=9223372036854775808i",
        "diskio f=-1u",
        "diskio f=18446744073709551616u",
        "diskio f=1 abc",
        "diskio f=1 1.5",
        "diskio f=1 1 2",
        "diskio f=1 9223372036854775808",
        'diskio f="a"b',
        'diskio f="a',
        "diskio,a\\=b f=1",
        b"diskio f=1\xff",
        " ,a=b f=1",
    ],
)
def test_a_line_against_the_grammar_is_refused_with_a_reason(line: str | bytes) -> None:
    found = refusal(line)
    assert found.reason in (RefusalReason.MALFORMED, RefusalReason.UNKNOWN_MEASUREMENT)
    assert found.detail


def test_of_other_measurements_only_the_name_is_read() -> None:
    found = refusal("cpu,garbage after it")
    assert (found.reason, found.detail) == (RefusalReason.UNKNOWN_MEASUREMENT, "cpu")


def test_lines_tags_and_fields_have_a_limit() -> None:
    assert refusal("diskio f=1" + " " * 5 + "x" * LONGEST_LINE).reason is RefusalReason.TOO_LONG
    tags = ",".join(f"t{number}=v" for number in range(MOST_TAGS + 1))
    assert f"{MOST_TAGS + 1} tags" in refusal(f"diskio,{tags} f=1").detail
    fields = ",".join(f"f{number}=1" for number in range(MOST_FIELDS + 1))
    assert f"{MOST_FIELDS + 1} fields" in refusal(f"diskio {fields}").detail


@pytest.mark.parametrize(
    "row", [b'm a="', b'x" b="', b'a ="\\', b'a =""""', b"a=\\" * 100, b'"' * 400], ids=lambda row: repr(row[:8])
)
def test_quotation_marks_that_never_close_cost_no_time(row: bytes) -> None:
    begun = time.process_time()
    assert read(b"\n".join([row] * (1_000_000 // (len(row) + 1))))
    assert time.process_time() - begun < 5


def test_ten_megabytes_in_one_line_are_refused_at_once() -> None:
    begun = time.process_time()
    assert refusal(b'diskio f="' + b"x" * 10_000_000 + b'"').reason is RefusalReason.TOO_LONG
    assert time.process_time() - begun < 1


def test_texts_of_refusals_hold_no_controls_and_have_a_length() -> None:
    found = refusal("diskio f=\x1b[31m" + "y" * 5000)
    assert len(found.detail) < 200
    assert not re.search(r"[\x00-\x1f]", found.detail)
