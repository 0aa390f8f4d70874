"""The clock of Gavel's own machine jumps by hours: no sample is lost or doubled, and reading goes on at once."""

import time
from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from tests.ingest.conftest import Scene
from tests.ingest.scripted import GRAIN_S, PLAN, reading

from gavel.domain.source import ClockReading
from gavel.ingest.backfill import backfill
from gavel.ingest.inventory import refresh_inventory
from gavel.ingest.live import collect_live
from gavel.ingest.schedule import Work, due_work
from gavel.ingest.worker import WorkerContext


class Machine:
    """Gavel's machine: its clock is `off` from the true time, which is the source's. Every 3 s it does what is due."""

    def __init__(self, scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
        self._scene = scene
        self.off = timedelta(0)
        self.live: list[datetime] = []  # true times of live passes
        self.place = WorkerContext(scene.engine, scene.place.connections, now=self.now)
        monkeypatch.setattr(scene.array, "clocks", self._clocks)

    def now(self) -> datetime:
        return self._scene.array.now + self.off

    def _clocks(self) -> tuple[ClockReading, ...]:
        return (ClockReading(None, -self.off.total_seconds(), 0.1, self.now()),)

    def run(self, seconds: int, also: Callable[[], None] = lambda: None) -> None:
        for _ in range(0, seconds, 3):
            for work in due_work(self.place):
                self._do(work)
            also()
            self._scene.pass_time(seconds=3)

    def _do(self, work: Work) -> None:
        if work.live:
            self.live.append(self._scene.array.now)
            collect_live(self.place, work.source_id, work.lane)
        if work.inventory:
            refresh_inventory(self.place, work.source_id)
        if work.backfill:
            backfill(self.place, work.source_id, budget_s=1)


@pytest.mark.parametrize("jump", [timedelta(hours=2), timedelta(hours=-2), timedelta(hours=1), timedelta(hours=-1)])
def test_a_jump_of_our_own_clock_loses_and_doubles_no_sample_and_costs_no_tick(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, jump: timedelta
) -> None:
    """± 2 h, and ± 1 h as where somebody sets the clock by hand at an edge of daylight saving."""
    machine = Machine(scene, monkeypatch)
    began = scene.array.now
    machine.run(150)
    machine.off = jump
    machine.run(150)
    machine.off = timedelta(0)
    machine.run(150)
    holds_all_since(began, scene, machine)


@pytest.mark.parametrize("edge", ["2026-03-29T01:00:00+00:00", "2026-10-25T01:00:00+00:00"])
def test_an_edge_of_daylight_saving_loses_and_doubles_no_sample_and_costs_no_tick(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, edge: str
) -> None:
    """In a time zone whose clocks go forward, and back."""
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        scene.array.now = began = datetime.fromisoformat(edge) - timedelta(seconds=173)
        machine = Machine(scene, monkeypatch)
        machine.run(400)
        holds_all_since(began, scene, machine)
    finally:
        monkeypatch.undo()
        time.tzset()


def holds_all_since(began: datetime, scene: Scene, machine: Machine) -> None:
    gaps = [after - before for before, after in zip(machine.live, machine.live[1:], strict=False)]
    assert max(gaps) <= timedelta(seconds=2 * GRAIN_S)
    newest = int(scene.array.now.timestamp()) // GRAIN_S * GRAIN_S - GRAIN_S
    first = int((began - PLAN.retention).timestamp()) // GRAIN_S * GRAIN_S + 10 * GRAIN_S
    wanted = set(range(first, newest, GRAIN_S))
    assert scene.rows().items() >= {(f"v{v}", stamp): reading(v, stamp) for stamp in wanted for v in range(3)}.items()
    assert {state for state, _ in scene.gaps()} <= {"recovered", "explained"}
