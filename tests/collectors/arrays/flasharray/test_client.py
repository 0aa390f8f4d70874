"""A FlashArray that answers what no array sends costs an error that says what is wrong, and neither memory nor time."""

import gzip
import json
import time
import tracemalloc
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

import pytest
from tests.hostile.sources import good
from tests.hostile.sources.good import SINCE, UNTIL
from tests.hostile.sources.peer import Bytes, Request
from tests.stopwatch import Stopwatch

from gavel.collectors.arrays.flasharray import client, paging, wire
from gavel.collectors.arrays.flasharray.parse import parse_page, parse_rows, parse_versions, usec_includes_queue
from gavel.collectors.net import CheckedCollector
from gavel.domain.errors import OverloadedError, ProtocolError, SourceError
from gavel.domain.source import CheckState, Stream
from gavel.egress import network
from gavel.egress.network import retry_after_s, total_deadline

MIB = 1024 * 1024
Body = Callable[[Request], Any]


def answer(body: Any = None, *, status: int = 200, raw: bytes | None = None, **headers: str) -> Bytes:
    content = json.dumps(body).encode() if raw is None else raw
    lines = [f"HTTP/1.1 {status} X", f"Content-Length: {len(content)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return Bytes("\r\n".join(lines).encode() + b"\r\n\r\n" + content)


class Array:
    """Speaks REST 2.26 and lets anybody in; `lists` answers everything else. `asked`: requests of lists."""

    def __init__(self, lists: Callable[[Request], Bytes], *, login: Bytes | None = None) -> None:
        self._lists = lists
        self._login = login or answer({}, x_auth_token="session")
        self.asked: list[Request] = []

    def __call__(self, request: Request) -> Bytes:
        if request.path == "/api/api_version":
            return answer({"version": ["1.0", "2.26"]})
        if request.path.endswith("/login"):
            return self._login
        if request.path.endswith("/logout"):
            return answer({})
        self.asked.append(request)
        return self._lists(request)

    def collector(self) -> CheckedCollector:
        return good.array_collector(self)

    def samples(self) -> int:
        """Rows of volumes that are read from it."""
        return sum(len(batch) for batch in self.collector().samples(Stream.ARRAY_VOLUME, SINCE, UNTIL))


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Stopwatch:
    """What the deadlines of reads are measured by."""
    held = Stopwatch()
    held.hold(monkeypatch, network)
    return held


def row(number: int, second: int = 30) -> dict[str, Any]:
    return {"id": f"v{number}", "time": int(SINCE.timestamp() * 1000) + second * 1000, "reads_per_sec": 5}


# --- size ---------------------------------------------------------------------------------------------------------------


def test_packed_answers_are_refused_before_they_are_unpacked() -> None:
    """400 MB of blanks in 398 kB."""
    bomb = gzip.compress(bytes(100 * MIB), 9, mtime=0)
    array = Array(lambda _: answer(raw=bomb, Content_Encoding="gzip"))
    tracemalloc.start()
    try:
        with pytest.raises(ProtocolError, match=r"packed \(gzip\).*unpacked ones only"):
            array.samples()
        assert tracemalloc.get_traced_memory()[1] < 20 * MIB
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "x-\x1b[31m"])
def test_packed_answers_are_named_without_their_controls(encoding: str) -> None:
    with pytest.raises(SourceError) as caught:
        Array(lambda _: answer({}, Content_Encoding=encoding)).samples()
    assert "\x1b" not in str(caught.value)


def test_identity_as_an_encoding_is_no_packing() -> None:
    assert Array(lambda _: answer({"items": [row(1)]}, Content_Encoding="identity")).samples() == 1


@pytest.mark.parametrize(
    ("framing", "words"),
    [
        (b"Transfer-Encoding: chunked\r\n\r\n-5\r\n{}\r\n0\r\n\r\n", "have no length"),
        (b"Content-Length: 99\r\n\r\n{}", r"broke off.*2 bytes read, 97 more expected"),
    ],
)
def test_an_answer_whose_length_is_wrong_says_so(framing: bytes, words: str) -> None:
    with pytest.raises(ProtocolError, match=rf"127\.0\.0\.1: .*volumes/performance.*{words}"):
        Array(lambda _: Bytes(b"HTTP/1.1 200 OK\r\n" + framing)).samples()


