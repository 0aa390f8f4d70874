"""Delivery of alerts on a real database: outages, patience, refusals, second channels, pictures."""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from sqlalchemy import text
from tests.alerting.receivers import HttpReceiver, Says, http_receiver
from tests.alerting.use.alert_scene import HEALTHY, KERNEL, MINUTE, AlertScene, alert_scene, told

from gavel.alerting.render.picture import waterfall_picture
from gavel.alerting.use import deliver, evaluate, notify, pictures
from gavel.db.engine import reading, transaction
from gavel.db.errors import NotFoundError
from gavel.db.locks import only_one
from gavel.db.queries import notifications as outbox
from gavel.db.queries.channels import change_channel, remove_channel
from gavel.jobs import tasks


@pytest.fixture
def scene(environment_url: str) -> Iterator[AlertScene]:
    with alert_scene(environment_url) as made:
        yield made


def test_after_an_outage_of_the_channel_only_the_newest_state_is_told(
    scene: AlertScene, receiver: HttpReceiver
) -> None:
    scene.rule()
    scene.channel(receiver)
    receiver.answers[:] = [Says(503)]
    for spans in (KERNEL, HEALTHY, KERNEL, KERNEL):
        scene.step(spans)
    asked = len(receiver.received)
    assert asked >= 1
    receiver.answers[:] = [Says(200)]
    scene.now += 3600 * MINUTE / 60
    scene.turn()
    states = [one["data"]["status"] for one in told(receiver)[asked:]]
    incidents = [one["data"]["incident_id"] for one in told(receiver)[asked:]]
    assert sorted(states) == ["firing", "resolved"]
    assert len(set(incidents)) == 2
    assert dict(scene.ask("SELECT state, count(*) FROM notification GROUP BY 1")) == {"superseded": 1, "delivered": 2}


def test_an_end_that_was_refused_at_first_is_still_told_before_the_same_fires_anew(
    scene: AlertScene, receiver: HttpReceiver
) -> None:
    """A receiver that keeps incidents by key would else close what has just begun."""
    scene.rule()
    scene.channel(receiver)
    scene.step(KERNEL)
    receiver.answers[:] = [Says(503), Says(200)]
    for spans in (HEALTHY, KERNEL):
        scene.step(spans)
    scene.now += 60 * MINUTE
    scene.turn()
    states = [(one["data"]["status"], one["data"]["incident_id"]) for one in told(receiver)]
    first, second = dict.fromkeys(incident for _, incident in states)
    assert states == [("firing", first), ("resolved", first), ("resolved", first), ("firing", second)]


def test_a_receiver_that_asks_for_patience_gets_it(scene: AlertScene, receiver: HttpReceiver) -> None:
    scene.rule()
    scene.channel(receiver)
    receiver.answers[:] = [Says(429, headers={"Retry-After": "120"}), Says(200)]
    scene.step(KERNEL)
    scene.now += MINUTE
    scene.turn()
    assert len(receiver.received) == 1
    scene.now += 2 * MINUTE
    scene.turn()
    assert [one.headers["webhook-id"] for one in receiver.received] == [receiver.received[0].headers["webhook-id"]] * 2


def test_what_a_channel_refuses_is_told_on_the_second_one_and_can_be_replayed(
    scene: AlertScene, receiver: HttpReceiver
) -> None:
    scene.rule()
    with http_receiver() as other:
        second = scene.channel(other, "second", route={"min_severity": "critical"})
        first = scene.channel(receiver, second_id=second)
        receiver.answers[:] = [Says(403)]
        scene.step(KERNEL)
        scene.turn()
        (dead,) = told(other)
        assert dead["data"]["diagnosis"].startswith("Not delivered by ours (the receiver answered 403.")
        receiver.answers[:] = [Says(200)]
        with transaction(scene.engine) as connection:
            assert outbox.replay(connection, scene.now, channel_id=first) == 1
        scene.turn()
    ids = [one.headers["webhook-id"] for one in receiver.received]
    assert len(ids) == 2
    assert len(set(ids)) == 1


