"""What goes through Apprise reaches the service and nothing else, and costs no more than its deadline."""

import base64
import json
import socket
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError
from tests.alerting.channel_settings import WAY
from tests.alerting.messages import USUAL, hostile
from tests.alerting.receivers import LOOPBACK, HttpReceiver, Says, http_receiver, smtp_receiver
from tests.alerting.waterfalls import CONFIRMED, HEADING
from tests.collectors.tls import make_identity, stay_silent, tcp_server
from tests.ports import reserve_port
from tests.waiting import HANG_S

from gavel.alerting.channels.apprise import APPRISE, inert
from gavel.alerting.render.message import Message
from gavel.alerting.render.picture import waterfall_picture
from gavel.alerting.transport.outcome import Outcome, Result
from gavel.alerting.transport.wire import Deadlines, Transport
from gavel.egress.policy import Allowed

NAMES_THAT_CALL = (
    "<!channel>", "@everyone", "<@U1>", "[x](https://evil.example.org)", "https://evil.example.org", ":fire:", "&lt;",
    "www.evil.example.org",
)  # fmt: skip


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with http_receiver() as one:
        yield one


def delivered(url: str, message: Message = USUAL, way: Transport = WAY, **settings: object) -> Outcome:
    made = APPRISE.settings.model_validate({"url": url, **settings})
    outcome = APPRISE.deliver(made, APPRISE.render(made, message, {}), way)
    assert "hush" not in outcome.detail
    return outcome


def json_url(receiver: HttpReceiver, rest: str = "/hush") -> str:
    return receiver.url.replace("http", "json", 1) + rest


def test_a_message_arrives_with_its_picture(receiver: HttpReceiver) -> None:
    picture = waterfall_picture(HEADING, CONFIRMED)
    outcome = delivered(json_url(receiver), replace(USUAL, picture=picture))
    assert (outcome.result, outcome.status) == (Result.DELIVERED, 200), outcome.detail
    (arrived,) = receiver.received
    told = json.loads(arrived.body)
    assert told["title"] == "CRITICAL · Kernel latency"
    assert "0.44 ms (0.42–0.45 ms)" in told["message"]
    assert USUAL.links[0].url in told["message"]
    assert told["type"] == "failure"
    assert base64.b64decode(told["attachments"][0]["base64"]) == picture.png


@pytest.mark.parametrize(
    ("says", "result"),
    [(Says(410), Result.GONE), (Says(429, headers={"Retry-After": "7"}), Result.RETRY),
     (Says(302, headers={"Location": "http://169.254.169.254/latest/meta-data/"}), Result.REFUSED)],
    ids=["410", "429", "302"],
)  # fmt: skip
def test_failures_mean_the_same_as_everywhere(says: Says, result: Result, receiver: HttpReceiver) -> None:
    receiver.answers = [replace(says, body=b"hush")]
    outcome = delivered(json_url(receiver))
    assert (outcome.result, outcome.status) == (result, says.status), outcome.detail
    assert outcome.retry_after_s == (7 if says.status == 429 else None)
    assert len(receiver.received) == 1


def test_a_redirect_is_not_followed_whatever_the_address_asks_for(receiver: HttpReceiver) -> None:
    with http_receiver() as other:
        receiver.answers = [Says(302, headers={"Location": f"{other.url}/"})]
        assert delivered(json_url(receiver, "/hush?redirect=yes")).result is Result.REFUSED
        assert other.received == []


@pytest.mark.parametrize("host", ["localhost", "2130706433"])
def test_a_private_address_is_out_of_reach_however_it_is_spelt(host: str, receiver: HttpReceiver) -> None:
    port = receiver.url.rpartition(":")[2]
    way = replace(WAY, allowed=Allowed(schemes=frozenset({"http", "https"})))
    outcome = delivered(f"json://{host}:{port}/hush", way=way)
    assert (outcome.result, receiver.received) == (Result.REFUSED, [])
    assert "private address" in outcome.detail


def test_plain_http_is_an_exception_to_be_allowed(receiver: HttpReceiver) -> None:
    outcome = delivered(json_url(receiver), way=replace(WAY, allowed=replace(LOOPBACK, schemes=frozenset({"https"}))))
    assert (outcome.result, receiver.received) == (Result.REFUSED, [])
    assert "only https" in outcome.detail


