"""Receivers that fail in every way there is, beside one that works; and objects with names that mean harm, from the ledger to the wire."""

import json
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.alerting.receivers import HttpReceiver, Says, closed_port, http_receiver
from tests.collectors.tls import make_identity
from tests.pipeline.alert_scene import HEALTHY, KERNEL, MINUTE, SECRET, AlertScene, alert_scene, told

from gavel.alerting.wire import Deadlines, Way
from gavel.pipeline import channels
from gavel.pipeline.channels import ChannelChange
from gavel.pipeline.secrets import Vault

METADATA = "http://169.254.169.254/latest/meta-data/"
HUGE = b"x" * (10 * 1024 * 1024)
# A receiver that takes 60 s, and the product's 25 s of patience, in small.
PATIENCE = Deadlines(connect_s=0.5, read_s=0.5, total_s=1)
SLOW_S = 5.0
NAMES = (
    "<!channel> <@U012AB3CD> @everyone **bold** [click](https://evil.example.org) <script>alert(1)</script> :fire: 🔥",
    "🔥" * 10_000,
    "n" * 10_000,
)


@dataclass(frozen=True)
class Fault:
    """What a receiver does, and what has to become of the message: its state, and of the channel."""

    says: Says | None
    state: str
    is_on: bool = True
    delay_s: float = 0.0
    is_strange_in_tls: bool = False


FAULTS = {
    "500": Fault(Says(500), "pending"),
    "slow": Fault(Says(200), "pending", delay_s=SLOW_S),
    "429 in seconds": Fault(Says(429, headers={"Retry-After": "3600"}), "pending"),
    "429 until a date": Fault(Says(429, headers={"Retry-After": "Fri, 31 Dec 2100 23:59:59 GMT"}), "pending"),
    "redirect to metadata": Fault(Says(302, headers={"Location": METADATA}), "dead"),
    "gone": Fault(Says(410), "dead", is_on=False),
    "a stranger in TLS": Fault(Says(200), "pending", is_strange_in_tls=True),
    "10 MB and no": Fault(Says(500, HUGE), "pending"),
    "10 MB and yes": Fault(Says(200, HUGE), "delivered"),
    "nobody there": Fault(None, "pending"),
}


@pytest.fixture
def scene(postgres_url: str) -> Iterator[AlertScene]:
    with alert_scene(postgres_url) as made:
        yield made


@contextmanager
def failing(fault: Fault, folder: Path) -> Iterator[HttpReceiver]:
    with ExitStack() as stack:
        if fault.says is None:
            yield HttpReceiver(url=f"http://127.0.0.1:{closed_port()}")
            return
        identity = make_identity(folder) if fault.is_strange_in_tls else None
        ill = stack.enter_context(http_receiver(identity))
        ill.answers[:], ill.delay_s = [fault.says], fault.delay_s
        yield ill


@pytest.mark.parametrize("name", FAULTS)
def test_whatever_one_receiver_does_the_others_are_told_and_nothing_is_lost(
    scene: AlertScene, receiver: HttpReceiver, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = FAULTS[name]
    monkeypatch.setattr("gavel.pipeline.sending.Way", partial(Way, deadlines=PATIENCE))
    scene.rule()
    with failing(fault, tmp_path) as ill:
        first = scene.channel(ill, "ill", route={"min_severity": "info"})
        scene.channel(receiver)
        began = time.monotonic()
        scene.step(KERNEL)
        # The ill one comes first, and costs the other no more than its deadline.
        assert time.monotonic() - began < SLOW_S
    own = [one for one in told(receiver) if "did not take" not in one["data"]["verdict"]]
    assert [one["type"] for one in own] == ["alert.firing"]
    ((state, attempts, is_on),) = scene.ask(
        "SELECT n.state, n.attempts, c.enabled FROM notification n JOIN channel c ON c.id = n.channel_id WHERE c.id = :id",
        id=first,
    )
    assert (state, attempts, is_on) == (fault.state, 1, fault.is_on)
    ((detail,),) = scene.ask(
        "SELECT a.detail FROM delivery_attempt a JOIN notification n ON n.id = a.notification_id WHERE n.channel_id = :id",
        id=first,
    )
    assert len(detail) < 400
    assert "xxx" not in detail


@pytest.mark.parametrize("name", ["500", "slow", "429 in seconds", "a stranger in TLS", "nobody there"])
def test_who_failed_and_works_again_is_told_under_the_id_that_the_message_had(
    scene: AlertScene, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gavel.pipeline.sending.Way", partial(Way, deadlines=PATIENCE))
    scene.rule()
    with failing(FAULTS[name], tmp_path) as ill, http_receiver() as mended:
        channel = scene.channel(ill)
        scene.step(KERNEL)
        ((event_id,),) = scene.ask("SELECT event_id FROM notification")
        settings = {"url": f"{mended.url}/hook", "secrets": [SECRET]}
        channels.change(scene.engine, Vault(bytes(32)), channel, ChannelChange(settings=settings))
        for _ in range(2):
            scene.now += 60 * MINUTE
            scene.turn()
    assert [one.headers["webhook-id"] for one in mended.received][:1] == [event_id]


@pytest.mark.parametrize("name", NAMES, ids=["markup", "10,000 flames", "10,000 letters"])
def test_names_that_mean_harm_are_inert_from_the_ledger_to_the_wire(
    scene: AlertScene, receiver: HttpReceiver, name: str
) -> None:
    scene.ask_to_write("UPDATE datastore SET name = :name WHERE id = :id", name=name, id=scene.store)
    scene.rule()
    for kind in ("slack_webhook", "teams", "mattermost", "discord"):
        hook = f"{receiver.url}/api/webhooks/1/{kind}"
        scene.channel(receiver, kind, kind=kind, settings={"webhook_url": hook})
    scene.channel(receiver, "own")
    scene.step(KERNEL)
    scene.step(HEALTHY)
    bodies: dict[str, list[bytes]] = {}
    for one in receiver.received:
        bodies.setdefault(one.path.partition("?")[0].rpartition("/")[2], []).append(one.body)
    assert {kind: len(told_) for kind, told_ in bodies.items()} == dict.fromkeys(
        ("slack_webhook", "teams", "mattermost", "discord", "hook"), 2
    )
    largest = {"slack_webhook": 13_200, "teams": 18 * 1024, "mattermost": 16_000, "hook": 20_000}
    for kind, most in largest.items():
        assert all(len(body) <= most for body in bodies[kind]), kind
    for body in bodies["slack_webhook"]:
        texts = list(_texts(json.loads(body)["blocks"]))
        assert not [one for kind, one in texts if kind == "plain_text" and re.search(r"<[!@#]", one)]
        assert not [one for kind, one in texts if kind == "mrkdwn" and "evil" in one]
    for body in bodies["discord"]:
        assert b'"parse": []' in body or b'"parse":[]' in body
    for body in bodies["hook"]:
        assert set(json.loads(body)["data"]["links"]) <= {"Open", "Alert", "Silence", "Runbook"}


def _texts(value: Any) -> Iterator[tuple[str, str]]:
    """Kind and text of every text object of Slack's."""
    if isinstance(value, dict):
        if value.get("type") in ("plain_text", "mrkdwn"):
            yield value["type"], value["text"]
        for one in value.values():
            yield from _texts(one)
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
