"""Alerting on a real database: from a minute of the ledger to the message, whatever stops in between."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from tests.alerting.receivers import HttpReceiver
from tests.alerting.use.alert_scene import HEALTHY, KERNEL, MINUTE, SOURCE_SILENT, AlertScene, alert_scene, told
from tests.api.ledgers import span

from gavel.alerting.rules.file import default_rules
from gavel.alerting.rules.plain import plain_rule
from gavel.alerting.use import deliver, evaluate, messages, notify, rules
from gavel.db.engine import Connection, reading, transaction
from gavel.db.queries import alerts
from gavel.db.write import alert_memory
from gavel.db.write.alert_memory import OvertakenError
from gavel.domain.io_path import Layer
from gavel.domain.scope import ScopeKind


@pytest.fixture
def scene(environment_url: str) -> Iterator[AlertScene]:
    with alert_scene(environment_url) as made:
        yield made


def test_a_slow_kernel_is_told_once_and_its_end_once(scene: AlertScene, receiver: HttpReceiver) -> None:
    scene.rule()
    scene.channel(receiver)
    for spans in (HEALTHY, KERNEL, KERNEL, KERNEL, HEALTHY, HEALTHY):
        scene.step(spans)
    assert scene.states() == ["firing", "resolved"]
    firing, resolved = told(receiver)
    assert [one["type"] for one in (firing, resolved)] == ["alert.firing", "alert.resolved"]
    data = firing["data"]
    assert data["incident_id"] == resolved["data"]["incident_id"]
    assert data["diagnosis"].startswith("Kernel, mostly kernel queue: 0.44 of 0.93 ms")
    assert [(one["data"]["diagnosis_severity"], one["data"]["confidence"]) for one in (firing, resolved)] == [
        ("elevated", "confirmed")
    ] * 2
    assert data["path"][-1] == "simple"
    assert data["labels"]["layer"] == "kernel"
    (kernel,) = (layer for layer in data["layers"] if layer["name"] == "Kernel")
    assert (kernel["us"], kernel["lower_us"], kernel["upper_us"]) == pytest.approx((438, 425, 451), rel=1e-3)
    assert data["evidence"][0].startswith("64 I/Os outstanding")
    assert data["quality"] == "A"
    assert data["links"]["Open"].startswith(f"https://gavel.example.org/datastores/{scene.store}?from=")
    assert data["links"]["Runbook"] == "https://wiki.example.org/kernel"
    assert resolved["data"]["diagnosis"].startswith("Cleared ")
    assert "Diagnosis: " in resolved["data"]["diagnosis"]


def test_the_rules_that_ship_come_in_once(environment_url: str) -> None:
    with alert_scene(environment_url) as scene:
        scene.ask_to_write("UPDATE alert_memory SET has_default_rules = false")
        scene.turn()
        keys = [key for (key,) in scene.ask("SELECT key FROM alert_rule WHERE enabled ORDER BY id")]
        assert keys == [rule.key for rule in default_rules()]
        scene.ask_to_write("DELETE FROM alert_rule WHERE key = 'kernel_queueing'")
        scene.turn()
        assert len(scene.ask("SELECT key FROM alert_rule")) == len(keys) - 1


@pytest.mark.parametrize("is_learned", [False, True])
def test_messages_of_the_rules_that_compare_with_the_baseline_name_it(
    scene: AlertScene, receiver: HttpReceiver, is_learned: bool
) -> None:
    """Of the rules that ship, those that compare with it; in the words that people read."""
    if is_learned:
        scene.environment.expect(ScopeKind.DATASTORE, scene.store, dict.fromkeys(range(24), (95, 300)))
    for rule in default_rules():
        if rule.key in ("san_over_usual", "array_twice_usual"):
            scene.rule(plain_rule(rule), for_min=0)
    scene.channel(receiver, kind="mattermost", settings={"webhook_url": f"{receiver.url}/hooks/x"})
    scene.step({**HEALTHY, span(Layer.SAN): (2500.0, 2400.0, 2600.0), span(Layer.ARRAY): (2000.0, 1900.0, 2100.0)})
    assert scene.states() == ["firing", "firing"]
    (message,) = (one.body.decode() for one in receiver.received)
    assert "SAN latency above baseline" in message
    assert "Array latency at twice its baseline" in message
    assert "above baseline" in message
    assert not {"usual", "expected"} & set(re.findall(r"[a-z]+", message))


def test_a_minute_that_comes_twice_says_nothing_twice(scene: AlertScene, receiver: HttpReceiver) -> None:
    scene.rule()
    scene.channel(receiver)
    scene.step(KERNEL)
    scene.write(KERNEL)
    scene.turn()
    assert scene.states() == ["firing"]
    assert len(receiver.received) == 1


@pytest.mark.parametrize("stopped_after", ["judged", "planned", "sent"])
def test_whatever_stops_between_two_steps_goes_on_where_it_was(
    scene: AlertScene, receiver: HttpReceiver, stopped_after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After `sent` the receiver has the message and nobody knows: it comes again under the id it had."""
    scene.rule()
    scene.channel(receiver)
    scene.step(HEALTHY)
    scene.now += MINUTE
    scene.write(KERNEL)
    doomed = scene.other_process()
    evaluate.evaluate_rules(doomed, budget_s=20)
    if stopped_after != "judged":
        notify.enqueue_messages(doomed)
    if stopped_after == "sent":
        with monkeypatch.context() as patched:
            patched.setattr(deliver, "_note", _killed)
            with pytest.raises(KeyboardInterrupt):
                deliver.deliver(doomed, 1, budget_s=20)
    doomed.engine.dispose()
    for _ in range(2):
        scene.turn(scene.other_process())
    assert scene.states() == ["firing"]
    ids = [one.headers["webhook-id"] for one in receiver.received]
    assert len(set(ids)) == 1
    assert len(ids) == (2 if stopped_after == "sent" else 1)