def test_other_protocols_are_held_in_too() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.settimeout(0.1)
        port = listener.getsockname()[1]
        way = replace(WAY, allowed=Allowed())
        assert "private address" in delivered(f"rsyslog://127.0.0.1:{port}/user", way=way).detail
        assert "by name" in delivered(f"rsyslog://localhost:{port}/user", way=way).detail
        options = "smtp=127.0.0.1&from=a@example.org&to=b@example.org&mode=insecure"
        assert "private address" in delivered(f"mailto://user:hush@127.0.0.1:{port}?{options}", way=way).detail
        with pytest.raises(TimeoutError):
            listener.recv(1)


def test_other_protocols_work_within_reach() -> None:
    with smtp_receiver() as mailbox:
        options = "smtp=127.0.0.1&from=a@example.org&to=b@example.org&mode=insecure"
        outcome = delivered(f"mailto://127.0.0.1:{mailbox.port}?{options}")
        assert outcome.result is Result.DELIVERED, outcome.detail
        assert mailbox.recipients == ["b@example.org"]
        assert b"esx-14" in mailbox.mails[0]


def test_no_file_of_this_machine_is_sent(receiver: HttpReceiver, tmp_path: Path) -> None:
    secret = tmp_path / "hush.txt"
    secret.write_text("a secret of this machine")
    for option in (f"attach=file://{secret}", f"template={secret}"):
        delivered(json_url(receiver, f"/x?{option}"))
    assert all(b"a secret of this machine" not in one.body for one in receiver.received)
    outcome = delivered(f"vapid://a@example.org/b?keyfile={secret}&subfile={secret}")
    assert outcome.result is not Result.DELIVERED


def test_a_slow_service_costs_no_more_than_its_deadline(receiver: HttpReceiver) -> None:
    way = replace(WAY, deadlines=Deadlines(total_s=1))
    with tcp_server(stay_silent) as server:
        outcome = delivered(f"json://{server.address}/hush?rto=3600", way=way)
    assert (outcome.result, outcome.detail.partition(" (")[0]) == (Result.RETRY, "no answer in time")


def test_nobody_there_is_tried_again() -> None:
    outcome = delivered(f"json://127.0.0.1:{reserve_port()}/hush")
    assert (outcome.result, outcome.status) == (Result.RETRY, None)


def test_a_huge_answer_harms_nobody(receiver: HttpReceiver) -> None:
    receiver.answers = [Says(500, b"x" * 10_000_000)]
    assert delivered(json_url(receiver), way=replace(WAY, deadlines=Deadlines(total_s=HANG_S))).result is Result.RETRY


def test_a_stranger_in_tls_gets_nothing_and_a_known_one_everything(tmp_path: Path) -> None:
    identity = make_identity(tmp_path)
    with http_receiver(identity) as receiver:
        url = receiver.url.replace("https", "jsons", 1) + "/hush"
        stranger = delivered(url)
        assert (stranger.result, receiver.received) == (Result.RETRY, [])
        assert "certificate" in stranger.detail
        assert delivered(url, ca_pem=identity.pem).result is Result.DELIVERED


@pytest.mark.parametrize(
    "url",
    ["", "json", "json:/x", "file:///etc/passwd", "syslog://", "dbus://", "macosx://x", "json://a b", "json://ä", "jsons://x?verify=no",
     "jsons://x?Verify=", "json://x\n"],
)  # fmt: skip
def test_other_addresses_are_refused_when_they_are_given(url: str) -> None:
    with pytest.raises(ValidationError) as error:
        APPRISE.settings.model_validate({"url": url})
    assert "a b" not in str(error.value.errors(include_input=False))


def test_a_certificate_cannot_be_pinned_here() -> None:
    with pytest.raises(ValidationError, match="cannot pin"):
        APPRISE.settings.model_validate({"url": "jsons://x", "fingerprint_sha256": "a" * 64})


def test_an_address_that_apprise_does_not_know_says_so() -> None:
    outcome = delivered("nosuchservice://hush")
    assert outcome.result is Result.REFUSED
    assert "nosuchservice" in outcome.detail


def test_names_call_nobody() -> None:
    for name in NAMES_THAT_CALL:
        made = APPRISE.render(APPRISE.settings.model_validate({"url": "json://x"}), hostile(name), {})
        text = made.body.decode()
        for line in (made.title, *text.splitlines()):
            if "https://gavel.example.org" not in line and "https://wiki.example.org" not in line:
                assert name not in line
        assert name in text.replace("\u200b", "")
    assert inert("02:10 UTC: 0.44 ms") == "02:10 UTC: 0.44 ms"
