"""Whatever a receiver of any kind does: the attempt ends in time, says what it means, and others notice nothing."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path
from typing import Any

import pytest
import time_machine
from tests.alerting.channel_settings import ANSWERS, OVER_HTTP, SETTINGS, delivered, settings_of
from tests.alerting.messages import USUAL
from tests.alerting.receivers import LOOPBACK, Says, http_receiver, smtp_receiver
from tests.collectors.tls import drip, make_identity, stay_silent, tcp_server
from tests.instants import AT
from tests.ports import reserve_port
from tests.waiting import HANG_S, join, wait_for

from gavel.alerting.contract import ChannelSettings
from gavel.alerting.registry import CHANNELS
from gavel.alerting.transport.outcome import LONGEST_WISH_S, Outcome, Result
from gavel.alerting.transport.wire import Deadlines, Transport

# For receivers that answer, hang up or are not there, however busy the machine is.
PATIENT = Transport(LOOPBACK, Deadlines(connect_s=HANG_S, read_s=HANG_S, total_s=HANG_S))
# For receivers that never answer: they wait until we hang up.
IMPATIENT = Transport(LOOPBACK, Deadlines(connect_s=HANG_S, read_s=0.3, total_s=0.6))
HTTP_KINDS = pytest.mark.parametrize("kind", OVER_HTTP)
OWN_KINDS = pytest.mark.parametrize("kind", [*OVER_HTTP, "email"])
HUGE = 10 * 1024 * 1024


def attempt(kind: str, settings: ChannelSettings, way: Transport = PATIENT) -> Outcome:
    """One delivery."""
    made = CHANNELS[kind].render(settings, USUAL, {})
    outcome: Outcome = CHANNELS[kind].deliver(settings, made, way)
    assert "secret" not in outcome.detail
    return outcome


def dripping(connection: socket.socket, received: bytearray) -> None:
    """Neither HTTP nor SMTP ever sees the end of a line, though something always comes."""
    drip(connection, received, b"2")


def hung_up(connection: socket.socket, received: bytearray) -> None:
    """An end before the first word: a client of HTTP has sent its request by then, one of SMTP waits for a greeting."""
    connection.shutdown(socket.SHUT_WR)
    received += connection.recv(1)


def nonsense(connection: socket.socket, received: bytearray) -> None:
    connection.sendall(b"SSH-2.0-OpenSSH_9.6\r\n" * 100)
    received += connection.recv(1)


@OWN_KINDS
@pytest.mark.parametrize(
    ("talk", "way"), [(stay_silent, IMPATIENT), (dripping, IMPATIENT), (hung_up, PATIENT), (nonsense, PATIENT)]
)
def test_who_says_nothing_or_nonsense_is_tried_again_in_time(
    kind: str, talk: Callable[[socket.socket, bytearray], None], way: Transport
) -> None:
    with tcp_server(talk) as server:
        outcome = attempt(kind, settings_of(kind, f"http://{server.address}"), way)
    assert (outcome.result, outcome.status) == (Result.RETRY, None), outcome.detail


@OWN_KINDS
def test_who_is_not_there_is_tried_again(kind: str) -> None:
    assert attempt(kind, settings_of(kind, f"http://127.0.0.1:{reserve_port()}")).result is Result.RETRY


@HTTP_KINDS
def test_of_ten_megabytes_a_glance_is_read(kind: str) -> None:
    with http_receiver() as receiver:
        receiver.answers = [Says(500, b"x" * HUGE)]
        assert attempt(kind, settings_of(kind, receiver.url)).result is Result.RETRY
        receiver.answers = [Says(200, b"x" * HUGE)]
        outcome = attempt(kind, settings_of(kind, receiver.url))
    # A yes without the words that go with it is a yes, but for Slack's bot interface, whose yes are its words.
    assert outcome.result is (Result.REFUSED if kind == "slack_bot" else Result.DELIVERED)
    assert len(outcome.detail) < 300


@HTTP_KINDS
def test_both_forms_of_retry_after_are_understood(kind: str) -> None:
    at = format_datetime(AT + timedelta(seconds=120), usegmt=True)
    forms = {"7": 7.0, at: 120.0, "999999": float(LONGEST_WISH_S)}
    with time_machine.travel(AT, tick=False), http_receiver() as receiver:
        for form, wish_s in forms.items():
            receiver.answers = [Says(429, headers={"Retry-After": form})]
            outcome = attempt(kind, settings_of(kind, receiver.url))
            assert (outcome.result, outcome.status) == (Result.RETRY, 429)
            assert outcome.retry_after_s == wish_s


@HTTP_KINDS
@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_no_redirect_is_followed(kind: str, status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    resolve = socket.getaddrinfo

    def noted(host: str, *rest: Any, **more: Any) -> Any:
        asked.append(host)
        return resolve(host, *rest, **more)

    monkeypatch.setattr(socket, "getaddrinfo", noted)
    with http_receiver() as receiver:
        receiver.answers = [Says(status, headers={"Location": "http://169.254.169.254/latest/meta-data/"})]
        outcome = attempt(kind, settings_of(kind, receiver.url))
        assert len(receiver.received) == 1
    assert (outcome.result, outcome.status) == (Result.REFUSED, status)
    assert set(asked) == {"127.0.0.1"}


@OWN_KINDS
def test_a_certificate_nobody_vouches_for_gets_no_message(kind: str, tmp_path: Path) -> None:
    identity = make_identity(tmp_path)
    if kind == "email":
        with smtp_receiver(identity) as mailbox:
            told = SETTINGS["email"](f":{mailbox.port}") | {"security": "starttls"}
            outcome = attempt(kind, CHANNELS[kind].settings.model_validate(told))
            assert mailbox.mails == []
    else:
        with http_receiver(identity) as receiver:
            outcome = attempt(kind, settings_of(kind, receiver.url))
            assert receiver.received == []
            known = replace_trust(kind, receiver.url, identity.pem)
            receiver.answers = [ANSWERS.get(kind, Says())]
            assert attempt(kind, known).result is Result.DELIVERED
    assert outcome.result is Result.RETRY
    assert "certificate is not trusted" in outcome.detail


def replace_trust(kind: str, url: str, pem: str) -> ChannelSettings:
    return CHANNELS[kind].settings.model_validate(SETTINGS[kind](url) | {"ca_pem": pem})


@HTTP_KINDS
def test_gone_is_gone(kind: str) -> None:
    with http_receiver() as receiver:
        receiver.answers = [Says(410)]
        assert attempt(kind, settings_of(kind, receiver.url)).result is Result.GONE


@contextmanager
def busy_with_the_slow(kinds: list[str]) -> Iterator[list[Outcome]]:
    """Deliveries to receivers that do not answer before the block ends, all at the same time."""
    outcomes: list[Outcome] = []
    asked: list[socket.socket] = []

    def silent(connection: socket.socket, received: bytearray) -> None:
        asked.append(connection)
        stay_silent(connection, received)

    with tcp_server(silent) as server:

        def deliver(kind: str) -> None:
            settings = settings_of(kind, f"http://{server.address}")
            made = CHANNELS[kind].render(settings, USUAL, {})
            outcomes.append(CHANNELS[kind].deliver(settings, made, PATIENT))

        threads = [threading.Thread(target=deliver, args=(kind,)) for kind in kinds]
        for thread in threads:
            thread.start()
        wait_for(lambda: len(asked) == len(kinds), "every slow delivery under way")
        yield outcomes
    for thread in threads:
        join(thread)


def test_a_slow_receiver_costs_the_others_nothing() -> None:
    with busy_with_the_slow(OVER_HTTP) as slow, http_receiver() as receiver:
        receiver.answers = [Says()]
        assert all(delivered("mattermost", receiver).result is Result.DELIVERED for _ in range(10))
        assert slow == [], "the slow ones are still being waited for"
    assert [one.result for one in slow] == [Result.RETRY] * len(OVER_HTTP)