def _killed(*_: object) -> None:
    raise KeyboardInterrupt


def test_two_workers_at_once_find_and_say_everything_once(scene: AlertScene, receiver: HttpReceiver) -> None:
    scene.rule()
    scene.channel(receiver)
    places = [scene.other_process() for _ in range(3)]
    for spans in (KERNEL, HEALTHY, KERNEL, HEALTHY):
        scene.now += MINUTE
        scene.write(spans)
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(scene.turn, places))
        scene.turn()
    assert scene.states() == ["firing", "resolved"] * 2
    assert [one["type"] for one in told(receiver)] == ["alert.firing", "alert.resolved"] * 2


def test_who_was_overtaken_writes_nothing(scene: AlertScene) -> None:
    """A worker that was stopped with the work half done, while another one did it."""
    scene.rule()
    scene.step(HEALTHY)
    with transaction(scene.engine) as connection:
        before = alert_memory.read_memory(connection)
    scene.step(KERNEL)
    with pytest.raises(OvertakenError), transaction(scene.engine) as connection:
        alert_memory.write_memory(connection, before, before)
    assert scene.states() == ["firing"]


def test_what_came_late_is_on_the_timeline_and_pages_nobody(scene: AlertScene, receiver: HttpReceiver) -> None:
    rule = scene.rule()
    scene.channel(receiver)
    scene.step(HEALTHY)
    for back in (40, 39, 38):
        scene.write(KERNEL, at=scene.now - back * MINUTE)
    scene.turn()
    assert scene.states() == []
    assert receiver.received == []
    with reading(scene.engine) as connection:
        (late,) = alerts.late_breaches(connection, scene.now - 60 * MINUTE, scene.now)
    assert (late.rule_id, late.minutes, late.from_at) == (rule, 3, scene.now - 40 * MINUTE)
    assert late.peak == pytest.approx(438, rel=1e-3)
    scene.write(KERNEL, at=scene.now - 40 * MINUTE)
    scene.turn()
    assert scene.ask("SELECT count(*) FROM alert_late") == [(3,)]


def test_minutes_without_data_are_no_recovery(scene: AlertScene, receiver: HttpReceiver) -> None:
    scene.rule(no_data_after_min=2)
    scene.channel(receiver)
    for spans in (KERNEL, None, None, None, KERNEL, HEALTHY):
        scene.step(spans)
    assert scene.states() == ["firing", "no_data", "firing", "resolved"]
    assert [one["data"]["status"] for one in told(receiver)] == ["firing", "no_data", "firing", "resolved"]
    assert "No data for simple" in told(receiver)[1]["data"]["diagnosis"]


def test_a_source_that_is_asked_and_gives_nothing_is_told_by_name(scene: AlertScene, receiver: HttpReceiver) -> None:
    scene.rule(SOURCE_SILENT, where={"name": "source of vcenter"})
    scene.channel(receiver)
    scene.ran(scene.environment.vcenter, samples_until=scene.now)
    scene.turn()
    for _ in range(4):
        scene.now += MINUTE
        scene.ran(scene.environment.vcenter, error="unreachable")
        scene.turn()
    assert scene.states() == ["firing"]
    (firing,) = told(receiver)
    assert firing["data"]["diagnosis"] == "No samples from source of vcenter for 2 min."
    assert firing["data"]["severity"] == "critical"
    scene.now += MINUTE
    scene.ran(scene.environment.vcenter, samples_until=scene.now)
    scene.turn()
    assert scene.states() == ["firing", "resolved"]


def test_while_gavel_itself_rested_nobody_was_silent(scene: AlertScene, receiver: HttpReceiver) -> None:
    scene.rule(SOURCE_SILENT)
    scene.channel(receiver)
    scene.ran(scene.environment.vcenter, samples_until=scene.now)
    scene.ran(scene.environment.array, samples_until=scene.now)
    scene.turn()
    scene.now += 60 * MINUTE
    scene.turn()
    assert scene.states() == []


