"""The csv decoder gives back what was sent, however it is cut into chunks, and drops exactly what is no number."""

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.collectors.hosts.vcenter.payloads import Entity, query_perf, recording

from gavel.collectors.hosts.vcenter.csv import CsvDecoder, Forms, NotCsvError, PivotedSeries
from gavel.domain.samples import NOT_MEASURED

NAA = "naa.624a9370a934ae2e94a9486b00011010"
START_US = 1_795_233_620_000_000  # 2026-11-21T04:00:20Z


def decode(
    body: bytes, columns: dict[int, int], *, chunk: int = 65_536, forms: Forms | None = None
) -> tuple[tuple[PivotedSeries, ...], int]:
    decoder = CsvDecoder(columns, forms)
    for start in range(0, len(body), chunk):
        decoder.feed(body[start : start + chunk])
    return decoder.finish(), decoder.rejected


def flat(parts: tuple[PivotedSeries, ...]) -> dict[tuple[str, str, int, int], int]:
    """(entity, instance, column, stamp in s) → value, measured ones only."""
    found = {}
    for part in parts:
        for (column, place, sample), value in np.ndenumerate(part.values):
            if value != NOT_MEASURED:
                entity, instance = part.names[place]
                found[entity, instance, column, int(part.ended_at_us[place, sample]) // 1_000_000] = int(value)
    return found


# --- laws ---------------------------------------------------------------------------------------------------------------

instances = st.text(
    alphabet=st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Z")), min_size=1, max_size=12
)
readings = st.integers(min_value=-1, max_value=1 << 40)


@st.composite
def entities(draw: st.DrawFn) -> list[Entity]:
    drawn = []
    for key in draw(st.lists(st.integers(1, 10_000), unique=True, max_size=4)):
        stamps = draw(st.lists(st.integers(1_700_000_000, 1_800_000_000), unique=True, min_size=1, max_size=5))
        names = draw(st.lists(st.tuples(st.integers(1, 4), instances), unique=True, max_size=5))
        series = {name: ",".join(str(draw(readings)) for _ in stamps) for name in names}
        drawn.append(Entity(f"host-{key}", stamps, series))
    return drawn


def expected(drawn: list[Entity]) -> dict[tuple[str, str, int, int], int]:
    return {
        (entity.key, instance, counter - 1, stamp): int(text)
        for entity in drawn
        for (counter, instance), values in entity.series.items()
        for stamp, text in zip(entity.stamps, values.split(","), strict=True)
        if int(text) >= 0
    }


@given(entities(), st.integers(1, 200), st.booleans())
def test_any_series_come_back_as_they_were_sent(drawn: list[Entity], chunk: int, unusual: bool) -> None:
    body = query_perf(drawn, unusual=unusual)
    parts, rejected = decode(body, {counter: counter - 1 for counter in range(1, 5)}, chunk=chunk)
    assert flat(parts) == expected(drawn)
    assert rejected == 0


ODD = ("", "7,8", ",", "NaN", "-", "1-2", " 3", "&#52;", "99999999999999999999", "<!-- 5 -->6")


@st.composite
def polls(draw: st.DrawFn) -> list[list[Entity]]:
    """One reply after the other of the same entities: mostly the same series with other numbers and one sample each."""
    host = draw(entities())
    replies = []
    for _ in range(draw(st.integers(2, 4))):
        reply = []
        for entity in host:
            series = {name: str(draw(readings)) for name in entity.series}
            is_changed: bool = draw(st.booleans())
            if series and is_changed:
                change = draw(st.sampled_from(["number", "name", "missing", "order", "new", "samples"]))
                names = list(series)
                name = draw(st.sampled_from(names))
                if change == "number":
                    series[name] = draw(st.sampled_from(ODD))
                elif change == "missing":
                    del series[name]
                elif change == "order":
                    series = {key: series[key] for key in draw(st.permutations(names))}
                elif change == "samples":
                    reply.append(entity)
                    continue
                else:
                    series[draw(st.integers(1, 5)), draw(instances)] = (
                        series[name] if change == "new" else series.pop(name)
                    )
            reply.append(Entity(entity.key, [draw(st.integers(1_700_000_000, 1_800_000_000))], series))
        replies.append(reply)
    return replies


@given(polls(), st.integers(1, 200))
def test_what_came_before_changes_nothing_of_what_a_reply_is_read_as(drawn: list[list[Entity]], chunk: int) -> None:
    columns, forms = {counter: counter - 1 for counter in range(1, 5)}, Forms()
    for reply in drawn:
        body = query_perf(reply)
        alone, rejected = decode(body, columns, chunk=chunk)
        after, rejected_after = decode(body, columns, chunk=chunk, forms=forms)
        assert flat(after) == flat(alone)
        assert [part.names for part in after] == [part.names for part in alone]
        assert rejected_after == rejected


@pytest.mark.parametrize("text", ODD)
def test_what_is_no_number_is_found_in_a_reply_that_is_otherwise_as_the_one_before(text: str) -> None:
    forms = Forms()
    sent = query_perf(
        [Entity("host-9", [START_US // 1_000_000], {(1, NAA): "41", (2, NAA): "42", (1, "vmhba1"): "43"})]
    )
    first, _ = decode(sent, {1: 0, 2: 1}, forms=forms)
    assert sorted(flat(first).values()) == [41, 42, 43]
    odd = sent.replace(b"<value>42<", f"<value>{text}<".encode())
    (alone, rejected), (after, rejected_after) = (decode(odd, {1: 0, 2: 1}, forms=known) for known in (None, forms))
    assert flat(after) == flat(alone)
    assert {41, 43} <= set(flat(after).values())
    assert rejected_after == rejected


@given(entities(), st.data())
def test_a_bad_series_takes_no_other_with_it(drawn: list[Entity], data: st.DataObject) -> None:
    names = [(entity.key, name) for entity in drawn for name in entity.series]
    bad = data.draw(st.sets(st.sampled_from(names), max_size=3)) if names else set()
    texts = itertools.cycle(["NaN", "", "1,2,3,4,5,6,7", "9223372036854775808", "1_0", "0x1", "<html>", "1;2", "٣"])
    spoiled = [
        Entity(
            entity.key,
            entity.stamps,
            {
                name: _spoil(text, next(texts), len(entity.stamps)) if (entity.key, name) in bad else text
                for name, text in entity.series.items()
            },
        )
        for entity in drawn
    ]
    parts, rejected = decode(query_perf(spoiled), {counter: counter - 1 for counter in range(1, 5)})
    kept = {key: value for key, value in expected(drawn).items() if (key[0], (key[2] + 1, key[1])) not in bad}
    assert flat(parts) == kept
    assert rejected == len(bad)


def _spoil(text: str, nonsense: str, samples: int) -> str:
    """The text with its first value made nonsense, so that it is none of `samples` integers any more."""
    return ",".join([nonsense, *text.split(",")[1:samples]])


@given(st.binary(max_size=300))
def test_any_bytes_end_in_an_answer_or_a_named_error(noise: bytes) -> None:
    try:
        decode(noise, {1: 0})
    except NotCsvError:
        return
    pytest.fail("noise was taken for a reply")


@pytest.mark.parametrize("encoding", ["ATF-8", "utf-32", "idna"])
def test_an_encoding_that_cannot_be_read_is_a_named_error(encoding: str) -> None:
    body = recording("query_perf_two_hosts_with_an_aggregate.xml").replace(b"UTF-8", encoding.encode(), 1)
    assert encoding.encode() in body
    with pytest.raises(NotCsvError, match="not XML"):
        decode(body, {133: 0, 134: 1})


@given(st.integers(1, 4_000), st.binary(min_size=1, max_size=3))
def test_damage_anywhere_ends_in_an_answer_or_a_named_error(place: int, noise: bytes) -> None:
    body = bytearray(recording("query_perf_two_hosts_with_an_aggregate.xml"))
    place %= len(body)
    body[place : place + len(noise)] = noise
    try:
        parts, _ = decode(bytes(body), {133: 0, 134: 1}, chunk=97)
    except NotCsvError:
        return
    assert all((part.values >= NOT_MEASURED).all() for part in parts)


# --- recordings ---------------------------------------------------------------------------------------------------------


def test_series_of_two_hosts_are_told_apart_and_the_aggregate_keeps_its_empty_name() -> None:
    parts, rejected = decode(recording("query_perf_two_hosts_with_an_aggregate.xml"), {133: 0, 134: 1})
    (part,) = parts
    assert part.names == (("host-15", NAA), ("host-15", ""), ("host-16", NAA))
    assert part.values[0].tolist() == [[120, 80, 0], [900, 800, 700], [7, 8, 9]]
    assert part.values[1].tolist() == [[3, 4, 5], [NOT_MEASURED] * 3, [NOT_MEASURED] * 3]
    assert part.ended_at_us[0].tolist() == [START_US, START_US + 20_000_000, START_US + 40_000_000]
    assert part.interval_s[0].tolist() == [20, 20, 20]
    assert rejected == 0


def test_counters_nobody_asked_for_are_ignored_and_not_counted_as_damage() -> None:
    parts, rejected = decode(recording("query_perf_two_hosts_with_an_aggregate.xml"), {134: 0})
    assert [part.values.tolist() for part in parts] == [[[[3, 4, 5]]]]
    assert rejected == 0


def test_minus_one_is_not_measured_and_zero_is_zero() -> None:
    parts, _ = decode(recording("query_perf_missing_samples_are_minus_one.xml"), {133: 0, 134: 1})
    assert parts[0].values[0].tolist() == [[120, NOT_MEASURED, 0]]


def test_a_series_shorter_than_its_sample_info_is_rejected_and_its_neighbour_kept() -> None:
    parts, rejected = decode(recording("query_perf_fewer_values_than_samples.xml"), {133: 0, 134: 1})
    assert parts[0].values.tolist() == [[[NOT_MEASURED] * 3], [[3, 4, 5]]]
    assert rejected == 1


def test_nan_overflow_empties_and_markup_are_rejected_series_by_series() -> None:
    columns = {counter: counter - 201 for counter in range(201, 206)}
    parts, rejected = decode(recording("query_perf_nan_overflow_empty_and_markup.xml"), columns)
    assert flat(parts) == {
        ("vm-1", "scsi0:0", 4, START_US // 1_000_000 + 20 * index): value for index, value in enumerate((5, 6, 7))
    }
    assert rejected == 4


def test_newest_first_another_prefix_and_line_breaks_are_the_same_reply() -> None:
    parts, _ = decode(recording("query_perf_prefixed_pretty_printed_newest_first.xml"), {133: 0})
    (part,) = parts
    assert part.names == (("host-15", "t10.NVMe____a&b"),)
    assert part.values.tolist() == [[[9, 8]]]
    assert part.ended_at_us.tolist() == [[START_US + 40_000_000, START_US + 20_000_000]]


def test_an_entity_without_samples_is_no_damage() -> None:
    parts, rejected = decode(recording("query_perf_entity_without_samples.xml"), {201: 0})
    assert [part.names for part in parts] == [(("vm-2", "nvme0:0"),)]
    assert rejected == 0


def test_a_host_with_unreadable_stamps_loses_its_own_series_only() -> None:
    parts, rejected = decode(recording("query_perf_unreadable_stamps_of_one_host.xml"), {133: 0, 134: 1})
    assert [part.names for part in parts] == [(("host-16", NAA),)]
    assert rejected == 2


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("query_perf_cut_off.xml", "cut short"),
        ("query_perf_in_normal_format.xml", "another format"),
        ("proxy_error.html", "html"),
        ("login.xml", "another format"),
        ("current_time.xml", "another format"),
        ("fault_not_authenticated.xml", "no QueryPerfResponse"),
    ],
)
def test_what_is_no_csv_reply_is_refused_as_a_whole(name: str, words: str) -> None:
    with pytest.raises(NotCsvError, match=words):
        decode(recording(name), {133: 0})


def test_an_answer_for_nobody_is_an_empty_one() -> None:
    parts: Any = decode(query_perf([]), {133: 0})[0]
    assert parts == ()
