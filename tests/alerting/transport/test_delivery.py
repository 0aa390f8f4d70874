"""A receiver may do what it likes: the attempt ends in time, nothing goes where it may not, and the outcome says what to do."""

import random
import socket
from collections.abc import Callable
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
import time_machine
from hypothesis import given
from hypothesis import strategies as st
from tests.alerting.receivers import LOOPBACK, Says, http_receiver
from tests.collectors.tls import Identity, drip, make_identity, stay_silent, tcp_server
from tests.instants import AT
from tests.ports import reserve_port
from tests.waiting import HANG_S

from gavel.alerting.transport import wire
from gavel.alerting.transport.outcome import (
    GIVE_UP_AFTER_S,
    LONGEST_WISH_S,
    WAITS_S,
    Outcome,
    ReceiverResponse,
    Result,
    next_wait_s,
)
from gavel.alerting.transport.wire import Deadlines, Request, Transport, post
from gavel.domain.errors import SettingsError
from gavel.egress.policy import Allowed, ForbiddenError, parse_networks, parse_url
from gavel.egress.tls import TlsTrust

WAY = Transport(LOOPBACK, Deadlines(connect_s=HANG_S, read_s=HANG_S, total_s=HANG_S))
# For receivers that never answer: they wait until we hang up.
IMPATIENT = Transport(LOOPBACK, Deadlines(connect_s=HANG_S, read_s=0.4, total_s=0.8))
SECRET = "xoxb-secret-in-the-answer"


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> Identity:
    return make_identity(tmp_path_factory.mktemp("tls"))


def attempt(says: Says) -> Outcome:
    with http_receiver() as receiver:
        receiver.answers = [says]
        outcome = post(Request(f"{receiver.url}/hook/{SECRET}", b"{}"), WAY)
        assert len(receiver.received) == 1
        assert receiver.received[0].body == b"{}"
    assert SECRET not in outcome.detail
    return outcome


@pytest.mark.parametrize(
    ("status", "result"),
    [
        (200, Result.DELIVERED), (202, Result.DELIVERED), (204, Result.DELIVERED),
        (500, Result.RETRY), (502, Result.RETRY), (503, Result.RETRY), (408, Result.RETRY), (429, Result.RETRY),
        (400, Result.REFUSED), (401, Result.REFUSED), (403, Result.REFUSED), (404, Result.REFUSED), (413, Result.REFUSED),
        (302, Result.REFUSED), (307, Result.REFUSED), (410, Result.GONE),
    ],
)  # fmt: skip
def test_a_status_decides_whether_to_try_again(status: int, result: Result) -> None:
    outcome = attempt(Says(status, b"" if status == 204 else SECRET.encode()))
    assert (outcome.result, outcome.status) == (result, status)


def test_a_receiver_is_asked_again_when_it_wants_to_be() -> None:
    assert attempt(Says(429, headers={"Retry-After": "7"})).retry_after_s == 7
    with time_machine.travel(AT, tick=False):
        at = format_datetime(AT + timedelta(seconds=90), usegmt=True)
        assert attempt(Says(429, headers={"Retry-After": at})).retry_after_s == 90
    assert attempt(Says(429, headers={"Retry-After": "99999999"})).retry_after_s == LONGEST_WISH_S
    assert attempt(Says(429, headers={"Retry-After": "soon"})).retry_after_s is None
    assert attempt(Says(503)).retry_after_s is None


def test_a_redirect_to_a_metadata_address_is_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    connected: list[object] = []
    connect = wire.GuardedTcp.connect

    def noted(self: wire.GuardedTcp, to: tuple[str, int]) -> None:
        connected.append(to[0])
        connect(self, to)

    monkeypatch.setattr(wire.GuardedTcp, "connect", noted)
    outcome = attempt(Says(302, headers={"Location": "http://169.254.169.254/latest/meta-data/"}))
    assert outcome.result is Result.REFUSED
    assert connected == ["127.0.0.1"]


