"""Mattermost by incoming webhook, as one coloured attachment."""

import re
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, SecretStr

from gavel.alerting.contract import JSON_TYPE, ChannelKind, ChannelSettings, Receipt, colour, send, usable_url
from gavel.alerting.render.message import Json, Message, evidence_lines, facts, fitting, headline, json_bytes
from gavel.alerting.transport.rate import Limit
from gavel.alerting.transport.wire import Request
from gavel.egress.tls import DESTINATION

LARGEST = 16_000
# Its own default where limiting is switched on: 10 a second and 100 at once, of all clients together.
LIMITS = (Limit(10, 0.2),)
_MARKUP = re.compile(r"([\\`*_\[\]#!|<>~]|^[-+])")
# A mention, an emoji's name or the start of a link is broken by a space nobody sees: no escape exists for them.
_SIGILS = re.compile(r"([@:]|(?<=w)\.)", re.IGNORECASE)
_UNSEEN = "\u200b"


class MattermostSettings(ChannelSettings):
    model_config = ConfigDict(extra="forbid", title="Mattermost")

    webhook_url: Annotated[SecretStr, AfterValidator(usable_url)] = Field(
        title="Webhook URL",
        description="Integrations › Incoming Webhooks.",
        json_schema_extra=DESTINATION,
    )


def render(settings: MattermostSettings, message: Message, _receipt: Receipt) -> Request:
    body = fitting(message, lambda cut: json_bytes(_built(cut)), len, LARGEST)
    return Request(settings.webhook_url.get_secret_value(), body, JSON_TYPE)


def inert(text: str) -> str:
    """Looks the same and means nothing."""
    return _SIGILS.sub(rf"\1{_UNSEEN}", _MARKUP.sub(r"\\\1", text.lstrip()))


def _built(message: Message) -> Json:
    text = [*map(inert, message.paragraphs), *(f"- {inert(line)}" for line in evidence_lines(message))]
    links = " · ".join(f"[{inert(link.label)}]({link.url.replace(')', '%29')})" for link in message.links)
    attachment: Json = {
        "fallback": inert(f"{headline(message)}: {message.in_one_line}"),
        "color": f"#{colour(message):06x}",
        "title": inert(headline(message)),
        "text": "\n".join([*text, *([links] if links else [])]),
        "fields": [{"short": True, "title": inert(title), "value": inert(value)} for title, value in facts(message)],
    }
    if message.picture and message.picture.url:
        attachment["image_url"] = message.picture.url
    if message.permalink:
        attachment["title_link"] = message.permalink
    return {"attachments": [attachment]}


MATTERMOST = ChannelKind("mattermost", "Mattermost", MattermostSettings, render, send, LARGEST, LIMITS)
