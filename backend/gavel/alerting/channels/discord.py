"""Discord by webhook: one embed. It may change what it has posted, so an incident stays one message."""

import hashlib
import re
from dataclasses import replace
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, SecretStr

from gavel.alerting.contract import (
    JSON_TYPE,
    ChannelKind,
    ChannelSettings,
    Receipt,
    colour,
    read_json,
    send,
    usable_url,
)
from gavel.alerting.render.message import (
    Json,
    Message,
    clipped,
    evidence_lines,
    facts,
    fitting,
    headline,
    json_bytes,
    visible,
)
from gavel.alerting.transport.outcome import Outcome, ReceiverResponse, Result, by_status
from gavel.alerting.transport.rate import Limit
from gavel.alerting.transport.wire import Request, Transport
from gavel.egress.tls import DESTINATION

_TITLE, _DESCRIPTION, _NAME, _VALUE, _FIELDS, _WHOLE = 256, 4096, 256, 1024, 25, 6000
_FILE = "waterfall.png"
LARGEST = 4 * _WHOLE + 4096  # at most four bytes a character, and the JSON around them
# Of a webhook: 5 in 2 seconds; of a channel: 30 a minute.
LIMITS = (Limit(5, 2.4),)
# `:` and the dot of www. so that no address becomes a link; `-` and `+` only where they would begin a list.
_MARKUP = re.compile(r"([\\`*_\[\]#|<>~:@]|^[-+]|(?<=w)\.)")


class DiscordSettings(ChannelSettings):
    model_config = ConfigDict(extra="forbid", title="Discord")

    webhook_url: Annotated[SecretStr, AfterValidator(usable_url)] = Field(
        title="Webhook URL",
        description="Channel settings › Integrations › Webhooks › Copy Webhook URL.",
        json_schema_extra=DESTINATION,
    )


def render(settings: DiscordSettings, message: Message, receipt: Receipt) -> Request:
    url, _, query = settings.webhook_url.get_secret_value().partition("?")
    embed = fitting(message, _embed, _excess, 0)
    body: Json = {"content": "", "embeds": [embed], "allowed_mentions": {"parse": []}}
    picture = message.picture if message.picture and message.picture.png else None
    if picture:
        embed["image"] = {"url": f"attachment://{_FILE}"}
        body["attachments"] = [{"id": 0, "filename": _FILE, "description": clipped(visible(picture.alt[:1001]), 1000)}]
    elif message.picture and message.picture.url:
        embed["image"] = {"url": message.picture.url}
    if "message_id" in receipt:
        return Request(
            f"{url}/messages/{receipt['message_id']}?{query}".rstrip("?"), json_bytes(body), JSON_TYPE, "PATCH", picture
        )
    # Only with `wait` does Discord say what the message is called.
    return Request(f"{url}?{query}{'&' if query else ''}wait=true", json_bytes(body), JSON_TYPE, picture=picture)


def deliver(settings: DiscordSettings, request: Request, way: Transport) -> Outcome:
    png = request.picture.png if request.picture else None
    return send(settings, _with_file(request, png) if png else request, way, _read)


def _with_file(request: Request, png: bytes) -> Request:
    """The same as a form with a file. The boundary is a hash of what it bounds, so it does not stand inside."""
    boundary = hashlib.sha256(request.body + png).hexdigest()
    parts = (
        ('name="payload_json"', "application/json", request.body),
        (f'name="files[0]"; filename="{_FILE}"', "image/png", png),
    )
    body = b"".join(
        f"--{boundary}\r\nContent-Disposition: form-data; {name}\r\nContent-Type: {kind}\r\n\r\n".encode()
        + content
        + b"\r\n"
        for name, kind, content in parts
    )
    headers = {**request.headers, "Content-Type": f"multipart/form-data; boundary={boundary}"}
    return replace(request, body=body + f"--{boundary}--\r\n".encode(), headers=headers)


def _read(answer: ReceiverResponse) -> Outcome:
    outcome = by_status(answer)
    name = read_json(answer).get("id")
    if outcome.result is not Result.DELIVERED or not isinstance(name, str) or not name.isdigit():
        return outcome
    return Outcome(outcome.result, outcome.detail, outcome.status, receipt={"message_id": name})


def inert(text: str) -> str:
    """Escaped as Discord's Markdown wants it."""
    return _MARKUP.sub(r"\\\1", text.lstrip())


def _embed(message: Message) -> Json:
    lines = [*map(inert, message.paragraphs), *(f"• {inert(line)}" for line in evidence_lines(message))]
    lines += [f"[{inert(link.label)}]({link.url.replace(')', '%29')})" for link in message.links]
    embed: Json = {
        "title": inert(headline(message)),
        "description": "\n".join(lines),
        "color": colour(message),
        "fields": [
            {"name": inert(title), "value": inert(text) or "–", "inline": True} for title, text in facts(message)
        ],
        "timestamp": message.sent_at.isoformat(),
    }
    if message.permalink:
        embed["url"] = message.permalink
    return embed


def _excess(embed: Json) -> int:
    """How many characters, or fields, are over any of Discord's limits."""
    fields = embed["fields"]
    names, values = [len(one["name"]) for one in fields], [len(one["value"]) for one in fields]
    title, description = len(embed["title"]), len(embed["description"])
    return max(
        title - _TITLE, description - _DESCRIPTION, max(names) - _NAME, max(values) - _VALUE, len(fields) - _FIELDS,
        title + description + sum(names) + sum(values) - _WHOLE,
    )  # fmt: skip


DISCORD = ChannelKind(
    "discord", "Discord", DiscordSettings, render, deliver, LARGEST, LIMITS, updates=True, takes_pictures=True
)
