"""Slack by bot token: the first state of an incident posts a message, later ones change it."""

from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, SecretStr

from gavel.alerting.contract import (
    JSON_TYPE,
    ChannelKind,
    ChannelSettings,
    Receipt,
    json_bytes,
    read_json,
    send,
    usable_url,
)
from gavel.alerting.delivery import Answer, Outcome, Result, by_status
from gavel.alerting.message import Message
from gavel.alerting.slack_form import LARGEST, slack_form
from gavel.alerting.wire import Request, Way

# Slack's own words for what waiting may help; every other one needs somebody to change something.
_PASSING = frozenset({"ratelimited", "internal_error", "fatal_error", "service_unavailable", "request_timeout"})
_KNOWN = frozenset(
    {"invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "missing_scope", "channel_not_found",
     "not_in_channel", "is_archived", "msg_too_long", "msg_blocks_too_long", "message_not_found", "cant_update_message",
     "invalid_blocks", "restricted_action"}
)  # fmt: skip


class SlackBotSettings(ChannelSettings):
    model_config = ConfigDict(extra="forbid", title="Slack (bot)")

    token: SecretStr = Field(
        title="Bot token", description="Starts with xoxb-. Needs the scope chat:write.", min_length=10, max_length=400
    )
    channel: str = Field(
        title="Channel id", description="As in the channel's details: C0123456789.", pattern=r"^[A-Z0-9]{8,20}$"
    )
    api_url: Annotated[SecretStr, AfterValidator(usable_url)] = Field(
        default=SecretStr("https://slack.com/api"),
        title="API address",
        description="Another one only for GovSlack: https://slack-gov.com/api.",
    )


def render(settings: SlackBotSettings, message: Message, receipt: Receipt) -> Request:
    method = "chat.update" if "ts" in receipt else "chat.postMessage"
    where = {"channel": receipt.get("channel", settings.channel)}
    if "ts" in receipt:
        where["ts"] = receipt["ts"]
    headers = {**JSON_TYPE, "Authorization": f"Bearer {settings.token.get_secret_value()}"}
    body = json_bytes({**where, **slack_form(message)})
    return Request(f"{settings.api_url.get_secret_value().rstrip('/')}/{method}", body, headers)


def deliver(settings: SlackBotSettings, request: Request, way: Way) -> Outcome:
    return send(settings, request, way, _read)


def _read(answer: Answer) -> Outcome:
    """Slack says 200 to almost everything and the truth in `ok`."""
    by_code = by_status(answer)
    if by_code.result is not Result.DELIVERED:
        return by_code
    said = read_json(answer)
    if said.get("ok") is True:
        receipt = {name: value for name in ("channel", "ts") if isinstance(value := said.get(name), str)}
        return Outcome(Result.DELIVERED, by_code.detail, answer.status, receipt=receipt)
    error = said.get("error")
    if error in _PASSING:
        return Outcome(Result.RETRY, f"Slack answered {error}", answer.status)
    named = error if error in _KNOWN else "an error"
    return Outcome(
        Result.REFUSED, f"Slack answered {named}. Check token, scopes and channel, then replay.", answer.status
    )


SLACK_BOT = ChannelKind("slack_bot", "Slack (bot)", SlackBotSettings, render, deliver, LARGEST + 200, updates=True)
