"""A finding of a task over a real database: the wait that came with it, and its quiet twins."""

from collections.abc import Iterator
from datetime import datetime

import pytest
from sqlalchemy import text
from tests.api.ledgers import HEALTHY, MINUTE, NOW, Environment
from tests.api.stories import throttled

from gavel.correlate.finding_evidence import LOADERS
from gavel.correlate.finding_loads import EvidenceWindow
from gavel.db.engine import Role, open_engine, reading, transaction
from gavel.domain.scope import ScopeKind
from gavel.findings.model import Finding
from gavel.findings.registry import RULES_BY_ID

RULE = RULES_BY_ID["task-running"]
BEGAN = NOW - 10 * MINUTE


@pytest.fixture
def environment(environment_url: str) -> Iterator[Environment]:
    engine = open_engine(environment_url, Role.WORKER)
    yield Environment.stored(engine)
    engine.dispose()


def raised(environment: Environment, began: datetime, ended: datetime | None, *, slow_before: bool) -> list[Finding]:
    vm = environment.id("vm", "vm-1")
    calm, slow = throttled(900, HEALTHY), throttled(900)
    rows = [(ScopeKind.VM, vm, NOW - n * MINUTE, slow) for n in range(1, 11)]
    rows += [(ScopeKind.VM, vm, NOW - n * MINUTE, slow if slow_before else calm) for n in range(11, 31)]
    environment.write(rows)
    with transaction(environment.engine) as connection:
        connection.execute(
            text(
                "INSERT INTO vm_task SELECT v.source_id, 'task-1', 'snapshot_removal', v.id, :began, :ended, NULL, s.inventory_at"
                " FROM vm v JOIN source s ON s.id = v.source_id WHERE v.id = :vm"
            ),
            {"vm": vm, "began": began, "ended": ended},
        )
    window = EvidenceWindow(NOW - 10 * MINUTE, NOW, NOW)
    with reading(environment.engine) as connection:
        every = [RULE.evaluate(one) for one in LOADERS[RULE.evidence].load(connection, window)]
    return [one for one in every if one is not None]


def test_findings_of_tasks_are_raised_where_the_wait_came_with_the_task(environment: Environment) -> None:
    (found,) = raised(environment, BEGAN, None, slow_before=False)
    assert found.object.name == "db01"
    assert found.title.startswith("Snapshot removal of db01 while its I/Os wait 4.4")


@pytest.mark.parametrize(
    ("began", "ended", "slow_before"),
    [(BEGAN, None, True), (BEGAN, NOW - 5 * MINUTE, False), (NOW - 4 * MINUTE, None, False), (NOW, None, False)],
)
def test_findings_of_tasks_are_none_where_it_was_slow_before_or_the_task_ran_too_briefly(
    environment: Environment, began: datetime, ended: datetime | None, *, slow_before: bool
) -> None:
    assert raised(environment, began, ended, slow_before=slow_before) == []
