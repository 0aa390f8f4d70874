"""Rules of findings that cannot be evaluated yet say on which objects and why, and no longer once what they need is stored."""

from datetime import timedelta

from tests.correlate.correlated import START, Environment
from tests.correlate.test_findings_of_arrays import history
from tests.correlate.test_findings_of_ports import adapter, listed, traffic

from gavel.correlate.finding_needs import unevaluated_rules
from gavel.db.engine import reading

NOW = START + timedelta(minutes=11)


def reasons(environment: Environment) -> dict[tuple[str, str | None], str]:
    """By rule and object."""
    with reading(environment.engine) as connection:
        every = unevaluated_rules(connection, NOW)
    return {(one.rule.id, None if one.object is None else one.object.name): one.reason for one in every}


def analyzed(environment: Environment) -> None:
    """Minutes of the ledger until the end of the evidence of START."""
    environment.hosts(START, 10)
    environment.arrays(START, 10)
    environment.clock.now = NOW
    environment.correlate()


def test_unevaluated_rules_before_the_first_minute_are_all_that_rest_on_minutes(environment: Environment) -> None:
    waiting = reasons(environment)
    assert waiting["device-queue-full", None] == waiting["array-saturation", None] == "no minute was analyzed yet"
    assert not [rule for rule, _ in waiting if rule in ("paths-down", "unequal-queue-settings", "clock-skew")]


def test_unevaluated_rules_name_each_array_with_the_hours_that_it_has_and_needs(environment: Environment) -> None:
    analyzed(environment)
    assert reasons(environment)["array-saturation", "name of array-a"] == "needs 72 hours of history, has 0"
    history(environment, 72)
    history(environment, 71, source="peer")
    waiting = reasons(environment)
    assert ("array-saturation", "name of array-a") not in waiting
    assert waiting["array-saturation", "name of array-b"] == "needs 72 hours of history, has 71"
    assert not [rule for rule, _ in waiting if rule == "device-queue-full"]


def test_unevaluated_rules_name_sources_whose_counters_are_missing(environment: Environment) -> None:
    analyzed(environment)
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


def test_unevaluated_rules_count_hours_as_the_rule_itself_does(environment: Environment) -> None:
    """Of the newest hours those that end after the evidence begins are part of it, not of the past."""
    analyzed(environment)
    history(environment, 3)
    assert reasons(environment)["array-saturation", "name of array-a"].endswith("has 3")
