"""Channels: where messages go, and how their delivery went."""

from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from gavel.api.inputs import INT32_MAX, BodyId, Name, Settings, Text
from gavel.api.schemas.alerts import AlertSeverityName, MatcherBody, MatcherOut
from gavel.api.schemas.answer import Answer
from gavel.api.schemas.common import Out
from gavel.db.queries.notifications import AttemptRow

Status = Literal["firing", "resolved", "no_data"]
NotificationState = Literal["pending", "delivered", "superseded", "dead"]


class ChannelKindOut(Out):
    """A kind of channel that can be added. `settings_schema` as with sources: the JSON Schema of its form, secret fields `writeOnly`.

    updates: a later message of the same incident changes the former one instead of following it.
    """

    kind: str
    title: str
    settings_schema: dict[str, Any]
    updates: bool


class RouteBody(BaseModel):
    """Which alerts go to a channel: those at least as severe for which every matcher holds."""

    model_config = ConfigDict(extra="forbid", from_attributes=True)

    min_severity: AlertSeverityName = "info"
    matchers: list[MatcherBody] = Field(default=[], max_length=20)


class RouteOut(Out):
    """Which alerts go to a channel."""

    min_severity: AlertSeverityName = "info"
    matchers: list[MatcherOut] = Field(default=[])


class ChannelIn(BaseModel):
    """A new channel. `settings` as in the kind's JSON Schema, secrets included. second_id: the channel that reports its dead letters."""

    model_config = ConfigDict(extra="forbid")

    kind: Text = Field(max_length=64)
    name: Name
    settings: Settings
    enabled: bool = True
    route: RouteBody = RouteBody()
    second_id: BodyId | None = None


class ChannelChange(BaseModel):
    """Changes; what is left out stays. A secret left out keeps its value, unless what it is sent to changes: then it must be given.

    second_id: 0 for none.
    """

    model_config = ConfigDict(extra="forbid")

    name: Name | None = None
    settings: Settings | None = None
    enabled: bool | None = None
    route: RouteBody | None = None
    second_id: int | None = Field(default=None, ge=0, le=INT32_MAX)


class ChannelTrial(BaseModel):
    """Settings to try without saving. With `channel_id`, secrets left out are that channel's own."""

    model_config = ConfigDict(extra="forbid")

    kind: Text = Field(max_length=64)
    settings: Settings
    channel_id: BodyId | None = None


class ChannelOut(Out):
    """A channel with its health.

    `state`: ok, failing (the newest attempt failed), off (switched off by Gavel: `off_reason`), disabled. `settings` never holds
    secrets; `secrets_set` names the secret fields that have a value.
    """

    id: int
    kind: str
    name: str
    enabled: bool
    state: Literal["ok", "failing", "off", "disabled"]
    settings: dict[str, Any]
    secrets_set: list[str]
    route: RouteOut
    second_id: int | None
    failures: int
    retry_at: AwareDatetime | None
    off_reason: str | None
    pending: int
    dead: int
    last_delivered_at: AwareDatetime | None
    created_at: AwareDatetime


class NotificationOut(Out):
    """One notification to one channel. superseded: a newer state replaced it before it was delivered.

    sentence: its text. dead_letter_of: the notification of another channel that this one reports.
    """

    id: int
    event_id: str
    channel_id: int
    channel_name: str
    status: Status
    headline: str
    sentence: str
    alert_ids: list[int]
    state: NotificationState
    created_at: AwareDatetime
    next_at: AwareDatetime | None
    finished_at: AwareDatetime | None
    attempts: int
    detail: str | None
    dead_letter_of: int | None


class NotificationDetail(NotificationOut):
    log: list[Answer[AttemptRow]]


class Replayed(Out):
    """Number of dead letters queued again, each with its former id."""

    replayed: int
