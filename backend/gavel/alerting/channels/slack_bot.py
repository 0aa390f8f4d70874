"""Slack by bot token: the first state of an incident posts a message, later ones change it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated
from urllib.parse import urlencode

from pydantic import AfterValidator, ConfigDict, Field, SecretStr

from gavel.alerting.contract import JSON_TYPE, ChannelKind, ChannelSettings, Receipt, read_json, send, usable_url
from gavel.alerting.render.message import Message, Picture, clipped, json_bytes
from gavel.alerting.render.slack import LARGEST, slack_form
from gavel.alerting.transport.outcome import Outcome, ReceiverResponse, Result, by_status
from gavel.alerting.transport.rate import Limit
from gavel.alerting.transport.wire import Request, Transport
from gavel.egress.network import total_deadline
from gavel.egress.tls import DESTINATION

FORM_TYPE = {"Content-Type": "application/x-www-form-urlencoded"}
_LONGEST_ALT = 1000
_PLACE = ("upload_url", "file_id")
# Slack's own words for what waiting may help; every other one needs somebody to change something.
_PASSING = frozenset({"ratelimited", "internal_error", "fatal_error", "service_unavailable", "request_timeout"})
_KNOWN = frozenset(
    {"invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "missing_scope", "channel_not_found",
     "not_in_channel", "is_archived", "msg_too_long", "msg_blocks_too_long", "message_not_found", "cant_update_message",
     "invalid_blocks", "restricted_action"}
)  # fmt: skip
# Of a channel: one message a second; of a workspace: 50 changes a minute.
LIMITS = (Limit(1, 1.2),)


class SlackBotSettings(ChannelSettings):
    model_config = ConfigDict(extra="forbid", title="Slack (bot)")

    token: SecretStr = Field(
        title="Bot token",
        description="Starts with xoxb-. Needs the scope chat:write, and files:write for pictures.",
        min_length=10,
        max_length=400,
    )
    channel: str = Field(
        title="Channel id", description="As in the channel's details: C0123456789.", pattern=r"^[A-Z0-9]{8,20}$"
    )
    api_url: Annotated[SecretStr, AfterValidator(usable_url)] = Field(
        default=SecretStr("https://slack.com/api"),
        title="API address",
        description="Another one only for GovSlack: https://slack-gov.com/api.",
        json_schema_extra=DESTINATION,
    )


def render(settings: SlackBotSettings, message: Message, receipt: Receipt) -> Request:
    method = "chat.update" if "ts" in receipt else "chat.postMessage"
    where = {"channel": receipt.get("channel", settings.channel)}
    if "ts" in receipt:
        where["ts"] = receipt["ts"]
    headers = {**JSON_TYPE, "Authorization": f"Bearer {settings.token.get_secret_value()}"}
    body = json_bytes({**where, **slack_form(replace(message, picture=None))})
    # Pictures hang on the first message of an incident: its thread tells the story, and a change makes nobody look at another one.
    picture = message.picture if "ts" not in receipt and message.picture and message.picture.png else None
    return Request(f"{settings.api_url.get_secret_value().rstrip('/')}/{method}", body, headers, picture=picture)


def deliver(settings: SlackBotSettings, request: Request, way: Transport) -> Outcome:
    """The message counts: a failure of its picture is reported, and never sends the message again."""
    outcome = send(settings, request, way, _read)
    if outcome.result is not Result.DELIVERED or request.picture is None:
        return outcome
    return replace(
        outcome, detail=f"{outcome.detail}; {_with_picture(settings, request.picture, outcome.receipt, way)}"
    )


def _with_picture(settings: SlackBotSettings, picture: Picture, message: Receipt, way: Transport) -> str:
    """Asks where a file may go, puts it there, and hangs it into the message's thread; says how that went."""
    png = picture.png or b""
    with total_deadline(way.deadlines.total_s):
        asked = {"filename": "waterfall.png", "length": len(png), "alt_txt": clipped(picture.alt, _LONGEST_ALT)}
        place = _call(settings, "files.getUploadURLExternal", urlencode(asked).encode(), FORM_TYPE, way)
        if place.result is not Result.DELIVERED or len(place.receipt) < len(_PLACE):
            return f"its picture was not taken: {place.detail}"
        put = send(settings, Request(place.receipt["upload_url"], png, {"Content-Type": "image/png"}), way)
        if put.result is not Result.DELIVERED:
            return f"its picture was not taken: {put.detail}"
        shared = {
            "files": [{"id": place.receipt["file_id"], "title": "Latency breakdown"}],
            "channel_id": message.get("channel", settings.channel),
            "thread_ts": message.get("ts", ""),
        }
        done = _call(settings, "files.completeUploadExternal", json_bytes(shared), JSON_TYPE, way)
        return "with its picture" if done.result is Result.DELIVERED else f"its picture was not shown: {done.detail}"


def _call(settings: SlackBotSettings, method: str, body: bytes, content: Mapping[str, str], way: Transport) -> Outcome:
    headers = {**content, "Authorization": f"Bearer {settings.token.get_secret_value()}"}
    request = Request(f"{settings.api_url.get_secret_value().rstrip('/')}/{method}", body, headers)
    return send(settings, request, way, _read_thread)


def _read_thread(answer: ReceiverResponse) -> Outcome:
    """As of a message; what a place for a file is called stands in the receipt."""
    said = read_json(answer)
    place = {name: value for name in _PLACE if isinstance(value := said.get(name), str)}
    return replace(_read(answer), receipt=place)


def _read(answer: ReceiverResponse) -> Outcome:
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


SLACK_BOT = ChannelKind(
    "slack_bot",
    "Slack (bot)",
    SlackBotSettings,
    render,
    deliver,
    LARGEST + 200,
    LIMITS,
    updates=True,
    takes_pictures=True,
)
