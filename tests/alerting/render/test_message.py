"""A message as the outbox keeps it, and as it is read again."""

import json
from dataclasses import replace

import pytest
from tests.alerting.messages import USUAL

from gavel.alerting.render.message import Message, facts, message_of, plain_message, plain_text
from gavel.domain.io_path import Confidence, Severity

RULED = replace(USUAL, diagnosis_severity=Severity.ELEVATED, confidence=Confidence.CONFIRMED)


@pytest.mark.parametrize("message", [USUAL, RULED, replace(RULED, confidence=None)])
def test_message_is_the_same_after_the_outbox(message: Message) -> None:
    assert message_of(json.loads(json.dumps(plain_message(message)))) == message


def test_message_of_the_time_before_severity_and_confidence_were_kept_has_none() -> None:
    kept = plain_message(RULED)
    del kept["diagnosis_severity"], kept["confidence"]
    assert message_of(kept) == USUAL


def test_the_owner_is_a_fact_of_the_message_and_outlasts_the_outbox() -> None:
    owned = replace(USUAL, owner="ada (75 % of its VMs, 2 owners)")
    assert ("Owner", owned.owner) in list(facts(owned))
    assert message_of(json.loads(json.dumps(plain_message(owned)))).owner == owned.owner
    assert "Owner" not in dict(facts(USUAL))


def test_a_message_planned_before_it_had_paragraphs_is_its_sentence() -> None:
    plain = {name: value for name, value in plain_message(USUAL).items() if name != "more"}
    assert message_of(plain).paragraphs == (USUAL.sentence,)


def test_cause_and_what_to_do_have_lines_of_their_own_below_the_diagnosis() -> None:
    lines = plain_text(USUAL).splitlines()
    at = lines.index(USUAL.sentence)
    assert lines[at + 1 : at + 4] == [*USUAL.more, ""]