def test_of_a_huge_answer_no_more_is_read_than_a_glance() -> None:
    with http_receiver() as receiver:
        receiver.answers = [Says(200, b"x" * 10_000_000)]
        seen: list[int] = []

        def read(answer: ReceiverResponse) -> Outcome:
            seen.append(len(answer.body))
            return Outcome(Result.DELIVERED, "")

        assert post(Request(receiver.url, b"{}"), WAY, read=read).result is Result.DELIVERED
    assert seen == [wire.LARGEST_ANSWER]


def drip_headers(connection: socket.socket, received: bytearray) -> None:
    received += connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    drip(connection, received, b"X")


def drip_body(connection: socket.socket, received: bytearray) -> None:
    received += connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    drip(connection, received, b"X")


def nonsense(connection: socket.socket, received: bytearray) -> None:
    received += connection.recv(65536)
    connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n")


@pytest.mark.parametrize("talk", [stay_silent, drip_headers, drip_body, nonsense])
def test_a_receiver_that_is_slow_or_something_else_is_tried_again_and_costs_no_more_than_its_deadline(
    talk: Callable[[socket.socket, bytearray], None],
) -> None:
    with tcp_server(talk) as server:
        outcome = post(Request(f"http://{server.address}/", b"{}"), WAY if talk is nonsense else IMPATIENT)
    assert (outcome.result, outcome.status) == (Result.RETRY, None)


def test_nobody_there_is_tried_again() -> None:
    outcome = post(Request(f"http://127.0.0.1:{reserve_port()}/", b"{}"), WAY)
    assert outcome.result is Result.RETRY
    assert "refused" in outcome.detail


def test_a_stranger_in_tls_gets_nothing_and_a_known_one_everything(identity: Identity, tmp_path: Path) -> None:
    with http_receiver(identity) as receiver:
        refused = post(Request(receiver.url, b"{}"), WAY)
        assert refused.result is Result.RETRY
        assert "certificate is not trusted" in refused.detail
        other = Transport(
            LOOPBACK, WAY.deadlines, TlsTrust(fingerprint_sha256=make_identity(tmp_path, "other").fingerprint)
        )
        assert "not the pinned one" in post(Request(receiver.url, b"{}"), other).detail
        assert receiver.received == []
        for trust in (TlsTrust(ca_pem=identity.pem), TlsTrust(fingerprint_sha256=identity.fingerprint)):
            assert (
                post(Request(receiver.url, b"{}"), Transport(LOOPBACK, WAY.deadlines, trust)).result is Result.DELIVERED
            )


# --- where messages may go --------------------------------------------------------------------------------------------

FORBIDDEN = [
    "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.9", "224.0.0.1",
    "::1", "fe80::1", "fd00::1", "fd00:ec2::254", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::a00:1",
    "::127.0.0.1", "::ffff:0:127.0.0.1", "::ffff:0:10.0.0.1", "64:ff9b:1::127.0.0.1", "64:ff9b:1::a00:1", "fec0::1", "::8.8.8.8",
    "2002:7f00:1::", "::", "ff02::1", "255.255.255.255",
]  # fmt: skip


NEVER = [
    "169.254.169.254", "::ffff:169.254.169.254", "fe80::1%eth0", "fd00:ec2::254", "0.0.0.9", "224.0.0.1",
    "::169.254.169.254", "::ffff:0:169.254.169.254", "64:ff9b:1::169.254.169.254",
]  # fmt: skip


@pytest.mark.parametrize("address", FORBIDDEN)
def test_private_addresses_are_out_of_reach_unless_named(address: str) -> None:
    with pytest.raises(ForbiddenError):
        Allowed().check("chat.example.org", address)


@pytest.mark.parametrize("address", NEVER)
def test_metadata_addresses_are_out_of_reach_whatever_is_named(address: str) -> None:
    with pytest.raises(ForbiddenError, match="never"):
        Allowed(parse_networks(["0.0.0.0/0", "::/0"])).check("chat.example.org", address)


def test_named_networks_and_the_public_are_within_reach() -> None:
    allowed = Allowed(parse_networks(["10.1.0.0/16", "::1/128"]))
    for address in ("10.1.2.3", "8.8.8.8", "2606:4700::1111", "::1"):
        allowed.check("x", address)
    with pytest.raises(ForbiddenError, match=r"private address 10\.2\.0\.1"):
        allowed.check("x", "10.2.0.1")
    with pytest.raises(SettingsError, match=r"10\.1\.0\.0/16"):
        parse_networks(["10.1.0.0/40"])


