"""Receivers that fail in every way there is, beside one that works; and objects with names that mean harm, from the ledger to the wire."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import chain, repeat
from pathlib import Path

import pytest
from tests.alerting.channel_settings import ANSWERS, SETTINGS
from tests.alerting.failing import Fault, failing, faults
from tests.alerting.inertness import complaints
from tests.alerting.receivers import HttpReceiver, http_receiver, smtp_receiver
from tests.alerting.use.alert_scene import HEALTHY, KERNEL, MINUTE, SECRET, AlertScene, alert_scene, told
from tests.waiting import HANG_S

from gavel.admin import channels
from gavel.admin.channels import ChannelUpdate
from gavel.alerting.registry import CHANNELS
from gavel.alerting.transport.wire import Deadlines, Transport
from gavel.egress.policy import Allowed
from gavel.vault import Vault

# For a receiver that never answers, and for all others however busy the machine is.
IMPATIENT = Deadlines(connect_s=HANG_S, read_s=0.5, total_s=1)
PATIENT = Deadlines(connect_s=HANG_S, read_s=HANG_S, total_s=HANG_S)
FAULTS = faults()
MARKUP = (
    "<!channel> <@U012AB3CD> @everyone **bold** [click](https://evil.example.org) <script>alert(1)</script> :fire: 🔥 <at>x</at> "
    "www.evil.example.org \u202egnp.exe\u202c zero\u200bwidth one\r\nBcc: victim@example.org\r\n\r\n{{7*7}} ${jndi:ldap://x}"
)
NAMES = (MARKUP, "🔥" * 10_000, "n" * 10_000)


@pytest.fixture
def scene(environment_url: str) -> Iterator[AlertScene]:
    with alert_scene(environment_url) as made:
        yield made


def be_patient(monkeypatch: pytest.MonkeyPatch, fault: Fault) -> None:
    """Give up early on the first delivery alone, where its receiver never answers."""
    deadlines = chain([IMPATIENT if fault.is_silent else PATIENT], repeat(PATIENT))

    def transport(allowed: Allowed) -> Transport:
        return Transport(allowed, next(deadlines))

    monkeypatch.setattr("gavel.alerting.use.deliver.Transport", transport)


@pytest.mark.parametrize("name", FAULTS)
def test_whatever_one_receiver_does_the_others_are_told_and_nothing_is_lost(
    scene: AlertScene, receiver: HttpReceiver, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = FAULTS[name]
    be_patient(monkeypatch, fault)
    scene.rule()
    with failing(fault, tmp_path) as ill:
        first = scene.channel(ill, "ill", route={"min_severity": "info"})
        scene.channel(receiver)
        # The ill one comes first; where it never answers, only its deadline lets the other have its turn.
        scene.step(KERNEL)
    own = [one for one in told(receiver) if "Not delivered by" not in one["data"]["diagnosis"]]
    assert [one["type"] for one in own] == ["alert.firing"]
    ((state, attempts, is_on),) = scene.ask(
        "SELECT n.state, n.attempts, c.enabled FROM notification n JOIN channel c ON c.id = n.channel_id WHERE c.id = :id",
        id=first,
    )
    assert (state, attempts, is_on) == (fault.state, 1, fault.is_on)
    ((result, status, detail),) = scene.ask(
        "SELECT a.result, a.status, a.detail FROM delivery_attempt a JOIN notification n ON n.id = a.notification_id"
        " WHERE n.channel_id = :id",
        id=first,
    )
    assert (result, status) == (fault.result, fault.status)
    assert len(detail) < 400
    assert "xxx" not in detail


@pytest.mark.parametrize("name", ["500", "slow", "429 in seconds", "a stranger in TLS", "nobody there"])
def test_who_failed_and_works_again_is_told_under_the_id_that_the_message_had(
    scene: AlertScene, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    be_patient(monkeypatch, FAULTS[name])
    scene.rule()
    with failing(FAULTS[name], tmp_path) as ill, http_receiver() as mended:
        channel = scene.channel(ill)
        scene.step(KERNEL)
        ((event_id,),) = scene.ask("SELECT event_id FROM notification")
        settings = {"url": f"{mended.url}/hook", "secrets": [SECRET]}
        channels.change(scene.engine, Vault(bytes(32)), channel, ChannelUpdate(settings=settings))
        for _ in range(2):
            scene.now += 60 * MINUTE
            scene.turn()
    assert [one.headers["webhook-id"] for one in mended.received][:1] == [event_id]


@pytest.mark.parametrize("name", NAMES, ids=["markup", "10,000 flames", "10,000 letters"])
def test_names_that_mean_harm_are_inert_from_the_ledger_to_the_wire(scene: AlertScene, name: str) -> None:
    """Of every kind of channel what it has received; Apprise takes a process for each message and so only the first name."""
    kinds = sorted(CHANNELS if name == MARKUP else set(CHANNELS) - {"apprise"})
    scene.ask_to_write("UPDATE datastore SET name = :name WHERE id = :id", name=name, id=scene.store)
    scene.rule(name=name[:200])
    with ExitStack() as stack:
        mailbox = stack.enter_context(smtp_receiver())
        receivers = {kind: stack.enter_context(http_receiver()) for kind in kinds if kind != "email"}
        for kind in kinds:
            url = receivers[kind].url if kind in receivers else f":{mailbox.port}"
            scene.channel(HttpReceiver(), kind, kind=kind, settings=SETTINGS[kind](url))
            if kind in ANSWERS:
                receivers[kind].answers[:] = [ANSWERS[kind]]
        scene.step(KERNEL)
        scene.step(HEALTHY)
    bodies = {kind: [one.body for one in made.received if "files." not in one.path] for kind, made in receivers.items()}
    bodies["email"] = mailbox.mails
    assert {kind: len(sent) for kind, sent in bodies.items()} == dict.fromkeys(kinds, 2)
    assert {kind: [*map(list, (complaints(kind, body) for body in sent))] for kind, sent in bodies.items()} == {
        kind: [[], []] for kind in kinds
    }
    # Where a vendor lets it, the end changes the message of the beginning.
    ways = {
        kind: [(one.method, one.path.rpartition("/")[2]) for one in receivers[kind].received]
        for kind in ("slack_bot", "discord")
    }
    assert [path for _, path in ways["slack_bot"] if path.startswith("chat.")] == ["chat.postMessage", "chat.update"]
    assert [method for method, _ in ways["discord"]] == ["POST", "PATCH"]
    # What vendors know an incident by is the same from its beginning to its end, whatever its object is called.
    fired, over = (json.loads(body) for body in bodies["alertmanager"])
    assert fired[0]["labels"] == over[0]["labels"]
    assert len({json.loads(body)["dedup_key"] for body in bodies["pagerduty"]}) == 1