def test_a_body_larger_than_any_page_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "_LARGEST_BODY", 1 * MIB)
    with pytest.raises(ProtocolError, match="larger than 1 MiB"):
        Array(lambda _: answer({"items": [{"id": "x" * 2 * MIB}]})).samples()


@pytest.mark.parametrize("items", [[1] * 1_100_000, [{}] * 20_000, [{"id": "a", "time": 1}] * 20_000])
def test_a_page_with_more_items_than_were_asked_for_is_given_up(items: list[Any]) -> None:
    with pytest.raises(ProtocolError, match=r"one page holds"):
        parse_page(json.dumps({"items": items}).encode(), "array-1: volumes")
    with pytest.raises(ProtocolError, match=r"one page holds"):
        parse_rows(json.dumps({"items": items}).encode(), "array-1: volumes", wire.VolumePerformance)


def test_what_was_read_before_is_not_asked_for_again() -> None:
    array = Array(lambda _: answer({"items": [row(1)]}))
    array.samples()
    [asked] = [parse_qs(request.target.partition("?")[2]) for request in array.asked]
    since_ms = int(SINCE.timestamp() * 1000)
    assert (asked["start_time"], asked["end_time"]) == ([str(since_ms + 1)], [str(int(UNTIL.timestamp() * 1000))])
    list(array.collector().samples(Stream.ARRAY_VOLUME, UNTIL, UNTIL))
    assert len(array.asked) == 1


# --- pages without end --------------------------------------------------------------------------------------------------


def test_the_same_page_over_and_over_is_stopped() -> None:
    array = Array(lambda _: answer({"items": [row(n) for n in range(100)], "more_items_remaining": True}))
    with pytest.raises(ProtocolError, match="repeat themselves"):
        array.samples()
    assert len(array.asked) < 20
    lists = Array(lambda _: answer({"items": [{"id": "x", "name": "x"}] * 500, "more_items_remaining": True}))
    with pytest.raises(ProtocolError, match="repeat themselves"):
        lists.collector().inventory()


def test_a_continuation_token_that_repeats_is_stopped() -> None:
    array = Array(
        lambda _: answer(
            {"items": [{"id": f"{time.monotonic_ns()}"}], "more_items_remaining": True, "continuation_token": "t"}
        )
    )
    with pytest.raises(ProtocolError, match="same continuation token came twice"):
        array.collector().inventory()
    assert len(array.asked) == 2


def test_endless_new_pages_are_stopped() -> None:
    array = Array(lambda _: answer({"items": [row(len(array.asked))], "more_items_remaining": True}))
    with pytest.raises(ProtocolError, match="after 1,000 pages"):
        array.samples()
    assert len(array.asked) == paging.MOST_PAGES


def test_endless_pages_end_with_the_deadline_of_the_whole_read(watch: Stopwatch) -> None:
    def slow(_: Request) -> Bytes:
        watch.passed_s += 10
        return answer({"items": [row(len(array.asked))], "more_items_remaining": True})

    array = Array(slow)
    with pytest.raises(SourceError, match="no answer in time"), total_deadline(100):
        array.samples()
    assert len(array.asked) == 10


def test_rows_that_a_shifted_list_repeats_are_read_once() -> None:
    """By offset, a list that grows at its head while it is read shows its rows again."""
    pages = [[row(n) for n in range(1000)], [row(n) for n in range(1000)], [row(n) for n in range(1000, 2000)]]
    array = Array(
        lambda _: answer({"items": pages[len(array.asked) - 1], "more_items_remaining": len(array.asked) < 3})
    )
    assert array.samples() == 2000


# --- what only looks like an answer -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "date",
    [
        "Fri, 20 Nov 99999999999999999999 22:17:12 GMT",
        "Fri, 20 Nov 2026 22:17:12 +99999999999999999999",
        "²",
        "31 Dec 9999 23:59:59 -2359",
    ],
)
def test_a_date_that_no_calendar_has_is_no_clock(date: str) -> None:
    assert Array(lambda _: answer({"items": [row(1)]}, Date=date)).samples() == 1
    assert retry_after_s(date) is None or retry_after_s(date) == 86_400


