"""Rules and their pages: each is registered, explained, and says what it cannot see."""

import re
from pathlib import Path

import pytest

from gavel.correlate.finding_evidence import LOADERS
from gavel.findings.model import FindingRule, NeededHours
from gavel.findings.registry import RULES, RULES_BY_ID

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/findings"


def test_registry_of_findings_names_every_module_of_a_rule() -> None:
    modules = {path.stem for path in (ROOT / "backend/gavel/findings/rules").glob("*.py")} - {"__init__"}
    assert {rule.id.replace("-", "_") for rule in RULES} == modules
    assert len(RULES_BY_ID) == len(RULES)


def test_what_rules_need_beside_hours_of_an_array_says_what_is_missing() -> None:
    needs = {rule.id: rule.needs for rule in RULES if rule.needs is not None}
    assert {"paths-unbalanced", "unmonitored-initiators", "noisy-neighbor", "task-running"} <= needs.keys()
    for need in needs.values():
        assert need.hours if isinstance(need, NeededHours) else need.missing


def test_registry_of_findings_has_a_page_for_every_rule_and_no_other() -> None:
    assert {path.stem for path in PAGES.glob("*.md")} - {"README"} == RULES_BY_ID.keys()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_a_page_of_a_finding_says_when_it_is_raised_what_to_do_and_what_it_cannot_see(rule: FindingRule) -> None:
    page = (PAGES / f"{rule.id}.md").read_text(encoding="utf-8")
    assert page.startswith(f"# {rule.title}\n")
    for heading in ("Raised when", "Why it matters", "What to do", "Blind spots", "Documented in"):
        assert re.search(rf"^## {heading}$", page, re.MULTILINE), heading
    for said in (rule.raised_when, rule.cleared_when, *rule.blind_spots):
        assert said in page.replace("\n", " "), said


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_evidence_of_a_rule_is_loaded(rule: FindingRule) -> None:
    assert rule.evidence in LOADERS
    assert rule.blind_spots
    assert rule.references