def test_a_replayed_end_does_not_close_what_fires_under_the_same_key_by_now(
    scene: AlertScene, receiver: HttpReceiver
) -> None:
    scene.rule()
    settings = {"routing_key": "0" * 32, "events_url": f"{receiver.url}/v2/enqueue"}
    channel = scene.channel(receiver, kind="pagerduty", settings=settings)
    receiver.answers[:] = [Says(202), Says(400), Says(202)]
    for spans in (KERNEL, HEALTHY, KERNEL):
        scene.step(spans)
    actions = [json.loads(one.body)["event_action"] for one in receiver.received]
    assert actions == ["trigger", "resolve", "trigger"]
    with transaction(scene.engine) as connection:
        assert outbox.replay(connection, scene.now, channel_id=channel) == 1
    scene.turn()
    assert len(receiver.received) == 3
    assert dict(scene.ask("SELECT state, count(*) FROM notification GROUP BY 1")) == {"superseded": 1, "delivered": 2}


def test_a_receiver_that_is_gone_switches_its_channel_off(scene: AlertScene, receiver: HttpReceiver) -> None:
    scene.rule()
    scene.channel(receiver)
    receiver.answers[:] = [Says(410)]
    for spans in (KERNEL, HEALTHY, KERNEL):
        scene.step(spans)
    assert len(receiver.received) == 1
    ((enabled, why),) = scene.ask("SELECT enabled, off_reason FROM channel")
    assert not enabled
    assert "410" in why


def test_a_channel_that_is_ill_holds_up_no_other(scene: AlertScene, receiver: HttpReceiver) -> None:
    scene.rule()
    with http_receiver() as ill:
        ill.answers[:] = [Says(500)]
        scene.channel(ill, "ill")
        scene.channel(receiver)
        scene.step(KERNEL)
    assert [one["type"] for one in told(receiver)] == ["alert.firing"]


def test_apprise_has_a_queue_of_its_own(scene: AlertScene, receiver: HttpReceiver) -> None:
    scene.rule()
    native = scene.channel(receiver)
    apart = scene.channel(receiver, "apart", kind="apprise", settings={"url": receiver.url.replace("http", "json", 1)})
    scene.now += MINUTE
    scene.write(KERNEL)
    evaluate.evaluate_rules(scene.place(), budget_s=20)
    assert notify.enqueue_messages(scene.place()) == 2
    assert [(one.channel_id, one.is_apart) for one in notify.due_channels(scene.place())] == [
        (native, False),
        (apart, True),
    ]


def test_channels_that_failed_wait_in_line_so_that_the_others_always_find_a_process(
    scene: AlertScene, receiver: HttpReceiver
) -> None:
    """As many as may be are being tried just now, and take their time."""
    scene.rule()
    with http_receiver() as ill:
        ill.answers[:] = [Says(500), Says(200)]
        bad = scene.channel(ill, "ill")
        scene.step(KERNEL)
        assert len(ill.received) == 1
        good = scene.channel(receiver)
        scene.now += MINUTE
        with ExitStack() as others:
            for number in range(deliver.MAX_FAILING_IN_PARALLEL):
                assert others.enter_context(only_one(scene.engine, f"{deliver.FAILING}/{number}"))
            elsewhere = scene.other_process()
            assert notify.enqueue_messages(elsewhere) == 1
            assert deliver.deliver(elsewhere, bad, budget_s=5) == 0
            assert deliver.deliver(elsewhere, good, budget_s=5) == 1
        assert len(ill.received) == 1
        assert deliver.deliver(scene.place(), bad, budget_s=5) == 1


def test_two_failing_channels_are_tried_side_by_side_whatever_their_ids(
    scene: AlertScene, receiver: HttpReceiver
) -> None:
    first, _, third = (scene.channel(receiver, name) for name in ("first", "second", "third"))
    assert (third - first) % deliver.MAX_FAILING_IN_PARALLEL == 0
    with transaction(scene.engine) as connection:
        for channel in (first, third):
            change_channel(connection, channel, failures=1)
    with ExitStack() as both:
        slots = [both.enter_context(deliver._failing_slot(scene.place(), channel)) for channel in (first, third)]
        assert slots == [True, True]


