"""A vCenter that answers what no vCenter sends costs an error that says what is wrong, and neither memory, time nor a credential."""

import re
import socket
import ssl
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

import pytest
from pydantic import SecretStr
from tests.collectors.hosts.vcenter.conftest import PASSWORD, USER, Scripted
from tests.collectors.hosts.vcenter.payloads import recording
from tests.collectors.hosts.vcenter.script import Script
from tests.collectors.hosts.vcenter.script import http as reply
from tests.collectors.hosts.vcenter.test_client import RECORDED, current_time
from tests.collectors.tls import Identity, tcp_server
from tests.hostile.sources import good
from tests.hostile.sources.good import Answer, Operation, Recording
from tests.hostile.sources.peer import Bytes, Request

from gavel.collectors.hosts.vcenter import csv, watch
from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.csv import CsvDecoder, NotCsvError, TooMuchError
from gavel.collectors.hosts.vcenter.settings import VcenterSettings
from gavel.domain.errors import ProtocolError, SourceError, WrongKindError
from gavel.domain.source import Stream

MIB = 1024 * 1024
INVENTORY, DEVICES = good.read_inventory, good.read_samples(Stream.HOST_DEVICE)


@pytest.fixture(scope="module")
def recorded() -> Callable[[Operation], Recording]:
    """What the lab answers, recorded once for each operation."""
    known: dict[Operation, Recording] = {}

    def of(operation: Operation) -> Recording:
        if operation not in known:
            known[operation] = good.vcenter_recording(operation)
        return known[operation]

    return of


class Spoiled:
    """Answers as recorded but for one method, whose answers go through `change`. `asked`: how often each was asked."""

    def __init__(self, recording: Recording, method: str, change: Callable[[Answer], Answer]) -> None:
        self._next = recording.again()
        self._method = method
        self._change = change
        self.asked: dict[str, int] = {}

    def answer(self, request: Request) -> Bytes:
        question = good.question_of(request)
        self.asked[question] = self.asked.get(question, 0) + 1
        answer = self._next(question)
        return Bytes(good.encoded(self._change(answer) if question == self._method else answer))

    def run(self, operation: Operation) -> None:
        with good.vcenter_answers(self.answer):
            operation(good.vcenter_collector(esxcli=False))


# --- credentials --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("closed_after", ["GET", "RetrieveServiceContent", "Login", "CurrentTime"])
def test_after_a_closed_connection_nothing_is_sent_unencrypted(identity: Identity, closed_after: str) -> None:
    """Where a server answers `Connection: close`, Python's client opens the next connection by itself: without TLS."""
    script, first_bytes = Script(), []
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(identity.path)
    known = script.answers[closed_after][0]
    assert isinstance(known, bytes)
    script.answers[closed_after] = [known.replace(b"\r\n", b"\r\nConnection: close\r\n", 1)]

    def talk(raw: socket.socket, received: bytearray) -> None:
        first_bytes.append(raw.recv(1, socket.MSG_PEEK))
        with context.wrap_socket(raw, server_side=True) as secured:
            script.talk(secured, received)

    with tcp_server(talk) as server:
        settings = VcenterSettings(
            address=server.address,
            username=USER,
            password=SecretStr(PASSWORD),
            fingerprint_sha256=identity.fingerprint,
        )
        client = VcenterClient(settings)
        assert current_time(client) == RECORDED
        assert current_time(client) == RECORDED
        client.close()
    assert script.asked.count("Login") == 1
    assert set(first_bytes) == {b"\x16"}, "a connection began with something else than a TLS handshake"


@pytest.mark.parametrize("cookie", ["a b", "ü", "x" * 5000, "a,b"])
def test_a_cookie_that_no_header_can_carry_is_not_sent_back(scripted: Scripted, cookie: str) -> None:
    scripted.script.answers["Login"] = [
        reply(recording("login.xml"), set_cookie=f"vmware_soap_session={cookie}; Path=/")
    ]
    current_time(scripted.client())
    assert set(scripted.script.cookies) == {""}


