"""A source whose history is slow to read: what came is kept, less is asked for, live collection goes on, and the reader gets words."""

import pytest
from billiard.exceptions import SoftTimeLimitExceeded
from sqlalchemy import text
from sqlalchemy.exc import OperationalError
from tests.ingest.conftest import Scene
from tests.ingest.scripted import GRAIN_S, PLAN, reading

from gavel.db.queries.sources import source_health
from gavel.domain.errors import AuthenticationError, ErrorKind, SourceUnreachableError
from gavel.domain.source import Stream
from gavel.ingest import backfill as backfilling
from gavel.ingest.backfill import after, backfill, less, paced
from gavel.ingest.live import collect_live
from gavel.ingest.runs import RecordedRun
from gavel.ingest.schedule import due_work

# A read of 30 s comes to 7 of the 20 stamps of a slice.
PAGE_S = 4.0


def _stamps(scene: Scene) -> set[int]:
    return {stamp for _, stamp in scene.rows()}


def _failures(scene: Scene) -> list[tuple[str, str]]:
    query = text("SELECT error_kind, error_message FROM collection_run WHERE error_kind IS NOT NULL ORDER BY id")
    with scene.engine.connect() as connection:
        return [tuple(row) for row in connection.execute(query)]


def test_a_history_that_never_comes_within_a_read_is_filled_all_the_same(scene: Scene) -> None:
    """At 4 s a stamp a read reaches 7 of the 20 stamps of a slice: it used to fail for ever and gain nothing."""
    collect_live(scene.place, scene.source_id)
    scene.array.page_takes_s = PAGE_S
    turns = 0
    while backfill(scene.place, scene.source_id, budget_s=50):
        turns += 1
        assert turns < 40, "backfill does not come to an end"
    first = int((scene.array.now - PLAN.retention).timestamp()) // GRAIN_S + 1
    wanted = {n * GRAIN_S for n in range(first, int(scene.array.now.timestamp()) // GRAIN_S + 1)}
    assert scene.rows() == {(f"v{v}", stamp): reading(v, stamp) for stamp in wanted for v in range(3)}
    asked = [until - since for since, until in scene.array.reads[1:]]
    assert asked[0] == PLAN.slice
    assert min(asked) <= PLAN.slice / 2
    assert {state for state, _ in scene.gaps()} == {"recovered"}


def test_what_came_before_a_time_out_is_kept_and_the_reader_told_how_far_it_got(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    before = _stamps(scene)
    scene.array.page_takes_s = PAGE_S
    assert backfill(scene.place, scene.source_id, budget_s=10)
    gained = _stamps(scene) - before
    assert 1 <= len(gained) < 20
    ((kind, message),) = _failures(scene)
    assert kind == ErrorKind.TIMEOUT
    assert message.startswith(
        "array is slow to answer for its history: array volume samples of 11:45:07 to 11:55:07 UTC were not"
    )
    assert f"The {len(gained) * 3} that came are stored" in message
    assert "asks for 300 s of history at a time" in message
    assert "live collection goes on meanwhile" in message


def test_pages_that_were_not_stored_yet_are_kept_at_a_time_out(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """A read that is given up sooner than pages are stored by turns gains what it has read all the same."""
    monkeypatch.setattr(backfilling, "_STORED_EVERY_S", 6000.0)
    collect_live(scene.place, scene.source_id)
    before = len(_stamps(scene))
    scene.array.page_takes_s = PAGE_S
    assert backfill(scene.place, scene.source_id, budget_s=10)
    assert [kind for kind, _ in _failures(scene)] == [ErrorKind.TIMEOUT]
    assert len(_stamps(scene)) > before


def test_a_slow_history_delays_neither_the_newest_samples_nor_the_inventory(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    scene.array.page_takes_s = PAGE_S
    backfill(scene.place, scene.source_id, budget_s=10)
    scene.pass_time(seconds=GRAIN_S)
    (work,) = due_work(scene.place)
    assert work.live
    scene.array.page_takes_s = 0.0
    assert collect_live(scene.place, scene.source_id)
    with scene.engine.connect() as connection:
        (health,) = source_health(connection, scene.array.now)
    assert health.failing_since is None


def test_backfill_of_a_slow_source_pauses_before_it_is_tried_again(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    scene.array.page_takes_s = PAGE_S
    backfill(scene.place, scene.source_id, budget_s=10)
    scene.pass_time(seconds=GRAIN_S - 10)
    assert not any(work.backfill for work in due_work(scene.place))
    scene.pass_time(seconds=40)
    assert all(work.backfill for work in due_work(scene.place))


def test_refused_credentials_in_backfill_pause_everything_of_the_source(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    scene.array.failure = AuthenticationError("array: the API token was refused.")
    backfill(scene.place, scene.source_id, budget_s=1)
    assert due_work(scene.place) == []


def test_pages_are_stored_while_the_rest_is_still_being_read(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that is killed in the middle loses what the last seconds brought, and not the slice."""
    collect_live(scene.place, scene.source_id)
    before = len(_stamps(scene))
    scene.array.page_takes_s = 3.0
    seen = list[int]()
    waiting = scene.array._wait_for_page

    def look() -> None:
        seen.append(len(_stamps(scene)) - before)
        waiting()

    monkeypatch.setattr(scene.array, "_wait_for_page", look)
    backfill(scene.place, scene.source_id, budget_s=10)
    assert 0 < max(seen) <= len(seen)


def test_a_slice_halves_down_to_one_interval_and_grows_back_to_the_whole() -> None:
    widths = [round(PLAN.slice.total_seconds())]
    while widths[-1] > GRAIN_S:
        widths.append(less(paced(PLAN, widths[-1]), PLAN))
    assert widths == [600, 300, 150, 60, 30]
    assert less(paced(PLAN, 30), PLAN) == 30
    assert [after(1.0, paced(PLAN, width), PLAN) for width in (30, 150, 600)] == [60, 300, 600]
    assert [after(8.0, paced(PLAN, width), PLAN) for width in (30, 150, 600)] == [30, 150, 600]
    assert [after(20.0, paced(PLAN, width), PLAN) for width in (30, 150, 600)] == [30, 60, 300]


def test_a_failure_whose_causes_go_round_in_a_circle_is_recorded_like_any_other(scene: Scene) -> None:
    cause, error = OSError("connection refused"), SourceUnreachableError("array: not reachable")
    error.__cause__, cause.__context__ = cause, error
    with RecordedRun(scene.place, scene.source(), scene.array, stream=Stream.ARRAY_VOLUME, queue="live"):
        raise error
    assert _failures(scene) == [(ErrorKind.UNREACHABLE, "array: not reachable")]


@pytest.mark.parametrize("is_inside_a_statement", [False, True])
def test_a_run_that_is_cut_short_by_its_task_says_so_in_words(scene: Scene, is_inside_a_statement: bool) -> None:
    error: Exception = SoftTimeLimitExceeded()
    if is_inside_a_statement:
        error = OperationalError("ROLLBACK", {}, Exception("another command is already in progress"))
        error.__context__ = SoftTimeLimitExceeded()

    def run() -> None:
        with RecordedRun(
            scene.place, scene.source(), scene.array, stream=Stream.ARRAY_VOLUME, queue="backfill"
        ) as account:
            account.samples = 12_000
            raise error

    with pytest.raises(type(error)):
        run()
    ((kind, message),) = _failures(scene)
    assert kind == ErrorKind.TIMEOUT
    assert message.startswith("Reading array volume was ended after 0 s")
    assert "The 12,000 samples read until then are stored." in message
    assert "Exceeded" not in message
    assert "command" not in message
