"""Discord by webhook: one embed. It may change what it has posted, so an incident stays one message."""

import re
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, SecretStr

from gavel.alerting.contract import (
    JSON_TYPE,
    ChannelKind,
    ChannelSettings,
    Json,
    Receipt,
    colour,
    json_bytes,
    read_json,
    send,
    usable_url,
)
from gavel.alerting.delivery import Answer, Outcome, Result, by_status
from gavel.alerting.message import Message, evidence_lines, facts, fitting, headline
from gavel.alerting.wire import Request, Way

_TITLE, _DESCRIPTION, _NAME, _VALUE, _FIELDS, _WHOLE = 256, 4096, 256, 1024, 25, 6000
LARGEST = 4 * _WHOLE + 4096  # at most four bytes a character, and the JSON around them
# `:` and the dot of www. so that no address becomes a link; `-` and `+` only where they would begin a list.
_MARKUP = re.compile(r"([\\`*_\[\]#|<>~:@]|^[-+]|(?<=w)\.)")


class DiscordSettings(ChannelSettings):
    model_config = ConfigDict(extra="forbid", title="Discord")

    webhook_url: Annotated[SecretStr, AfterValidator(usable_url)] = Field(
        title="Webhook URL", description="Channel settings › Integrations › Webhooks › Copy Webhook URL."
    )


def render(settings: DiscordSettings, message: Message, receipt: Receipt) -> Request:
    url, _, query = settings.webhook_url.get_secret_value().partition("?")
    embed = fitting(message, _embed, _excess, 0)
    body: Json = {"content": "", "embeds": [embed], "allowed_mentions": {"parse": []}}
    if "message_id" in receipt:
        return Request(
            f"{url}/messages/{receipt['message_id']}?{query}".rstrip("?"), json_bytes(body), JSON_TYPE, "PATCH"
        )
    # Only with `wait` does Discord say what the message is called.
    return Request(f"{url}?{query}{'&' if query else ''}wait=true", json_bytes(body), JSON_TYPE)


def deliver(settings: DiscordSettings, request: Request, way: Way) -> Outcome:
    return send(settings, request, way, _read)


def _read(answer: Answer) -> Outcome:
    outcome = by_status(answer)
    name = read_json(answer).get("id")
    if outcome.result is not Result.DELIVERED or not isinstance(name, str) or not name.isdigit():
        return outcome
    return Outcome(outcome.result, outcome.detail, outcome.status, receipt={"message_id": name})


def inert(text: str) -> str:
    """Escaped as Discord's Markdown wants it."""
    return _MARKUP.sub(r"\\\1", text.lstrip())


def _embed(message: Message) -> Json:
    lines = [inert(message.sentence), *(f"• {inert(line)}" for line in evidence_lines(message))]
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


DISCORD = ChannelKind("discord", "Discord", DiscordSettings, render, deliver, LARGEST, updates=True)