# --- document types -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "doctype", ["<!DOCTYPE x>", '<!DOCTYPE x [<!ENTITY a "b">]>', '<!DOCTYPE x SYSTEM "http://127.0.0.1:1/">']
)
@pytest.mark.parametrize("method", ["GET", "RetrieveServiceContent", "CurrentTime"])
def test_a_document_type_is_refused_even_where_nothing_expands(scripted: Scripted, method: str, doctype: str) -> None:
    names = {
        "GET": "service_versions.xml",
        "RetrieveServiceContent": "service_content_vcenter.xml",
        "CurrentTime": "current_time.xml",
    }
    body = re.sub(rb"^<\?xml[^>]*\?>", b"", recording(names[method]).lstrip())
    for encoded in (doctype.encode() + body, (doctype + body.decode()).encode("utf-16")):
        scripted.script.answers[method] = [reply(encoded)]
        with pytest.raises(WrongKindError if method == "GET" else ProtocolError):
            current_time(scripted.client())


# --- lists without end --------------------------------------------------------------------------------------------------


def test_an_inventory_that_announces_more_and_brings_nothing_is_stopped(
    recorded: Callable[[Operation], Recording],
) -> None:
    def more(answer: Answer) -> Answer:
        body = re.sub(rb"<(filterSet)>.*?</\1>", b"", answer.body, flags=re.DOTALL)
        return replace(answer, body=body.replace(b"</version>", b"</version><truncated>true</truncated>"))

    spoiled = Spoiled(recorded(INVENTORY), "WaitForUpdatesEx", more)
    with pytest.raises(ProtocolError, match="announces more and brings nothing new"):
        spoiled.run(INVENTORY)
    assert spoiled.asked["WaitForUpdatesEx"] == 1


def test_an_inventory_without_end_is_stopped(
    recorded: Callable[[Operation], Recording], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watch, "_MOST_PAGES", 20)
    first = recorded(INVENTORY).answers["WaitForUpdatesEx"][0]
    count = iter(range(1_000_000))

    def more(_: Answer) -> Answer:
        version = b"<version>%d</version><truncated>true</truncated>" % next(count)
        body = re.sub(rb"<truncated>.*?</truncated>", b"", first.body)
        return replace(first, body=re.sub(rb"<version>.*?</version>", version, body, count=1))

    with pytest.raises(ProtocolError, match="larger than any vCenter's"):
        Spoiled(recorded(INVENTORY), "WaitForUpdatesEx", more).run(INVENTORY)


def test_a_list_of_objects_that_repeats_itself_is_stopped(recorded: Callable[[Operation], Recording]) -> None:
    def more(answer: Answer) -> Answer:
        return replace(answer, body=answer.body.replace(b"<returnval>", b"<returnval><token>again</token>", 1))

    page = recorded(good.read_clocks)
    page.answers["ContinueRetrievePropertiesEx"] = [
        replace(
            answer, body=answer.body.replace(b"RetrievePropertiesExResponse", b"ContinueRetrievePropertiesExResponse")
        )
        for answer in map(more, page.answers["RetrievePropertiesEx"])
    ]
    spoiled = Spoiled(page, "RetrievePropertiesEx", more)
    with pytest.raises(ProtocolError, match="brings nothing new"):
        spoiled.run(good.read_clocks)
    assert spoiled.asked["ContinueRetrievePropertiesEx"] == 1


# --- size ---------------------------------------------------------------------------------------------------------------

ENTITY = (
    b'<returnval xsi:type="PerfEntityMetricCSV"><entity type="HostSystem">host-1</entity>'
    b"<sampleInfoCSV>20,2026-11-20T22:17:00Z</sampleInfoCSV>%s</returnval>"
)
SERIES = b'<value xsi:type="PerfMetricSeriesCSV"><id><counterId>1</counterId><instance>naa.%024x</instance></id><value>7</value></value>'


