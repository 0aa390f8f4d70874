"""What keeps messages back or puts them together, from a minute of the ledger to the wire."""

import json
from collections.abc import Iterator, Mapping
from datetime import timedelta
from zoneinfo import ZoneInfo

import pytest
from tests.alerting.receivers import HttpReceiver, http_receiver
from tests.alerting.use.alert_scene import HEALTHY, KERNEL, MINUTE, SOURCE_SILENT, AlertScene, alert_scene, told
from tests.api.ledgers import Interval, span

from gavel.alerting.use import mute
from gavel.db.engine import reading, transaction
from gavel.db.queries import alerts
from gavel.domain.io_path import Layer


@pytest.fixture
def scene(environment_url: str) -> Iterator[AlertScene]:
    with alert_scene(environment_url) as made:
        yield made


def test_an_array_that_is_down_mutes_what_is_behind_it(scene: AlertScene, receiver: HttpReceiver) -> None:
    scene.rule()
    scene.rule(SOURCE_SILENT, where={"name": "source of flasharray"})
    scene.channel(receiver)
    scene.ran(scene.environment.array, samples_until=scene.now)
    scene.step(HEALTHY)
    scene.now += 3 * MINUTE
    scene.ran(scene.environment.array, error="unreachable")
    scene.turn()
    scene.step(KERNEL)
    assert [one["data"]["rule"] for one in told(receiver)] == ["silent"]
    scene.ran(scene.environment.array, samples_until=scene.now + MINUTE)
    scene.step(KERNEL)
    assert [one["data"]["rule"] for one in told(receiver)][1:] in (["silent", "kernel_slow"], ["kernel_slow", "silent"])


def test_a_silence_keeps_a_message_back_until_it_ends(scene: AlertScene, receiver: HttpReceiver) -> None:
    scene.rule()
    scene.channel(receiver)
    matchers = [{"label": "datastore", "pattern": "sim*"}]
    until = scene.now + 3 * MINUTE
    mute.add_silence(scene.engine, matchers, None, until, "firmware", "Ada", scene.now)
    scene.step(KERNEL)
    scene.step(KERNEL)
    assert receiver.received == []
    scene.step(KERNEL)
    assert [one["type"] for one in told(receiver)] == ["alert.firing"]


def test_a_maintenance_window_that_comes_again_keeps_messages_back_while_it_is_on(
    scene: AlertScene, receiver: HttpReceiver
) -> None:
    """Its second day: by the clock on the wall of its zone, for what its matchers name."""
    scene.rule()
    scene.channel(receiver)
    on_the_wall = scene.now.astimezone(ZoneInfo("Asia/Kolkata"))
    window = {
        "first_day": f"{on_the_wall.date() - timedelta(days=1)}", "starts": f"{on_the_wall:%H:%M}:00", "lasts_min": 3,
        "zone": "Asia/Kolkata", "repeat": "daily", "weekdays": [], "last_day": None,
        "matchers": [{"label": "datastore", "pattern": "simple"}],
    }  # fmt: skip
    mute.store_maintenance(scene.engine, "patch night", window, scene.now)
    scene.step(KERNEL)
    scene.step(KERNEL)
    assert receiver.received == []
    with reading(scene.engine) as connection:
        (alert,) = alerts.open_alerts(connection)
        quiet = mute.quiet_now(connection, [alert], scene.now)
        assert mute.reason(quiet, alert, scene.now) == "maintenance: patch night"
    scene.step(KERNEL)
    assert [one["type"] for one in told(receiver)] == ["alert.firing"]


def test_more_than_twenty_objects_are_one_message_and_end_as_one(scene: AlertScene, receiver: HttpReceiver) -> None:
    """The worst ten by name, and how many more. Who is the worst changes meanwhile; what it is known by elsewhere does not."""
    scene.ask_to_write(
        "INSERT INTO datastore (source_id, key, name, type, present, first_seen_at, last_seen_at, vvol_array_ids)"
        " SELECT source_id, 'many-' || n, 'many-' || n, type, true, first_seen_at, last_seen_at, vvol_array_ids"
        " FROM datastore, generate_series(1, 25) n WHERE key = 'local'"
    )
    scene.ask_to_write("UPDATE source SET inventory_revision = inventory_revision + 1")
    scene.rule(where={"name": "many-*"})
    scene.channel(receiver)
    many: dict[str, Mapping[int, Interval]] = {f"many-{n}": KERNEL for n in range(1, 26)}
    worse = {**KERNEL, span(Layer.KERNEL): (900.0, 870.0, 930.0)}
    with http_receiver() as alertmanager:
        scene.channel(alertmanager, "alertmanager", kind="alertmanager", settings={"url": alertmanager.url})
        for spans in ({**many, "many-25": worse}, dict.fromkeys(many, HEALTHY)):
            scene.now += MINUTE
            scene.write(None, also=spans)
            scene.turn()
    (fired,), (over,) = (json.loads(one.body) for one in alertmanager.received)
    assert fired["labels"] == over["labels"]
    assert fired["labels"]["severity"] == "warning"
    firing, resolved = told(receiver)
    assert firing["data"]["path"][0] == "25 objects"
    assert firing["data"]["object_count"] == 25
    assert len(firing["data"]["objects"]) == 10
    assert resolved["data"]["incident_id"] == firing["data"]["incident_id"]
    assert resolved["type"] == "alert.resolved"
    assert scene.ask("SELECT state, count(*) FROM alert GROUP BY 1") == [("resolved", 25)]


def test_who_looks_after_an_alert_hears_no_more_of_it_until_it_is_over(
    scene: AlertScene, receiver: HttpReceiver
) -> None:
    scene.rule()
    scene.channel(receiver)
    scene.step(KERNEL)
    with transaction(scene.engine) as connection:
        (alert,) = alerts.open_alerts(connection)
        alerts.acknowledge(connection, alert.id, "Ada", "", scene.now)
    scene.now += 5 * 60 * MINUTE
    scene.step(KERNEL)
    assert len(receiver.received) == 1
    scene.step(HEALTHY)
    assert [one["type"] for one in told(receiver)] == ["alert.firing", "alert.resolved"]