def test_a_rule_that_is_changed_or_gone_ends_what_it_found(scene: AlertScene, receiver: HttpReceiver) -> None:
    rule = scene.rule()
    scene.channel(receiver)
    scene.step(KERNEL)
    rules.remove(scene.engine, rule)
    scene.turn()
    assert scene.states() == ["firing", "resolved"]
    assert [one["type"] for one in told(receiver)] == ["alert.firing", "alert.resolved"]
    assert scene.ask("SELECT rule_id, rule_key, state FROM alert") == [(None, "kernel_slow", "resolved")]


def test_a_thing_that_is_gone_is_no_longer_ill(scene: AlertScene, receiver: HttpReceiver) -> None:
    scene.rule()
    scene.channel(receiver)
    scene.step(KERNEL)
    scene.ask_to_write("UPDATE datastore SET present = false WHERE name = 'simple'")
    scene.ask_to_write("UPDATE source SET inventory_revision = inventory_revision + 1")
    scene.step(None)
    assert scene.states() == ["firing", "resolved"]


def test_what_is_known_early_is_judged_early_and_once(scene: AlertScene, receiver: HttpReceiver) -> None:
    """While another source is late, what does not need it does not wait; the whole minute then adds the others."""
    scene.rule()
    scene.channel(receiver)
    scene.step(HEALTHY)
    scene.now += MINUTE
    scene.write(KERNEL, is_whole=False)
    scene.turn()
    assert scene.states() == ["firing"]
    scene.write(KERNEL, also={"spanned": KERNEL})
    scene.turn()
    assert scene.states() == ["firing", "firing"]
    assert len(receiver.received) >= 1


def test_a_diagnosis_that_cannot_be_had_holds_up_no_message(
    scene: AlertScene, receiver: HttpReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when its query takes too long: what failed inside is undone alone."""

    def fails(connection: Connection, *_: object) -> None:
        connection.exec_driver_sql("SELECT 1 / 0")

    monkeypatch.setattr(messages, "diagnosis", fails)
    scene.rule()
    scene.channel(receiver)
    scene.step(KERNEL)
    (firing,) = told(receiver)
    assert firing["data"]["diagnosis"] == "Kernel slow on simple. No diagnosis available."


def test_rules_of_things_that_are_not_there_yet_are_no_trouble(scene: AlertScene) -> None:
    """As on the first day: minutes come before any cluster is known."""
    scene.rule(of="cluster")
    scene.ask_to_write("UPDATE cluster SET present = false")
    scene.step(KERNEL)
    assert scene.states() == []
    with reading(scene.engine) as connection:
        assert not alert_memory.has_due_minutes(connection)


def test_the_worst_minute_and_when_the_breach_itself_ended_are_kept_and_told(
    scene: AlertScene, receiver: HttpReceiver
) -> None:
    """Judged to be over three minutes after the last breach; said to be over since that."""
    scene.rule(keep_firing_min=3)
    scene.channel(receiver)
    began = scene.now
    worse = {**KERNEL, span(Layer.KERNEL): (900.0, 870.0, 930.0)}
    for spans in (KERNEL, worse, KERNEL, HEALTHY, HEALTHY, HEALTHY):
        scene.step(spans)
    assert scene.states() == ["firing", "recovering", "resolved"]
    with reading(scene.engine) as connection:
        one = alerts.one_alert(connection, 1)
    assert [one.peak, one.peak_lower] == pytest.approx([900, 870])
    worst_at, over_at = began + MINUTE, began + 3 * MINUTE
    assert (one.peak_at, one.recovered_at, one.ended_at) == (worst_at, over_at, began + 5 * MINUTE)
    said = told(receiver)[1]["data"]
    assert said["ended_at"] == said["to_at"] == over_at.isoformat()
    assert said["peak"]["at"] == worst_at.isoformat()
    cleared = f"Cleared {over_at:%H:%M} UTC after 3 min, peak 0.90 ms (≥ 0.87 ms) at {worst_at:%H:%M}. Diagnosis: "
    assert said["diagnosis"].startswith(cleared)


def test_who_breaches_again_while_it_recovers_has_not_recovered(scene: AlertScene) -> None:
    scene.rule(keep_firing_min=3)
    began = scene.now
    for spans in (KERNEL, HEALTHY, KERNEL):
        scene.step(spans)
    with reading(scene.engine) as connection:
        assert alerts.one_alert(connection, 1).recovered_at is None
    scene.now += MINUTE
    for _ in range(3):
        scene.now += MINUTE
        scene.write(HEALTHY)
    scene.write(HEALTHY, at=began + 3 * MINUTE)
    scene.turn()
    with reading(scene.engine) as connection:
        one = alerts.one_alert(connection, 1)
    assert (one.state, one.recovered_at) == ("resolved", began + 3 * MINUTE)


def test_an_alert_whose_rule_is_gone_is_not_said_to_have_recovered(scene: AlertScene, receiver: HttpReceiver) -> None:
    rule = scene.rule()
    scene.channel(receiver)
    scene.step(KERNEL)
    rules.remove(scene.engine, rule)
    scene.now += MINUTE
    scene.turn()
    assert told(receiver)[1]["data"]["diagnosis"].startswith("No longer evaluated since")
