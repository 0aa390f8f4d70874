"""Alerts on findings: fired while one is open, resolved once it has cleared or was accepted, whatever the ledger says meanwhile."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from tests.alerting.receivers import HttpReceiver
from tests.alerting.use.alert_scene import HEALTHY, KERNEL, KERNEL_SLOW, MINUTE, AlertScene, alert_scene, told
from tests.api.ledgers import NOW

from gavel.alerting.rules.file import read_rules, write_rules
from gavel.alerting.rules.model import RuleError
from gavel.alerting.use import messages, preview
from gavel.db.engine import reading, transaction
from gavel.db.write.findings import Evaluation, accept, store_evaluation
from gavel.diagnosis.cause import ACTIONS, Cause, CauseKind
from gavel.diagnosis.explain import diagnosis
from gavel.diagnosis.stored_sentence import StoredSentence
from gavel.domain.io_path import Confidence, Severity
from gavel.findings.model import Advice, AdviceKind, Finding, ObjectKind, ObjectRef
from gavel.findings.registry import RULES_BY_ID


def on_findings(rule: str | None = "paths-down", severity: str | None = None) -> list[dict[str, Any]]:
    return [
        {"quantity": "open_findings", "part": None, "direction": "all", "at_least": 1, "recover_below": None,
         "compared": "lower", "finding": rule, "finding_severity": severity}
    ]  # fmt: skip


PATHS_DOWN = KERNEL_SLOW | {"key": "paths_down", "name": "Paths down", "when": on_findings(), "runbook_url": ""}


@pytest.fixture
def scene(environment_url: str) -> Iterator[AlertScene]:
    with alert_scene(environment_url) as made:
        yield made


def evaluated(
    scene: AlertScene, *raised: tuple[ObjectKind, int], rule: str = "paths-down", severity: Severity = Severity.ELEVATED
) -> None:
    """The next evaluation of findings has these and no others."""
    findings = [
        (
            rule,
            Finding(
                source_id=scene.environment.vcenter,
                object=ObjectRef(kind, object_id, f"{kind} {object_id}"),
                severity=severity,
                confidence=Confidence.CONFIRMED,
                title="2 of 4 paths down",
                cause="Cable of vmhba2",
                evidence=(),
                advice=(Advice(kind=AdviceKind.REPAIR, text="Check the cable of vmhba2."),),
                magnitude=1.0,
            ),
        )
        for kind, object_id in raised
    ]
    settled = [(one, scene.environment.vcenter) for one in RULES_BY_ID]
    with transaction(scene.engine) as connection:
        store_evaluation(connection, Evaluation(findings, list(RULES_BY_ID), settled, scene.now, None))


def pass_minutes(scene: AlertScene, count: int) -> None:
    for _ in range(count):
        scene.now += MINUTE
        scene.turn()


def with_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger alone, without paths and queues, shows no cause: every diagnosis has this one."""
    cause = Cause(
        kind=CauseKind.PATHS_DOWN, confidence=Confidence.CONFIRMED, headline="2 of 4 paths down", text="2 of 4 paths are down",
        from_at=NOW, to_at=NOW,
    )  # fmt: skip
    monkeypatch.setattr(messages, "diagnosis", lambda *given: replace(diagnosis(*given), cause=cause))


def alerts(scene: AlertScene) -> list[tuple[str, int, str]]:
    return [tuple(row) for row in scene.ask("SELECT subject, object_id, state FROM alert ORDER BY id")]


def test_alerts_on_findings_fire_while_one_is_open_and_resolve_once_it_has_cleared(
    scene: AlertScene, receiver: HttpReceiver
) -> None:
    scene.channel(receiver)
    scene.rule(PATHS_DOWN)
    evaluated(scene, ("datastore", scene.store))
    pass_minutes(scene, 1)
    assert alerts(scene) == [("datastore", scene.store, "firing")]
    evaluated(scene)
    pass_minutes(scene, 2)
    assert alerts(scene) == [("datastore", scene.store, "resolved")]
    fired, resolved = (one["data"] for one in told(receiver))
    assert fired["diagnosis"] == "2 of 4 paths down. Cable of vmhba2. Check the cable of vmhba2."
    assert "/findings/" in fired["links"]["Open"]
    assert "Cleared" in resolved["diagnosis"]
    assert "Finding: 2 of 4 paths down." in resolved["diagnosis"]


def test_alerts_on_findings_end_when_the_finding_is_accepted(scene: AlertScene) -> None:
    scene.rule(PATHS_DOWN)
    evaluated(scene, ("datastore", scene.store))
    pass_minutes(scene, 1)
    with transaction(scene.engine) as connection:
        ((finding_id,),) = scene.ask("SELECT id FROM finding")
        accept(connection, finding_id, "Ada", "cable ordered", None, scene.now)
    pass_minutes(scene, 2)
    assert [state for *_, state in alerts(scene)] == ["resolved"]


@pytest.mark.parametrize(
    ("rule", "severity", "fires"),
    [
        (None, None, True),
        ("paths-down", "elevated", True),
        (None, "high", False),
        ("clock-skew", None, False),
    ],
)
def test_alerts_on_findings_count_those_of_their_rule_from_their_severity_on(
    scene: AlertScene, rule: str | None, severity: str | None, fires: bool
) -> None:
    scene.rule(PATHS_DOWN, when=on_findings(rule, severity))
    evaluated(scene, ("datastore", scene.store))
    pass_minutes(scene, 1)
    assert bool(alerts(scene)) is fires


