"""What the machine of alerts keeps, on both databases: one writer moves it on, minutes are not lost, messages come in their order."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from tests.db.conftest import Store

from gavel.db.engine import Role, open_engine, snapshot, transaction
from gavel.db.queries import alert_rules, alerts, channels
from gavel.db.queries import notifications as outbox
from gavel.db.write import alert_memory, alert_states
from gavel.db.write.alert_memory import OvertakenError

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def a_channel(store: Store, name: str) -> int:
    with transaction(store.engine) as connection:
        return channels.add_channel(
            connection, kind="webhook", name=name, settings={}, enabled=True, route={}, second_id=None, created_at=NOW
        )


def a_message(store: Store, channel_id: int, group: str, sequence: int, **more: Any) -> int:
    with transaction(store.engine) as connection:
        return outbox.add_notification(
            connection,
            event_id=f"evt_{channel_id}_{group}_{sequence}",
            channel_id=channel_id,
            group_key=group,
            sequence=sequence,
            status="firing",
            message={},
            alert_ids=[],
            created_at=NOW,
            next_at=NOW,
            **more,
        )


def test_the_memory_moves_on_from_what_was_read_only(store: Store) -> None:
    with transaction(store.engine) as connection:
        before = alert_memory.read_memory(connection)
        alert_memory.write_memory(connection, before, replace(before, rows=b"one", next_incident=7))
    with transaction(store.engine) as connection:
        after = alert_memory.read_memory(connection)
    assert (after.revision, after.rows, after.next_incident) == (before.revision + 1, b"one", 7)
    with pytest.raises(OvertakenError), transaction(store.engine) as connection:
        alert_memory.write_memory(connection, before, before)


def test_a_minute_written_again_while_it_was_judged_is_still_due(store: Store) -> None:
    store.run("DELETE FROM written_minute")
    with transaction(store.engine) as connection:
        alert_memory.minutes_written(connection, [30, 10, 20], is_whole=False)
    with transaction(store.engine) as connection:
        due = alert_memory.due_minutes(connection, 15, 10)
    assert [one.minute for one in due] == [20, 30]
    with transaction(store.engine) as connection:
        alert_memory.minutes_written(connection, [30], is_whole=True)
    with transaction(store.engine) as connection:
        alert_memory.remove_due_minutes(connection, due)
        rest = alert_memory.due_minutes(connection, 0, 10)
    assert [(one.minute, one.is_whole) for one in rest] == [(10, False), (30, True)]


def test_late_minutes_in_a_row_are_one_breach_and_those_of_an_alert_are_none(store: Store) -> None:
    store.run("DELETE FROM alert_late")
    with transaction(store.engine) as connection:
        rule = alert_rules.add_rule(connection, f"late_{store.timescale}", {"key": "late"}, enabled=True, now=NOW)
        alert_states.write_alerts(connection, [an_alert(rule, NOW + 4 * MINUTE, NOW + 6 * MINUTE)])
        rows = [
            {
                "rule_id": rule,
                "object_key": 7,
                "minute_at": NOW + n * MINUTE,
                "value": float(n),
                "lower": None,
                "detected_at": NOW,
            }
            for n in (0, 1, 2, 5, 9)
        ]
        alert_states.write_late(connection, rows)
    with transaction(store.engine) as connection:
        found = alerts.late_breaches(connection, NOW, NOW + timedelta(hours=1), 7)
    assert [(one.from_at, one.minutes, one.peak) for one in found] == [(NOW + 9 * MINUTE, 1, 9.0), (NOW, 3, 2.0)]


def an_alert(rule: int, begin: datetime, end: datetime) -> dict[str, Any]:
    return {
        "id": 1_000_000 + rule, "rule_id": rule, "rule_key": "late", "rule_name": "Late", "severity": "info",
        "subject": "datastore", "object_key": 7, "object_id": 7, "object_name": "seven", "layer": None, "path": [],
        "labels": {}, "measure": {}, "runbook_url": "", "array_down": None, "state": "resolved", "sequence": 2,
        "since_at": end, "started_at": begin, "fired_at": begin, "ended_at": end, "value": 1.0, "lower": 1.0, "excess_outstanding": None,
    }  # fmt: skip


def test_an_alert_that_moves_keeps_when_it_fired_and_its_last_numbers(store: Store) -> None:
    with transaction(store.engine) as connection:
        rule = alert_rules.add_rule(connection, f"moves_{store.timescale}", {"key": "moves"}, enabled=True, now=NOW)
        first = an_alert(rule, NOW, NOW + MINUTE) | {"state": "firing", "ended_at": None}
        alert_states.write_alerts(connection, [first])
        ended = first | {
            "state": "resolved",
            "sequence": 3,
            "ended_at": NOW + 3 * MINUTE,
            "fired_at": None,
            "value": None,
        }
        alert_states.write_alerts(connection, [ended])
        found = alerts.one_alert(connection, first["id"])
    assert (found.state, found.fired_at, found.ended_at, found.value) == ("resolved", NOW, NOW + 3 * MINUTE, 1.0)


def test_of_one_message_only_the_newest_state_waits_and_the_least_tried_comes_first(store: Store) -> None:
    channel = a_channel(store, f"order {store.timescale}")
    first = a_message(store, channel, "a", 1, attempts=3)
    newer = a_message(store, channel, "a", 2, attempts=1)
    other = a_message(store, channel, "b", 1)
    with transaction(store.engine) as connection:
        assert outbox.supersede(connection, channel, NOW, by_key=False) == 1
        assert outbox.notification_row(connection, first).state == "superseded"
        found = outbox.next_due(connection, channel, NOW)
        assert found is not None
        assert found.id == other
        outbox.finish(connection, other, state="delivered", finished_at=NOW, receipt={"ts": "1"})
        found = outbox.next_due(connection, channel, NOW)
        assert found is not None
        assert found.id == newer
        assert outbox.last_receipt(connection, channel, "b") == {"ts": "1"}
        assert (channel, "webhook") in outbox.due_channels(connection, NOW)


def test_a_dead_letter_that_a_newer_state_has_overtaken_is_not_told_again(store: Store) -> None:
    channel = a_channel(store, f"dead {store.timescale}")
    dead = a_message(store, channel, "a", 1, state="dead")
    a_message(store, channel, "a", 2, state="delivered")
    with transaction(store.engine) as connection:
        assert outbox.replay(connection, NOW, channel_id=channel) == 1
        outbox.supersede(connection, channel, NOW, by_key=False)
        assert outbox.notification_row(connection, dead).state == "superseded"


def test_who_writes_a_minute_again_neither_waits_for_who_judges_it_nor_fails(postgres_url: str) -> None:
    """Correlate's transactions see the store as it was at their beginning, and would fail where another one changed their rows."""
    engine = open_engine(postgres_url, Role.WORKER)
    with transaction(engine) as connection:
        alert_memory.minutes_written(connection, [50], is_whole=True)
    with snapshot(engine) as writer:
        alert_memory.has_due_minutes(writer)
        with transaction(engine) as judge:
            alert_memory.remove_due_minutes(judge, alert_memory.due_minutes(judge, 50, 10))
            alert_memory.minutes_written(writer, [50], is_whole=True)
        alert_memory.minutes_written(writer, [50], is_whole=True)
    with transaction(engine) as connection:
        (due,) = alert_memory.due_minutes(connection, 50, 10)
    engine.dispose()
    assert len(due.writings) == 2
