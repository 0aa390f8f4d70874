"""The default rule of the guest layer on the lab's story of a queue in the guest and its quiet twin, through the alert machine."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from tests.truth.test_guest_queue import story

from gavel.alerting.machine.readings import Readings, rule_table
from gavel.alerting.machine.states import AlertState, Memory, step
from gavel.alerting.rules.file import default_rules
from gavel.alerting.use.measures import measured
from gavel.analysis.baseline import Expectations
from gavel.analysis.minutes import Rows
from gavel.db.queries.expectations import HOURS
from gavel.db.queries.ledger import LedgerSeries
from gavel.diagnosis.baselines import Usual
from gavel.domain.scope import ScopeKind
from gavel_lab.stories import PHASES, Phase

_AFTER_MINUTES, _MINUTES = 2, 7
RULE = next(rule for rule in default_rules() if rule.key == "guest_queueing")
DOCS = Path(__file__).parents[2] / "docs/alerts.md"
STORY = [phase for phase in PHASES if phase.story == "guest-queue"]


def series_of(rows: Rows) -> LedgerSeries:
    one = np.ones(len(rows.thing), dtype=np.int64)
    start = datetime.fromtimestamp(60 * int(rows.minute.min()), UTC)
    return LedgerSeries(
        keys=rows.thing,
        starts_us=rows.minute * 60_000_000,
        rows=rows.rows,
        notes=rows.notes,
        minutes=one,
        ops_minutes=one,
        outstanding_minutes=one,
        from_at=start,
        to_at=start + timedelta(minutes=_MINUTES),
        step=timedelta(minutes=1),
        resolution="1m",
    )


def fired(phase: Phase, *, with_agents: bool) -> list[tuple[str, int]]:
    """Datastores on which it fires within the minutes after the phase began, and after how many of them."""
    lab, stretch, by_kind = story(phase.start_minute + _AFTER_MINUTES, _MINUTES, with_agents=with_agents)
    rows = by_kind[ScopeKind.DATASTORE]
    stores = lab.lab.environment.datastores
    unknown = np.full((len(stores), HOURS), np.nan)
    usual = Usual(san_us=unknown, array_us=unknown, settings=Expectations(), round_trip_us=np.zeros(len(stores)))
    measures = tuple(condition.measure for condition in RULE.conditions)
    numbers = measured(series_of(rows), rows.thing, usual, measures)
    table = rule_table({1: RULE}, measures, np.ones((1, len(stores)), dtype=np.bool_))
    memory, found = Memory.blank(), []
    for minute in range(stretch.first, stretch.first + _MINUTES):
        now = np.flatnonzero(rows.minute == minute)
        readings = Readings(
            object_id=rows.thing[now],
            minute=rows.minute[now],
            present=np.ones(len(now), dtype=np.bool_),
            quality=numbers.quality[now].astype(np.int8),
            value=numbers.value[:, now],
            lower=numbers.lower[:, now],
            ops=numbers.ops[:, now],
        )
        taken = step(memory, table, readings, minute)
        memory = taken.memory
        found += [
            (stores[int(row["object_id"])].name, minute - stretch.first + 1)
            for row in taken.transitions
            if AlertState(row["after"]) is AlertState.FIRING
        ]
    return found


@pytest.mark.parametrize(("phase", "fires"), [(STORY[0], [("batch-15", 5)]), (STORY[1], [])])
def test_guest_rule_fires_after_five_minutes_of_a_queue_in_the_guest_and_not_on_its_twin(
    phase: Phase, fires: list[tuple[str, int]]
) -> None:
    assert fired(phase, with_agents=True) == fires
    assert fired(phase, with_agents=False) == []
    threads = phase.title.partition(" on ")[0]
    (row,) = (line for line in DOCS.read_text().splitlines() if line.startswith(f"| {threads} |"))
    assert ("`guest_queueing`" in row) is bool(fires)