def envelope(entities: bytes) -> bytes:
    return (
        b'<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
        b'<soapenv:Body><QueryPerfResponse xmlns="urn:vim25">'
        + entities
        + b"</QueryPerfResponse></soapenv:Body></soapenv:Envelope>"
    )


def instances(count: int) -> bytes:
    return envelope(ENTITY % b"".join(SERIES % number for number in range(count)))


def decode(body: bytes) -> CsvDecoder:
    decoder = CsvDecoder({1: 0})
    for start in range(0, len(body), 65_536):
        decoder.feed(body[start : start + 65_536])
    decoder.finish()
    return decoder


def test_100_000_instances_in_one_answer_are_named_in_bounded_time_and_memory() -> None:
    body = instances(100_000)
    began = time.thread_time()
    tracemalloc.start()
    try:
        with pytest.raises(TooMuchError, match="more than 50,000 instances"):
            decode(body)
        assert tracemalloc.get_traced_memory()[1] < 128 * MIB
    finally:
        tracemalloc.stop()
    assert time.thread_time() - began < 10  # tracing memory costs most of it
    assert decode(instances(csv.MOST_INSTANCES)).rejected == 0


def test_too_many_instances_are_named_with_what_was_asked_and_less_is_asked_for_next(
    recorded: Callable[[Operation], Recording],
) -> None:
    asked: list[int] = []
    recording = recorded(DEVICES)

    class Counting(Spoiled):
        def answer(self, request: Request) -> Bytes:
            if good.question_of(request) == "QueryPerf":
                asked.append(request.body.count(b"<querySpec>"))
            return super().answer(request)

    def many(answer: Answer) -> Answer:
        known = re.search(rb"<counterId>(\d+)</counterId>", answer.body)
        assert known
        return replace(answer, body=instances(100_000).replace(b"<counterId>1<", b"<counterId>%s<" % known[1]))

    with good.vcenter_answers(Counting(recording, "QueryPerf", many).answer):
        collector = good.vcenter_collector(esxcli=False)
        for _ in range(2):
            with pytest.raises(ProtocolError, match=r"QueryPerf for \d+ entit(y|ies) holds more than 50,000 instances"):
                DEVICES(collector)
    assert asked[1] < asked[0]


@pytest.mark.parametrize(
    "body",
    [
        b"<" + b"a" * 3_000_000,
        b" " * 3_000_000,
        envelope(ENTITY.replace(b"20,2026-11-20T22:17:00Z", b"20,2026-11-20T22:17:00Z," * 300_000) % b""),
        envelope(
            b"<returnval><entity>h</entity><sampleInfoCSV></sampleInfoCSV>" + b"<a></a>" * 800_000 + b"</returnval>"
        ),
    ],
    ids=["a tag without end", "blanks", "a million stamps", "a million tags"],
)
def test_an_answer_of_bulk_ends_soon(body: bytes) -> None:
    began = time.thread_time()
    with suppress(NotCsvError, TooMuchError):
        decode(body)
    assert time.thread_time() - began < 2


def test_a_soap_answer_with_more_elements_than_any_is_not_made_into_objects(scripted: Scripted) -> None:
    body = recording("current_time.xml").replace(b"</returnval>", b"</returnval>" + b"<a/>" * 1_600_000)
    scripted.script.answers["CurrentTime"] = [reply(body)]
    with pytest.raises(SourceError, match="tags"):
        current_time(scripted.client())


def test_no_error_of_a_hostile_answer_shows_the_password(scripted: Scripted) -> None:
    scripted.script.answers["Login"] = [reply(b"<!DOCTYPE x>")]
    with pytest.raises(SourceError) as caught:
        current_time(scripted.client())
    assert PASSWORD not in repr(caught.value)
