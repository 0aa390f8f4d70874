"""Answers about diagnoses that are not a dataclass as it is.

Latencies are µs per I/O over all timed I/Os of the direction, so that segments add up to the total; null is "not measured", never 0.
"""

from typing import Annotated, Literal

from pydantic import AwareDatetime

from gavel.api.schemas.answer import Answer, AnswerShape
from gavel.api.schemas.causes import CauseOut, ShortCauseOut
from gavel.api.schemas.common import Out
from gavel.api.schemas.sentences import HeadOut, SentenceOut
from gavel.diagnosis.explain import Diagnosis
from gavel.diagnosis.groups import ObjectGroup
from gavel.diagnosis.ranking import EnvironmentStanding, RankedObject, Totals

SEVERITY_LASTS = "only objects of this severity; what has cleared is left out"
SeverityName = Literal["normal", "elevated", "high"]  # how bad, by the excess alone; null: there is no diagnosis
ConfidenceName = Literal["confirmed", "likely", "inconclusive"]  # how sure the layer is; null: no layer is named

DiagnosisAnswer = Annotated[Diagnosis, AnswerShape(sentence=SentenceOut, cause=CauseOut | None)]
RankedAnswer = Annotated[RankedObject, AnswerShape(sentence=HeadOut, cause=ShortCauseOut | None)]
EnvironmentAnswer = Annotated[EnvironmentStanding, AnswerShape(sentence=HeadOut)]

GroupAnswer = Annotated[ObjectGroup, AnswerShape(worst=RankedAnswer | None)]


class OverviewOut(Out):
    """The environment by layer, and objects ranked by severity and excess outstanding I/O. `ledger_until_at`: minutes before it have been
    attributed; null before the first one."""

    from_at: AwareDatetime
    to_at: AwareDatetime
    ledger_until_at: AwareDatetime | None
    environment: EnvironmentAnswer
    totals: Answer[Totals]
    items: list[RankedAnswer]
    total: int
    limit: int
    offset: int


class GroupsOut(Out):
    """VMs by the value of one label, ranked by severity and excess outstanding I/O. `label`: its name as most have it."""

    label: str
    from_at: AwareDatetime
    to_at: AwareDatetime
    ledger_until_at: AwareDatetime | None
    items: list[GroupAnswer]
    total: int
    limit: int
    offset: int
