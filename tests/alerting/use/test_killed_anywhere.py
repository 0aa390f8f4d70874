"""A worker that dies at any statement whatsoever: no transition is lost, doubled or out of order, no message is missing or said anew."""

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from tests.alerting.receivers import HttpReceiver
from tests.alerting.use.alert_scene import HEALTHY, KERNEL, MINUTE, AlertScene, alert_scene, told

from gavel.ingest.worker import WorkerContext

# GAVEL_EVERY_KILL=1: at every single one, half a minute of work; else at every fourth.
EVERY = 1 if os.environ.get("GAVEL_EVERY_KILL") else 4
# One turn sends fewer statements than that.
_MOST_STATEMENTS = 400


class KilledError(BaseException):
    """As `kill -9`: nothing of Gavel's catches it, and the connection goes with it."""


@contextmanager
def killed_at(place: WorkerContext, statement: int) -> Iterator[list[int]]:
    """The process dies before its n-th statement; yields how many it has sent."""
    sent = [0]

    def count(*_: Any) -> None:
        sent[0] += 1
        if sent[0] == statement:
            raise KilledError

    event.listen(place.engine, "before_cursor_execute", count)
    try:
        yield sent
    finally:
        event.remove(place.engine, "before_cursor_execute", count)


def test_a_worker_that_dies_at_any_statement_loses_and_doubles_nothing(
    environment_url: str, receiver: HttpReceiver
) -> None:
    """Every second time is ill; in each the worker dies some statements later than in the one before, and another one goes on."""
    with alert_scene(environment_url) as scene:
        scene.rule()
        scene.channel(receiver)
        scene.step(HEALTHY)
        for turn, statement in enumerate(range(1, _MOST_STATEMENTS, EVERY)):
            # Further apart than what counts as flapping.
            scene.now += 61 * MINUTE
            scene.write(HEALTHY if turn % 2 else KERNEL)
            if not _dies(scene, statement):
                break
            scene.turn()
        else:
            pytest.fail("a turn has more statements than were tried")
        scene.turn()
        _is_complete(scene, receiver)


def _dies(scene: AlertScene, statement: int) -> bool:
    doomed = scene.other_process()
    try:
        with killed_at(doomed, statement):
            scene.turn(doomed)
    except KilledError:
        return True
    finally:
        doomed.engine.dispose()
    return False


def _is_complete(scene: AlertScene, receiver: HttpReceiver) -> None:
    moved = scene.ask("SELECT alert_id, sequence, after FROM alert_transition ORDER BY alert_id, sequence")
    by_alert: dict[int, list[tuple[int, str]]] = {}
    for alert_id, sequence, after in moved:
        by_alert.setdefault(alert_id, []).append((sequence, after))
    assert len(by_alert) > 5
    for steps in by_alert.values():
        assert [sequence for sequence, _ in steps] == list(range(1, len(steps) + 1))
        assert [after for _, after in steps] in (["firing", "resolved"], ["firing"])
    waiting = scene.ask("SELECT count(*) FROM notification WHERE state NOT IN ('delivered', 'superseded')")
    assert waiting == [(0,)]
    assert scene.ask("SELECT count(*) FROM alert WHERE ended_at IS NULL") in ([(0,)], [(1,)])
    kept = [event_id for (event_id,) in scene.ask("SELECT event_id FROM notification WHERE state = 'delivered'")]
    heard = Counter(one["data"]["event_id"] for one in told(receiver))
    assert set(heard) == set(kept)
    # Died between sending and writing that down: the same message under the same id, once more.
    assert all(times <= 3 for times in heard.values())