def test_alerts_on_findings_of_virtual_disks_and_devices_are_of_their_vm_and_host(scene: AlertScene) -> None:
    for subject in ("vm", "host"):
        scene.rule(PATHS_DOWN, key=f"of_{subject}", of=subject)
    ((disk, vm),) = scene.ask("SELECT id, vm_id FROM vm_disk ORDER BY id LIMIT 1")
    ((device, host),) = scene.ask("SELECT id, host_id FROM host_device ORDER BY id LIMIT 1")
    evaluated(scene, ("vm_disk", disk), ("device", device))
    pass_minutes(scene, 1)
    assert sorted(alerts(scene)) == [("host", host, "firing"), ("vm", vm, "firing")]


def test_alerts_on_findings_do_not_clear_when_findings_are_no_longer_evaluated(scene: AlertScene) -> None:
    scene.rule(PATHS_DOWN, no_data_after_min=5)
    evaluated(scene, ("datastore", scene.store))
    pass_minutes(scene, 1)
    scene.now += timedelta(minutes=20)
    pass_minutes(scene, 6)
    assert [state for *_, state in alerts(scene)] == ["no_data"]


def test_alerts_on_findings_leave_the_minutes_of_other_rules_alone(scene: AlertScene) -> None:
    """The newest minute of the ledger is always older than the clock: it must not look late because of a rule on findings."""
    scene.rule(PATHS_DOWN)
    scene.rule(KERNEL_SLOW)
    evaluated(scene, ("datastore", scene.store))
    pass_minutes(scene, 2)
    scene.write(KERNEL, scene.now - 3 * MINUTE)
    scene.turn()
    assert sorted(scene.ask("SELECT rule_key, state FROM alert")) == [
        ("kernel_slow", "firing"),
        ("paths_down", "firing"),
    ]
    assert scene.ask("SELECT count(*) FROM alert_late") == [(0,)]
    scene.write(HEALTHY, scene.now - 2 * MINUTE)
    scene.turn()
    assert ("kernel_slow", "resolved") in scene.ask("SELECT rule_key, state FROM alert")


def test_alerts_on_findings_have_no_preview_and_say_so(scene: AlertScene) -> None:
    with reading(scene.engine) as connection:
        found = preview.preview(connection, PATHS_DOWN, 1, scene.now)
    assert found.note is not None
    assert "findings" in found.note


FILE = """
rules:
  - key: paths
    name: Paths
    of: datastore
    when:
      - open_findings: paths-down
        finding_severity: elevated
"""


def test_message_of_a_diagnosis_names_what_to_do_first_while_a_finding_of_its_cause_is_open(
    scene: AlertScene, receiver: HttpReceiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_cause(monkeypatch)
    scene.channel(receiver)
    scene.rule(KERNEL_SLOW)
    evaluated(scene, ("datastore", scene.store))
    scene.step(KERNEL)
    (fired,) = (one["data"] for one in told(receiver))
    assert " What to do: Check the cable of vmhba2. " in fired["diagnosis"]
    assert "/findings/" in fired["links"]["Steps and commands"]
    ((sentence,),) = scene.ask("SELECT sentence FROM alert")
    assert StoredSentence.parse(sentence).action == "Check the cable of vmhba2"


@pytest.mark.parametrize("how", ["other object", "other rule", "cleared", "accepted"])
def test_message_of_a_diagnosis_whose_cause_has_no_finding_then_says_what_to_do_first_of_its_kind(
    scene: AlertScene, receiver: HttpReceiver, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    with_cause(monkeypatch)
    scene.channel(receiver)
    scene.rule(KERNEL_SLOW)
    store = scene.store + 1 if how == "other object" else scene.store
    evaluated(scene, ("datastore", store), rule="clock-skew" if how == "other rule" else "paths-down")
    if how == "cleared":
        evaluated(scene)
        scene.now += 20 * MINUTE
    if how == "accepted":
        with transaction(scene.engine) as connection:
            accept(connection, scene.ask("SELECT id FROM finding")[0][0], "Ada", "cable ordered", None, scene.now)
    scene.step(KERNEL)
    (fired,) = (one["data"] for one in told(receiver))
    assert f" What to do: {ACTIONS[CauseKind.PATHS_DOWN]}. " in fired["diagnosis"]
    assert "Steps and commands" not in fired["links"]


def test_alerts_on_findings_are_written_and_read_as_yaml() -> None:
    (rule,) = read_rules(FILE)
    measure = rule.conditions[0].measure
    assert (measure.finding, measure.finding_severity) == ("paths-down", Severity.ELEVATED)
    assert rule.conditions[0].at_least == 1.0
    assert read_rules(write_rules((rule,))) == (rule,)
    (anything,) = read_rules(FILE.replace("paths-down", "any").replace("finding_severity: elevated", "at_least: 3"))
    assert anything.conditions[0].measure.finding is None
    assert read_rules(write_rules((anything,))) == (anything,)


@pytest.mark.parametrize(
    ("old", "new", "answer"),
    [
        ("paths-down", "paths-up", "'paths-up' is none of competing-worlds"),
        ("elevated", "awful", "'awful' is none of normal"),
        ("finding_severity: elevated", "at_least: 1 ms", "is no amount"),
        ("finding_severity: elevated", "direction: read", "no such field"),
        (
            "        finding_severity: elevated",
            "      - latency: kernel\n        at_least: 1 ms",
            "goes with conditions of open_findings only",
        ),
    ],
)
def test_alerts_on_findings_that_make_no_sense_are_refused_with_what_to_write(old: str, new: str, answer: str) -> None:
    with pytest.raises(RuleError, match=answer):
        read_rules(FILE.replace(old, new))
