"""Diagnoses in words, in parts: nobody has to take a text to pieces."""

from gavel.api.schemas.answer import Answer
from gavel.api.schemas.common import Out
from gavel.diagnosis.sentences import Statement


class HeadOut(Out):
    """What a diagnosis says: `headline` ("Kernel queue on esx-14", "Normal") and `detail`, its numbers ("": there are none).

    `text`: both in one line.
    """

    headline: str
    detail: str
    text: str


class SentenceOut(Out):
    """The diagnosis in words, in parts: `head`, `confidence` and `cause` ("": none), then `reasons` (why), `caveats` and `to_confirm` (what
    would settle it).

    `text`: all of it in one line.
    """

    head: HeadOut
    confidence: str
    cause: str
    reasons: list[Answer[Statement]]
    caveats: list[Answer[Statement]]
    to_confirm: list[str]
    text: str


class AlertSentenceOut(Out):
    """The diagnosis when an alert fired: `claim`, what it rests on (`evidence`), what limits it (`limits`), and what to do first about its
    cause (`action`); "": there is none.

    `text`: all but the action in one line. Of what has no diagnosis (a source), and of alerts of earlier versions, all of it is the claim.
    """

    claim: str
    evidence: str
    limits: str
    action: str
    text: str