@pytest.mark.parametrize(
    "url",
    ["http://{}/", "http://localhost:{port}/", "http://2130706433:{port}/", "http://0177.0.0.1:{port}/", "http://0x7f.1:{port}/",
     "http://127.1:{port}/", "http://[::ffff:127.0.0.1]:{port}/"],
)  # fmt: skip
def test_however_loopback_is_spelt_nothing_connects_to_it(url: str) -> None:
    with http_receiver() as receiver:
        host = receiver.url.removeprefix("http://")
        text = url.format(host, port=host.rpartition(":")[2])
        outcome = post(Request(text, b"{}"), Transport(Allowed(schemes=frozenset({"http"})), WAY.deadlines))
        assert receiver.received == []
    assert outcome.result is Result.REFUSED


def test_a_name_that_changes_its_mind_is_checked_at_the_address_it_is_connected_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    answers = iter(["93.184.215.14", "127.0.0.1"])
    connected: list[object] = []

    def rebinding(host: str, port: int, **_: object) -> list[object]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

    def no_connect(self: socket.socket, where: tuple[str, int]) -> None:
        connected.append(where[0])
        raise ConnectionRefusedError("refused by the test")

    monkeypatch.setattr(socket, "getaddrinfo", rebinding)
    monkeypatch.setattr(wire.GuardedTcp, "connect", no_connect)
    way = Transport(Allowed(schemes=frozenset({"http"})), WAY.deadlines)
    assert post(Request("http://rebind.example.org/", b"{}"), way).result is Result.RETRY
    assert post(Request("http://rebind.example.org/", b"{}"), way).result is Result.REFUSED
    assert connected == ["93.184.215.14"]


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "gopher://x/", "ftp://x/", "https://", "https://user:pw@x/", "https://x:port/", "https://x/a b",
     "https://x/a\r\nX: y", "https://ex\u0430mple.org/", "javascript:alert(1)", ""],
)  # fmt: skip
def test_other_texts_are_no_addresses(url: str) -> None:
    with pytest.raises(ForbiddenError):
        parse_url(url)
    assert post(Request(url, b"{}"), WAY).result is Result.REFUSED


def test_plain_http_is_an_exception_to_be_allowed() -> None:
    detail = post(Request("http://example.org/", b"{}"), Transport()).detail
    assert "only https" in detail
    assert "GAVEL_ALERT_PLAIN_HTTP=1" in detail


# --- when again -------------------------------------------------------------------------------------------------------


@given(
    st.integers(1, 60), st.floats(0, GIVE_UP_AFTER_S), st.one_of(st.none(), st.floats(0, LONGEST_WISH_S)), st.randoms()
)
def test_waits_are_jittered_bounded_and_never_sooner_than_wished(
    attempts: int, age_s: float, wish_s: float | None, chance: random.Random
) -> None:
    wait = next_wait_s(attempts, age_s, Outcome(Result.RETRY, "", 429, wish_s), chance)
    most = (*WAITS_S, 3600)[min(attempts - 1, len(WAITS_S))]
    if wait is not None:
        assert (wish_s or 0) <= wait <= (wish_s or 0) + most
        assert age_s + wait <= GIVE_UP_AFTER_S
    else:
        assert age_s + (wish_s or 0) + most > GIVE_UP_AFTER_S


@pytest.mark.parametrize("result", [Result.REFUSED, Result.GONE, Result.DELIVERED])
def test_what_waiting_does_not_help_is_not_tried_again(result: Result) -> None:
    assert next_wait_s(1, 0, Outcome(result, ""), random.Random(1)) is None


@pytest.mark.parametrize(
    ("url", "authority"),
    [
        ("https://x.org/a", "x.org"),
        ("https://x.org:8443/a?b=c#d", "x.org:8443"),
        ("http://[2001:db8::1]/", "[2001:db8::1]"),
    ],
)
def test_a_url_is_named_without_its_path(url: str, authority: str) -> None:
    target = parse_url(url)
    assert target.authority == authority
    assert str(target) == f"{target.scheme}://{authority}"