def test_a_channel_removed_after_dispatch_costs_no_traceback(
    scene: AlertScene, receiver: HttpReceiver, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    scene.rule()
    channel = scene.channel(receiver)
    scene.write(KERNEL)
    evaluate.evaluate_rules(scene.place(), budget_s=20)
    assert notify.enqueue_messages(scene.place()) == 1
    monkeypatch.setattr(tasks, "current_worker", scene.place)
    send = deliver.send

    def remove_meanwhile(*arguments: Any) -> deliver.Sent:
        with transaction(scene.engine) as connection:
            remove_channel(connection, channel)
        return send(*arguments)

    monkeypatch.setattr(deliver, "send", remove_meanwhile)
    caplog.set_level(logging.WARNING)
    for _ in range(2):
        assert isinstance(tasks.deliver.apply((channel,)).result, NotFoundError)
    assert len(receiver.received) == 1
    assert not [record for record in caplog.records if record.exc_info], caplog.text


def test_a_picture_is_drawn_in_no_transaction(
    scene: AlertScene, receiver: HttpReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    scene.rule()
    channel = scene.channel(receiver, kind="discord", settings={"webhook_url": f"{receiver.url}/api/webhooks/1/token"})
    states: list[str] = []

    def note_sessions(*arguments: Any) -> Any:
        with reading(scene.engine) as connection:
            connection.execute(text("SET LOCAL lock_timeout = '1s'"))
            others = "SELECT state FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
            states.extend(connection.scalars(text(f"{others} AND backend_type = 'client backend'")))
        with transaction(scene.engine) as connection:
            change_channel(connection, channel, name="edited meanwhile")
        return waterfall_picture(*arguments)

    monkeypatch.setattr(pictures, "waterfall_picture", note_sessions)
    scene.step(KERNEL)
    assert len(receiver.received) == 1
    assert states
    assert "idle in transaction" not in states


def test_a_channel_that_no_message_can_be_made_for_keeps_nothing_from_the_others(
    scene: AlertScene, receiver: HttpReceiver
) -> None:
    """Its route is as another version may have stored it."""
    scene.rule()
    bad = scene.channel(receiver, "bad")
    scene.channel(receiver)
    scene.ask_to_write('UPDATE channel SET route = \'{"min_severity": "urgent"}\' WHERE id = :id', id=bad)
    scene.step(KERNEL)
    scene.step(HEALTHY)
    assert [one["type"] for one in told(receiver)] == ["alert.firing", "alert.resolved"]
    assert scene.ask("SELECT name, failures FROM channel ORDER BY id") == [("bad", 1), ("ours", 0)]


def test_a_route_says_which_alerts_go_to_a_channel(scene: AlertScene, receiver: HttpReceiver) -> None:
    scene.rule()
    scene.channel(receiver, route={"min_severity": "critical"})
    scene.channel(receiver, "named", route={"matchers": [{"label": "datastore", "pattern": "other*"}]})
    scene.step(KERNEL)
    assert scene.states() == ["firing"]
    assert receiver.received == []


def test_a_message_shows_its_waterfall_by_a_signed_address_that_opens_for_nothing_else(
    scene: AlertScene, receiver: HttpReceiver
) -> None:
    """The webhook takes no files; what its address leads to is a PNG, and any other one leads nowhere."""
    scene.rule()
    scene.channel(receiver, kind="discord", settings={"webhook_url": f"{receiver.url}/api/webhooks/1/token"})
    scene.channel(receiver, "chat", kind="mattermost", settings={"webhook_url": f"{receiver.url}/hooks/x"})
    scene.step(KERNEL)
    by_path = {one.path.partition("?")[0]: one.body for one in receiver.received}
    assert b"\x89PNG" in by_path["/api/webhooks/1/token"]
    (address,) = re.findall(rb"https://gavel\.example\.org/api/v1/alert-pictures/([\w.-]+)", by_path["/hooks/x"])[:1]
    vault = scene.place().connections.vault
    token = address.decode()
    event_id = pictures.event_of(vault, token, scene.now)
    assert pictures.png_of(scene.engine, event_id).startswith(b"\x89PNG")
    with pytest.raises(NotFoundError):
        pictures.event_of(vault, token[:-1] + "~", scene.now)
    with pytest.raises(NotFoundError):
        pictures.event_of(vault, token, scene.now + 8 * 24 * 60 * MINUTE)
