"""What to do first about each kind of cause."""

from gavel.diagnosis.cause import ACTIONS, FINDINGS, LABELS, CauseKind
from gavel.findings.registry import RULES_BY_ID


def test_every_kind_of_cause_has_a_label_and_says_what_to_do_first_in_one_short_line() -> None:
    assert set(LABELS) == set(CauseKind)
    assert set(ACTIONS) == set(CauseKind) - {CauseKind.NO_SINGLE_CAUSE}
    for action in ACTIONS.values():
        assert action[0].isupper()
        assert not action.endswith(".")
        assert len(action) <= 120


def test_findings_of_causes_are_rules_that_there_are() -> None:
    assert set(FINDINGS.values()) <= set(RULES_BY_ID)
