"""What a minute of alerting costs: 5,000 rules over 2,000 datastores, CPU of this process only."""

import sys
import time

import numpy as np
import pytest

from gavel.alerting.evaluate import Readings, RuleTable, rule_table
from gavel.alerting.machine import Memory, step
from gavel.alerting.rules import Condition, Measure, Quantity, Rule, Scope, Subject
from gavel.domain.io_path import Direction, Layer

RULES = 5_000
DATASTORES = 2_000
MINUTES = 5
GOAL_S = 2.0
START = 29_000_000
MEASURES = tuple(
    Measure(quantity, part, direction)
    for quantity in (Quantity.TIME, Quantity.SHARE, Quantity.EXCESS)
    for part in Layer
    for direction in Direction
)


def rules() -> RuleTable:
    """Half of them with two conditions, as the shipped kernel rule has."""
    found = {}
    for number in range(1, RULES + 1):
        first, second = MEASURES[number % len(MEASURES)], MEASURES[(7 * number + 1) % len(MEASURES)]
        wanted = tuple(Condition(one, 0.9, 0.7) for one in ({first, second} if number % 2 else {first}))
        found[number] = Rule(key=f"r{number}", name="x", scope=Scope(Subject.DATASTORE), conditions=wanted)
    return rule_table(found, MEASURES, np.ones((RULES, DATASTORES), dtype=bool))


def minute(rng: np.random.Generator, number: int, slow_share: float) -> Readings:
    """Numbers around 0.5; those of slow datastores are over every threshold."""
    value = rng.uniform(0.2, 0.8, (len(MEASURES), DATASTORES))
    value[:, rng.random(DATASTORES) < slow_share] += 1
    return Readings(
        np.arange(1, DATASTORES + 1), np.full(DATASTORES, START + number), rng.random(DATASTORES) > 0.001,
        np.zeros(DATASTORES, dtype=np.int8), value, value * 0.95, np.full(value.shape, 1000.0),
    )  # fmt: skip


@pytest.mark.parametrize("slow_share", [0.0, 0.01, 0.05])
def test_5000_rules_over_2000_datastores(slow_share: float, capsys: pytest.CaptureFixture[str]) -> None:
    rng, table, memory, spent = np.random.default_rng(1), rules(), Memory.blank(), []
    transitions = 0
    for number in range(MINUTES):
        numbers = minute(rng, number, slow_share)
        started = time.process_time()
        found = step(memory, table, numbers, START + number)
        spent.append(time.process_time() - started)
        memory, transitions = found.memory, transitions + len(found.transitions)
    with capsys.disabled():
        sys.stdout.write(
            f"\n{RULES} rules × {DATASTORES} datastores, {slow_share:.0%} slow: {max(spent):.2f} CPU s in the worst minute, "
            f"{min(spent):.2f} in the best; {transitions} transitions, {len(memory.rows)} rows kept\n"
        )
    assert (transitions > 0) == (slow_share > 0)
    assert max(spent) <= GOAL_S