@pytest.mark.parametrize("wish", ["²", "Fri, 20 Nov 99999999999999999999 22:17:12 GMT", "-1", "1e9", "9" * 5000, ""])
@pytest.mark.usefixtures("watch")
def test_a_wish_to_wait_that_is_no_number_is_none(wish: str) -> None:
    with pytest.raises(OverloadedError) as caught, total_deadline(0.01):
        Array(lambda _: answer({}, status=503, Retry_After=wish)).samples()
    assert caught.value.retry_after_s is None
    assert retry_after_s("99999999999999999999") == 86_400


@pytest.mark.usefixtures("watch")
def test_a_busy_array_is_not_waited_for_beyond_the_deadline_of_the_read() -> None:
    array = Array(lambda _: answer({}, status=429))
    with pytest.raises(OverloadedError), total_deadline(0.01):
        array.samples()
    assert len(array.asked) == 1


@pytest.mark.parametrize("version", ["6.²", "6." + "9" * 5000, "", "\0", "x.y.z"])
def test_a_purity_version_that_is_none_is_older_than_all(version: str) -> None:
    assert usec_includes_queue(version) is False


def test_a_rest_version_that_is_none_is_left_out() -> None:
    offered = json.dumps({"version": ["2.²", "2." + "9" * 5000, "2.26", "3.0", "2"]}).encode()
    assert parse_versions(offered, "array-1") == [(2, 26)]


@pytest.mark.parametrize("depth", [1_000, 200_000])
def test_a_document_nested_without_end_is_no_page(depth: int) -> None:
    with pytest.raises(SourceError):
        Array(lambda _: answer(raw=b'{"items":' + b"[" * depth + b"]" * depth + b"}")).collector().inventory()


@pytest.mark.parametrize("token", ["schlüssel", "\N{LATIN SMALL LETTER SHARP S}", "t" * 10_000])
def test_a_session_token_that_no_header_can_carry_is_refused(token: str) -> None:
    array = Array(lambda _: answer({"items": []}), login=answer({}, x_auth_token=token))
    collector = array.collector()
    with pytest.raises(ProtocolError, match="session token"):
        collector.clocks()
    collector.close()


def test_the_words_of_an_array_are_one_bounded_line_without_controls() -> None:
    words = {"errors": [{"context": "a\0b\x1b[31m\n2026 [error] forged", "message": "x" * 100_000}] * 50}
    with pytest.raises(ProtocolError) as caught:
        Array(lambda _: answer(words, status=400)).samples()
    assert len(str(caught.value)) <= 1024
    assert not {"\0", "\x1b", "\n"} & set(str(caught.value))


def test_whatever_else_goes_wrong_with_an_answer_is_a_source_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("nobody foresaw it\n")

    collector = Array(lambda _: answer({"items": [row(1)]})).collector()
    monkeypatch.setattr("gavel.collectors.arrays.flasharray.parse.performance_batch", fails)
    with pytest.raises(ProtocolError, match=r"ZeroDivisionError: nobody foresaw it \)"):
        list(collector.samples(Stream.ARRAY_VOLUME, SINCE, UNTIL))
    failed = [check for check in collector.preflight().checks if check.state is CheckState.FAILED]
    assert [check.name for check in failed] == ["Array"]


def test_ids_that_no_database_stores_are_cleaned_in_samples_as_in_the_inventory() -> None:
    array = Array(lambda _: answer({"items": [row(1) | {"id": "a\0b"}]}))
    [batch] = array.collector().samples(Stream.ARRAY_VOLUME, SINCE, UNTIL)
    assert batch.keys == ("a\N{REPLACEMENT CHARACTER}b",)
    twins = Array(lambda _: answer({"items": [row(1) | {"id": "a\0b"}, row(1) | {"id": "a\x01b"}]}))
    with pytest.raises(ProtocolError, match="differ only in what cannot be stored"):
        twins.samples()


def test_what_an_array_wants_to_be_remembered_is_not_sent_back() -> None:
    array = Array(lambda _: answer({"items": [row(1)]}, Set_Cookie="a=b; Path=/"))
    collector = array.collector()
    list(collector.samples(Stream.ARRAY_VOLUME, SINCE, UNTIL))
    list(collector.samples(Stream.ARRAY_VOLUME, SINCE, UNTIL))
    assert len(array.asked) == 2
    assert not any(b"cookie" in request.head.lower() for request in array.asked)
