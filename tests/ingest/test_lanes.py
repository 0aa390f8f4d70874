"""Two lanes of live reading: a source that is slow or fails is read aside, and never holds up the others."""

from collections.abc import Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta

import pytest
from tests.ingest.conftest import Scene

from gavel.admin.health import state
from gavel.db.locks import one_of, only_one
from gavel.db.queries.runs import SourceRun, runs
from gavel.db.queries.sources import source_health
from gavel.domain.errors import DeadlineError, ErrorKind, SourceUnreachableError
from gavel.domain.samples import SampleBatch
from gavel.domain.source import Stream
from gavel.egress.network import remaining_s
from gavel.ingest import lanes
from gavel.ingest.backfill import backfill
from gavel.ingest.inventory import refresh_inventory
from gavel.ingest.lanes import FAILING_AT_ONCE, UNFINISHED, Lane, UnfinishedError, lane_of
from gavel.ingest.live import collect_live
from gavel.ingest.schedule import due_work

NOW = datetime.fromisoformat("2026-11-23T05:00:00+00:00")


def run(
    age_s: float,
    duration_s: float = 0.2,
    *,
    stream: str = "array_volume",
    queue: str = "live",
    error: ErrorKind | None = None,
) -> SourceRun:
    began = NOW - timedelta(seconds=age_s)
    return SourceRun(source_id=1, stream=stream, queue=queue, started_at=began, duration_s=duration_s, error_kind=error)


@pytest.mark.parametrize(
    ("newest_first", "lane"),
    [
        ([], Lane.FAILING),
        ([run(1)], Lane.FAST),
        ([run(1, error=ErrorKind.TIMEOUT), run(30)], Lane.FAILING),
        ([run(1), run(30, error=ErrorKind.TIMEOUT)], Lane.FAST),
        ([run(1, 4.0)], Lane.SLOW),
        ([run(1, 1.2, stream="vm_disk"), run(2, 1.2, stream="host_device")], Lane.SLOW),
        ([run(1), run(300, 20.0)], Lane.FAST),
        ([run(1), run(31, 20.0)], Lane.FAST),
        ([run(1, 40.0, queue="inventory"), run(2)], Lane.FAST),
        ([run(1, 3.0, stream=UNFINISHED)], Lane.SLOW),
    ],
)
def test_the_lane_of_a_source_follows_its_newest_pass(newest_first: list[SourceRun], lane: Lane) -> None:
    assert lane_of(newest_first, "live") is lane


@pytest.fixture
def slow(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """A source that was read quickly before and hangs now until its deadline."""
    collect_live(scene.place, scene.source_id)
    scene.pass_time(seconds=60)
    collect_live(scene.place, scene.source_id)
    scene.pass_time(seconds=60)
    read = scene.array.samples

    def hanging(stream: Stream, since: datetime, until: datetime, asks: object = None) -> Iterator[SampleBatch]:
        left_s = remaining_s(None)
        assert left_s is not None
        if left_s <= lanes.LEASH_S:  # on the fast lane it does not come to its end
            scene.array.watch.passed_s += left_s
            raise DeadlineError("array: no answer in time.")
        return read(stream, since, until)

    monkeypatch.setattr(scene.array, "samples", hanging)
    return scene


def test_a_pass_that_outlasts_its_leash_is_finished_aside_and_is_no_failure(slow: Scene) -> None:
    [work] = due_work(slow.place)
    assert work.lane is Lane.FAST
    with pytest.raises(UnfinishedError):
        collect_live(slow.place, slow.source_id, Lane.FAST)
    with slow.engine.connect() as connection:
        newest = runs(connection, slow.source_id)[0]
        [health] = source_health(connection, slow.array.now, slow.source_id)
    assert (newest.stream, newest.error_kind) == (UNFINISHED, None)
    assert state(health) != "failing"
    slow.pass_time(seconds=31)
    [work] = due_work(slow.place)
    assert work.lane is Lane.SLOW
    before = len(slow.rows())
    assert collect_live(slow.place, slow.source_id, work.lane)
    assert len(slow.rows()) > before
    slow.pass_time(seconds=31)
    [work] = due_work(slow.place)
    assert work.lane is Lane.FAST, "a quick pass leads back"


def test_sources_that_fail_have_all_but_one_process_of_the_slow_lane(scene: Scene) -> None:
    scene.array.failure = SourceUnreachableError("array: not reachable.")
    with ExitStack() as others:
        for _ in range(FAILING_AT_ONCE):
            assert others.enter_context(one_of(scene.engine, "failing source", FAILING_AT_ONCE))
        assert collect_live(scene.place, scene.source_id, Lane.FAILING) is False
        assert refresh_inventory(scene.place, scene.source_id, Lane.FAILING) is False
        assert scene.array.reads == []
        assert collect_live(scene.place, scene.source_id, Lane.SLOW)
    assert len(scene.array.reads) == 1
    assert collect_live(scene.place, scene.source_id, Lane.FAILING)


def test_histories_that_fail_are_read_one_at_a_time(scene: Scene) -> None:
    with only_one(scene.engine, "failing history") as held:
        assert held
        assert backfill(scene.place, scene.source_id, budget_s=1, lane=Lane.FAILING) is False
        assert scene.array.reads == []


def test_a_source_never_read_and_one_that_fails_are_read_aside_from_the_first_tick_on(scene: Scene) -> None:
    [work] = due_work(scene.place)
    assert (work.live, work.lane) == (True, Lane.FAILING)
    collect_live(scene.place, scene.source_id, work.lane)
    scene.pass_time(seconds=31)
    [work] = due_work(scene.place)
    assert work.lane is Lane.FAST
    scene.array.failure = SourceUnreachableError("array: not reachable.")
    collect_live(scene.place, scene.source_id, work.lane)
    scene.array.failure = None
    scene.pass_time(seconds=61)
    [work] = due_work(scene.place)
    assert work.lane is Lane.FAILING
