"""Rules of findings that cannot be evaluated yet say on which objects and why, and no longer once what they need is stored."""

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import text
from tests.correlate.conftest import Preparation
from tests.correlate.correlated import START, Environment
from tests.correlate.test_findings_of_arrays import history
from tests.correlate.test_findings_of_ports import adapter, listed, traffic
from tests.db.environments import batch, host_inventory

from gavel.correlate.finding_needs import unevaluated_rules
from gavel.correlate.run import MINUTE
from gavel.db.engine import reading, transaction
from gavel.db.queries.refs import RefKind
from gavel.db.write.inventory import store_inventory
from gavel.domain.inventory import InventoryTaken
from gavel.domain.source import Stream

NOW = START + timedelta(minutes=11)


def reasons(environment: Environment) -> dict[tuple[str, str | None], str]:
    """By rule and object."""
    with reading(environment.engine) as connection:
        every = unevaluated_rules(connection, NOW)
    return {(one.rule.id, None if one.object is None else one.object.name): one.reason for one in every}


def sources(environment: Environment) -> set[tuple[str, str]]:
    """Rules with the kinds of the sources that they say nothing about."""
    with reading(environment.engine) as connection:
        kinds = {row.id: row.kind for row in connection.execute(text("SELECT id, kind FROM source"))}
        every = unevaluated_rules(connection, NOW)
    return {(one.rule.id, kinds[one.object.id]) for one in every if one.object and one.object.kind == RefKind.SOURCE}


def paths(environment: Environment, count: int) -> None:
    """The newest samples of one path."""
    ends = [START + 10 * MINUTE - 5 * n * MINUTE for n in reversed(range(count))]
    samples = batch(Stream.PATH, "esx-1/p0", ends, 300, read_ops=30_000, write_ops=0, precision=2)
    environment.write(environment.vcenter, samples)


def analyzed(environment: Environment) -> None:
    """Minutes of the ledger until the end of the evidence of START."""
    environment.hosts(START, 10)
    environment.arrays(START, 10)
    environment.clock.now = NOW
    environment.correlate()


@pytest.fixture
def prepared() -> Preparation:
    return analyzed


def test_unevaluated_rules_before_the_first_minute_are_all_that_rest_on_minutes(environment: Environment) -> None:
    waiting = reasons(environment)
    assert waiting["device-queue-full", None] == waiting["array-saturation", None] == "no minute was analyzed yet"
    assert not [rule for rule, _ in waiting if rule in ("paths-down", "unequal-queue-settings", "clock-skew")]


@pytest.mark.usefixtures("prepared")
def test_unevaluated_rules_name_each_array_with_the_hours_that_it_has_and_needs(environment: Environment) -> None:
    assert reasons(environment)["array-saturation", "name of array-a"] == "needs 72 hours of history, has 0"
    history(environment, 72)
    history(environment, 71, source="peer")
    waiting = reasons(environment)
    assert ("array-saturation", "name of array-a") not in waiting
    assert waiting["array-saturation", "name of array-b"] == "needs 72 hours of history, has 71"
    assert not [rule for rule, _ in waiting if rule == "device-queue-full"]


@pytest.mark.usefixtures("prepared")
def test_unevaluated_rules_name_sources_whose_counters_are_missing(environment: Environment) -> None:
    listed(environment, line_rate=None)
    traffic(environment, transmitted=1)
    adapter(environment, active=1, queued=None)
    missing = {rule for rule, _ in reasons(environment) if rule in ("fan-in-over-port", "adapter-queue-full")}
    assert missing == {"fan-in-over-port", "adapter-queue-full"}
    adapter(environment, active=1, queued=0)
    listed(environment)
    waiting = reasons(environment)
    assert [rule for rule, _ in waiting if rule == "adapter-queue-full"] == []
    # The peer lists no port.
    assert len([rule for rule, _ in waiting if rule == "fan-in-over-port"]) == 1


@pytest.mark.usefixtures("prepared")
def test_unevaluated_rules_count_hours_as_the_rule_itself_does(environment: Environment) -> None:
    """Of the newest hours those that end after the evidence begins are part of it, not of the past."""
    history(environment, 3)
    assert reasons(environment)["array-saturation", "name of array-a"].endswith("has 3")


@pytest.mark.usefixtures("prepared")
def test_unevaluated_rules_name_arrays_and_times_without_the_minutes_that_they_compare(
    environment: Environment,
) -> None:
    waiting = reasons(environment)
    assert waiting["unmonitored-initiators", "name of array-a"] == (
        "fewer than 45 minutes of the array's last hour were analyzed"
    )
    assert waiting["noisy-neighbor", None].startswith("no earlier time to compare with")


def test_unevaluated_rules_are_evaluated_once_their_minutes_are_there(environment: Environment) -> None:
    """An array that has counted nothing is named as before."""
    since = START - 50 * MINUTE
    environment.both(since, 60)
    environment.correlate(since)
    environment.clock.now = NOW
    environment.correlate()
    waiting = reasons(environment)
    assert not [rule for rule, _ in waiting if rule == "noisy-neighbor"]
    assert ("unmonitored-initiators", "name of array-a") not in waiting


@pytest.mark.usefixtures("prepared")
def test_unevaluated_rules_name_sources_whose_paths_have_too_few_samples(environment: Environment) -> None:
    paths(environment, 8)
    assert ("paths-unbalanced", "vcenter") in sources(environment)
    paths(environment, 9)
    assert ("paths-unbalanced", "vcenter") not in sources(environment)


@pytest.mark.usefixtures("prepared")
def test_unevaluated_rules_name_sources_whose_tasks_were_not_read(environment: Environment) -> None:
    """Without any task all of them were read; those that were read before do not count."""
    for minute, are_read in enumerate((True, False, True)):
        taken = InventoryTaken(replace(host_inventory(), tasks_are_read=are_read), START + minute * MINUTE)
        with transaction(environment.engine) as connection:
            store_inventory(connection, environment.vcenter, taken)
        assert (("task-running", "vcenter") in sources(environment)) is not are_read
