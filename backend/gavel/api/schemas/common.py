"""Pieces several answers share."""

from typing import Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict


class Out(BaseModel):
    """Base of everything the API answers."""

    model_config = ConfigDict(extra="forbid", frozen=True, from_attributes=True)


class Problem(Out):
    """RFC 9457 problem details, the body of every error answer. `detail` is a sentence for people: what was tried, on what, what to do."""

    type: str
    title: str
    status: int
    detail: str
    errors: list["FieldProblem"]


class FieldProblem(Out):
    """One unusable input: where it is (`settings.address`) and what is wrong with it."""

    field: str
    message: str


class SourceRef(Out):
    id: int
    kind: str
    name: str


class GapOut(Out):
    """A missing interval of one stream and why. `side`: whose counters are missing. `state`: pending_backfill (still hoped for) or
    explained (final).
    """

    source: SourceRef
    stream: str
    side: Literal["array", "host", "guest"]
    subject: str | None
    from_at: AwareDatetime
    to_at: AwareDatetime
    reason: str
    state: Literal["pending_backfill", "explained"]
