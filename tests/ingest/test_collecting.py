"""Live collection and backfill against a real database: nothing lost, nothing twice, every absence with its reason."""

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import event, text
from tests.ingest.conftest import Scene
from tests.ingest.scripted import GRAIN_S, PLAN, reading

from gavel.db import live
from gavel.db.engine import transaction
from gavel.db.locks import only_one
from gavel.db.queries.sources import change_source, plan_poll, store_secrets
from gavel.domain.errors import AuthenticationError, ErrorKind, ProtocolError, SourceUnreachableError
from gavel.ingest.backfill import EXPIRED, NOTHING_THERE, RECOVERED, backfill, find_holes
from gavel.ingest.live import collect_live
from gavel.ingest.schedule import due_work


def _expected(
    since: datetime, until: datetime, volumes: int = 3, without: Iterable[int] = ()
) -> dict[tuple[str, int], int]:
    stamps = range(int(since.timestamp()) // GRAIN_S * GRAIN_S + GRAIN_S, int(until.timestamp()) + 1, GRAIN_S)
    return {(f"v{v}", s): reading(v, s) for s in stamps for v in range(volumes) if s not in set(without)}


def _catch_up(scene: Scene) -> None:
    for _ in range(20):
        if not backfill(scene.place, scene.source_id, budget_s=5):
            return
    pytest.fail("backfill does not come to an end")


def test_a_new_source_is_live_first_and_then_has_all_that_it_still_keeps(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    live = scene.rows()
    assert live == _expected(scene.array.now - PLAN.live_window, scene.array.now)
    _catch_up(scene)
    assert scene.rows() == _expected(scene.array.now - PLAN.retention, scene.array.now)
    assert {state for state, _ in scene.gaps()} == {"recovered"}


def test_while_a_history_moves_on_during_backfill_only_its_very_end_is_given_up(scene: Scene) -> None:
    began = scene.array.now
    scene.array.read_takes = timedelta(seconds=40)
    collect_live(scene.place, scene.source_id)
    _catch_up(scene)
    kept_from, owed_until = scene.array.now - PLAN.retention, began
    owed = _expected(began - PLAN.retention, owed_until)
    assert _expected(kept_from, owed_until).items() <= scene.rows().items() <= owed.items()
    assert dict(scene.gaps()) == {"explained": EXPIRED, "recovered": RECOVERED}


def test_a_steady_source_is_followed_without_gaps(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    _catch_up(scene)
    start = scene.array.now - PLAN.retention
    for _ in range(10):
        scene.pass_time(seconds=GRAIN_S)
        collect_live(scene.place, scene.source_id)
    assert scene.rows() == _expected(start, scene.array.now)


def test_reading_the_same_time_again_changes_no_row(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    before = scene.rows()
    with scene.engine.begin() as connection:
        connection.execute(text("DELETE FROM watermark"))
    collect_live(scene.place, scene.source_id)
    assert scene.rows() == before


def test_an_outage_shorter_than_the_history_is_refilled_completely(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    _catch_up(scene)
    start = scene.array.now - PLAN.retention
    scene.array.failure = SourceUnreachableError("array: not reachable")
    scene.pass_time(minutes=20)
    collect_live(scene.place, scene.source_id)
    scene.pass_time(minutes=20)
    scene.array.failure = None
    collect_live(scene.place, scene.source_id)
    _catch_up(scene)
    assert scene.rows() == _expected(start, scene.array.now)
    assert RECOVERED in {reason for _, reason in scene.gaps()}


def test_what_came_late_just_before_an_outage_is_read_after_it(scene: Scene) -> None:
    scene.array.late = timedelta(seconds=20)
    collect_live(scene.place, scene.source_id)
    newest = int(scene.array.now.timestamp()) // GRAIN_S * GRAIN_S
    assert ("v1", newest) in scene.rows()
    assert ("v0", newest) not in scene.rows()
    _catch_up(scene)
    start = scene.array.now - PLAN.retention
    scene.array.failure = SourceUnreachableError("array: not reachable")
    scene.pass_time(minutes=20)
    collect_live(scene.place, scene.source_id)
    scene.array.failure = None
    scene.array.late = timedelta(0)
    collect_live(scene.place, scene.source_id)
    _catch_up(scene)
    assert scene.rows() == _expected(start, scene.array.now)


def test_a_backfill_of_a_worker_that_stops_ends_after_its_slice_and_goes_on_later(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    asked = len(scene.array.reads)
    stopping = replace(scene.place, stopping=lambda: len(scene.array.reads) > asked)
    assert backfill(stopping, scene.source_id, budget_s=60)
    assert len(scene.array.reads) == asked + 1
    assert "pending_backfill" in {state for state, _ in scene.gaps()}
    _catch_up(scene)
    assert scene.rows() == _expected(scene.array.now - PLAN.retention, scene.array.now)


def test_what_the_source_has_forgotten_is_an_explained_gap(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    _catch_up(scene)
    scene.pass_time(hours=3)
    collect_live(scene.place, scene.source_id)
    _catch_up(scene)
    assert ("explained", EXPIRED) in scene.gaps()
    assert not any(state == "pending_backfill" for state, _ in scene.gaps())


def test_live_comes_before_backfill_after_an_outage(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    scene.pass_time(minutes=30)
    collect_live(scene.place, scene.source_id)
    newest = max(stamp for _, stamp in scene.rows())
    assert scene.array.now.timestamp() - newest < GRAIN_S


def test_backfill_reads_the_newest_part_first(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    scene.array.reads.clear()
    _catch_up(scene)
    ends = [until for _, until in scene.array.reads]
    assert ends == sorted(ends, reverse=True)


def test_a_stretch_that_the_source_never_had_is_explained(scene: Scene) -> None:
    nothing_before = int(scene.array.now.timestamp()) - 1800
    scene.array.silent = set(range(nothing_before // GRAIN_S * GRAIN_S - 7200, nothing_before, GRAIN_S))
    collect_live(scene.place, scene.source_id)
    _catch_up(scene)
    assert ("explained", NOTHING_THERE) in scene.gaps()


def test_a_failing_source_leaves_a_run_with_its_words_and_is_not_asked_at_once_again(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    scene.pass_time(seconds=60)
    scene.array.failure = AuthenticationError("array: the API token was refused. Give this source a valid one.")
    collect_live(scene.place, scene.source_id)
    with scene.engine.connect() as connection:
        kind, message = connection.execute(
            text("SELECT error_kind, error_message FROM collection_run WHERE error_kind IS NOT NULL")
        ).one()
    assert kind == ErrorKind.AUTHENTICATION
    assert "Give this source a valid one" in message
    assert due_work(scene.place) == []


@pytest.mark.parametrize("words", ["a\0b\x1b[31m\nforged", "x" * 100_000])
@pytest.mark.parametrize("kind", [ProtocolError, ValueError])
def test_a_failure_in_words_that_cannot_be_stored_leaves_its_run_all_the_same(
    scene: Scene, kind: type[Exception], words: str
) -> None:
    """A NUL in an array's error text made the failure invisible, and the array was asked again at every tick."""
    scene.array.failure = kind(words)  # type: ignore[assignment]
    with suppress(ValueError):  # a fault of Gavel's own is raised on
        collect_live(scene.place, scene.source_id)
    with scene.engine.connect() as connection:
        [message] = connection.scalars(text("SELECT error_message FROM collection_run WHERE error_kind IS NOT NULL"))
    assert len(message) <= 1024
    assert not {"\0", "\x1b", "\n"} & set(message)
    assert due_work(scene.place) == []


def test_what_was_refused_with_other_settings_is_tried_at_once_with_these(scene: Scene) -> None:
    """Two refusals make a pause of a quarter of an hour; whoever gives a valid token does not wait for its end."""
    scene.array.failure = AuthenticationError("array: the API token was refused.")
    for _ in range(2):
        collect_live(scene.place, scene.source_id)
        scene.pass_time(seconds=60)
    assert due_work(scene.place) == []
    with transaction(scene.engine) as connection:
        change_source(connection, scene.source_id, name="another name")
    assert due_work(scene.place) == []
    with transaction(scene.engine) as connection:
        store_secrets(connection, scene.source_id, b"envelope", "key")
    assert [work.live for work in due_work(scene.place)] == [True]


def test_a_failing_run_is_told_to_whoever_looks_at_its_source(scene: Scene) -> None:
    news = live.listen(scene.engine.url.render_as_string(hide_password=False), pause_s=0.5)
    assert next(news) is None
    scene.array.failure = AuthenticationError("array: the API token was refused.")
    collect_live(scene.place, scene.source_id)
    told = next(news)
    assert told is not None
    assert (told.source_id, told.until_at) == (scene.source_id, None)


def test_a_poll_leaves_the_row_of_its_source_as_it_is(scene: Scene) -> None:
    """A snapshot of attribution refers to it, and cannot where it was changed since."""
    collect_live(scene.place, scene.source_id)
    version = text("SELECT xmin::text FROM source WHERE id = :id")
    with transaction(scene.engine) as connection:
        before = connection.execute(version, {"id": scene.source_id}).scalar_one()
    scene.pass_time(seconds=GRAIN_S)
    collect_live(scene.place, scene.source_id)
    with transaction(scene.engine) as connection:
        assert connection.execute(version, {"id": scene.source_id}).scalar_one() == before
        (planned,) = connection.execute(text("SELECT next_poll_at FROM poll_plan")).scalars()
    assert planned > scene.place.now()


def test_two_workers_at_once_do_the_work_once(scene: Scene) -> None:
    with only_one(scene.engine, f"live/{scene.source_id}") as held:
        assert held
        assert collect_live(scene.place, scene.source_id) is False
    assert scene.rows() == {}


def test_a_source_is_due_once_per_interval_of_its_own_clock(scene: Scene) -> None:
    assert [work.live for work in due_work(scene.place)] == [True]
    collect_live(scene.place, scene.source_id)
    assert not any(work.live for work in due_work(scene.place))
    scene.pass_time(seconds=GRAIN_S)
    assert any(work.live for work in due_work(scene.place))


def test_a_tick_asks_nothing_more_of_a_source_that_has_nothing_due(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    _catch_up(scene)
    with transaction(scene.engine) as connection:
        connection.execute(text("UPDATE source SET inventory_at = :now"), {"now": scene.array.now})
    asked: list[str] = []
    event.listen(scene.engine, "before_cursor_execute", lambda *call: asked.append(call[2]))
    assert due_work(scene.place) == []
    assert not any("collection_run" in statement for statement in asked), asked
    scene.pass_time(seconds=GRAIN_S + 5)
    assert [(work.live, work.inventory) for work in due_work(scene.place)] == [(True, False)]


def test_other_settings_are_tried_at_once_although_a_poll_is_planned(scene: Scene) -> None:
    """Also where a pass that began with those before ends afterwards."""
    collect_live(scene.place, scene.source_id)
    _catch_up(scene)
    with transaction(scene.engine) as connection:
        connection.execute(text("UPDATE source SET inventory_at = :now"), {"now": scene.array.now})
    assert due_work(scene.place) == []
    before = scene.source()
    with transaction(scene.engine) as connection:
        store_secrets(connection, scene.source_id, b"envelope", "key")
    for _ in range(2):
        assert [work.live for work in due_work(scene.place)] == [True]
        with transaction(scene.engine) as connection:
            plan_poll(connection, before, scene.array.now + timedelta(seconds=GRAIN_S))


def test_of_ticks_that_waited_for_one_another_the_first_reads(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    scene.pass_time(seconds=GRAIN_S + 5)
    reads = len(scene.array.reads)
    assert collect_live(scene.place, scene.source_id, is_tick=True)
    assert not any(collect_live(scene.place, scene.source_id, is_tick=True) for _ in range(5))
    assert len(scene.array.reads) == reads + 1


def test_what_comes_late_right_after_a_crash_of_the_database_is_read_with_the_next_sample(scene: Scene) -> None:
    """A crash empties what is remembered of the last reads: who is missing from the first one after it is not known."""
    collect_live(scene.place, scene.source_id)
    scene.pass_time(seconds=GRAIN_S)
    collect_live(scene.place, scene.source_id)
    with scene.engine.begin() as connection:
        connection.execute(text("TRUNCATE recent_samples"))
    scene.array.late = timedelta(seconds=20)
    newest = int(scene.pass_time(seconds=GRAIN_S).timestamp()) // GRAIN_S * GRAIN_S
    collect_live(scene.place, scene.source_id)
    assert ("v1", newest) in scene.rows()
    assert ("v0", newest) not in scene.rows()
    scene.array.late = timedelta(0)
    scene.pass_time(seconds=GRAIN_S + 5)
    collect_live(scene.place, scene.source_id)
    assert ("v0", newest) in scene.rows()


def test_a_clock_that_was_set_back_does_not_stop_polling(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    scene.pass_time(hours=-2)
    assert collect_live(scene.place, scene.source_id, is_tick=True)


def test_a_volume_created_between_two_inventories_is_a_stranger_once_and_then_known(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    scene.array.volumes = scene.array.listed = 4
    for _ in range(2):
        scene.pass_time(seconds=GRAIN_S)
        collect_live(scene.place, scene.source_id)
    assert ("v3", int(scene.array.now.timestamp()) // GRAIN_S * GRAIN_S) in scene.rows()


def test_a_missing_stamp_between_others_becomes_a_gap_with_a_reason(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    _catch_up(scene)
    missing = int(scene.array.now.timestamp()) // GRAIN_S * GRAIN_S + 2 * GRAIN_S
    scene.array.silent = {missing}
    for _ in range(20):
        scene.pass_time(seconds=GRAIN_S)
        collect_live(scene.place, scene.source_id)
    assert find_holes(scene.place) == 1
    _catch_up(scene)
    assert find_holes(scene.place) == 0
    assert ("explained", NOTHING_THERE) in scene.gaps()
