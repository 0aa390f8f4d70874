"""A rule that cannot be judged stops no other one: it is left out, says why, and is tried again."""

from collections.abc import Iterator
from typing import Any

import pytest
from tests.alerting.receivers import HttpReceiver
from tests.alerting.use.alert_scene import HEALTHY, KERNEL, MINUTE, AlertScene, alert_scene, told

from gavel.alerting.machine.readings import rule_table
from gavel.alerting.use import evaluate, readings, rule_faults
from gavel.alerting.use import rules as alert_rules
from gavel.db.engine import reading
from gavel.db.queries.alert_rules import RuleRow, rule_row

# What another version may have stored, and where this one stumbles: at reading it, or not before it is judged.
UNREADABLE = "UPDATE alert_rule SET definition = definition - 'min_quality' WHERE id = :id"
UNJUDGEABLE = """UPDATE alert_rule SET definition = jsonb_set(definition, '{where}', '{"name": 5}') WHERE id = :id"""


@pytest.fixture
def scene(environment_url: str) -> Iterator[AlertScene]:
    with alert_scene(environment_url) as made:
        yield made


def row(scene: AlertScene, rule_id: int) -> RuleRow:
    with reading(scene.engine) as connection:
        return rule_row(connection, rule_id)


@pytest.mark.parametrize(("spoil", "why"), [(UNREADABLE, "min_quality"), (UNJUDGEABLE, "AttributeError")])
def test_a_rule_that_cannot_be_judged_is_left_out_and_the_others_go_on(
    scene: AlertScene, receiver: HttpReceiver, spoil: str, why: str
) -> None:
    before, bad, after = (scene.rule(key=key) for key in ("before", "bad", "after"))
    scene.channel(receiver)
    scene.ask_to_write(spoil, id=bad)
    scene.step(KERNEL)
    assert scene.ask("SELECT rule_id FROM alert ORDER BY 1") == [(before,), (after,)]
    assert [one["type"] for one in told(receiver)] == ["alert.firing"]
    noted = row(scene, bad)
    assert why in (noted.error or "")
    assert noted.error_at == scene.now
    assert row(scene, after).error is None
    scene.step(HEALTHY)
    assert [one["type"] for one in told(receiver)] == ["alert.firing", "alert.resolved"]
    assert row(scene, bad).error_at == noted.error_at, "it was tried again at once"


def test_a_rule_that_was_mended_is_judged_again(scene: AlertScene) -> None:
    bad = scene.rule()
    whole = dict(row(scene, bad).definition)
    scene.ask_to_write(UNJUDGEABLE, id=bad)
    scene.step(KERNEL)
    assert row(scene, bad).error
    scene.now += MINUTE
    alert_rules.change(scene.engine, bad, whole, scene.now)
    assert row(scene, bad).error is None
    scene.step(KERNEL)
    assert scene.states() == ["firing"]


def test_what_a_rule_had_found_stays_while_it_is_left_out_and_goes_on_afterwards(
    scene: AlertScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither over nor forgotten: that a rule cannot be judged is no recovery."""
    one, other = scene.rule(key="one"), scene.rule(key="other")
    scene.step(KERNEL)
    whole = rule_table

    def stumbles(rules: dict[int, Any], *rest: Any) -> Any:
        if one in rules:
            raise ZeroDivisionError("by numbers of this hour")
        return whole(rules, *rest)

    with monkeypatch.context() as patched:
        patched.setattr("gavel.alerting.use.readings.rule_table", stumbles)
        readings._cached_objects.clear()
        scene.step(HEALTHY)
    assert row(scene, one).error == "ZeroDivisionError: by numbers of this hour"
    states = dict(scene.ask("SELECT rule_id, state FROM alert"))
    assert states == {one: "firing", other: "resolved"}
    scene.now += rule_faults.AGAIN_AFTER
    scene.step(HEALTHY)
    assert row(scene, one).error is None
    assert dict(scene.ask("SELECT rule_id, state FROM alert")) == {one: "resolved", other: "resolved"}


def test_a_fault_that_is_no_rule_s_is_blamed_on_none(scene: AlertScene, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = scene.rule()
    scene.now += MINUTE
    scene.write(KERNEL)

    def fails(*_: object) -> None:
        raise ValueError("a fault of Gavel's own")

    with monkeypatch.context() as patched:
        patched.setattr(evaluate, "write_late_ones", fails)
        with pytest.raises(ValueError, match="of Gavel's own"):
            evaluate.evaluate_rules(scene.place(), budget_s=20)
    assert row(scene, rule).error is None
    scene.turn()
    assert scene.states() == ["firing"]


def test_of_many_rules_the_guilty_ones_are_found_by_halves(scene: AlertScene) -> None:
    ids = [scene.rule(key=f"rule_{number}") for number in range(40)]
    bad = {ids[3], ids[39]}
    for rule_id in bad:
        scene.ask_to_write(UNJUDGEABLE, id=rule_id)
    scene.step(KERNEL)
    assert {rule_id for rule_id in ids if row(scene, rule_id).error} == bad
    assert scene.ask("SELECT count(*) FROM alert") == [(38,)]


def test_a_rule_that_cannot_be_read_can_be_switched_off_and_removed(scene: AlertScene) -> None:
    bad = scene.rule()
    scene.ask_to_write(UNREADABLE, id=bad)
    alert_rules.switch(scene.engine, bad, enabled=False, now=scene.now)
    scene.step(KERNEL)
    assert row(scene, bad).error is None
    alert_rules.remove(scene.engine, bad)
    assert scene.ask("SELECT id FROM alert_rule") == []
