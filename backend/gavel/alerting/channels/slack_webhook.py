"""Slack by incoming webhook. A webhook cannot change what it has posted: each state is a message of its own."""

from dataclasses import replace
from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field, SecretStr

from gavel.alerting.contract import JSON_TYPE, ChannelKind, ChannelSettings, Receipt, send, usable_url
from gavel.alerting.render.message import Message, json_bytes
from gavel.alerting.render.slack import LARGEST, slack_form
from gavel.alerting.transport.rate import Limit
from gavel.alerting.transport.wire import Request
from gavel.egress.tls import DESTINATION

# Of a channel: one message a second.
LIMITS = (Limit(1, 1.0),)


class SlackWebhookSettings(ChannelSettings):
    model_config = ConfigDict(extra="forbid", title="Slack (webhook)")

    webhook_url: Annotated[SecretStr, AfterValidator(usable_url)] = Field(
        title="Webhook URL",
        description="From your Slack app: Incoming Webhooks › Add New Webhook to Workspace.",
        json_schema_extra=DESTINATION,
    )


def render(settings: SlackWebhookSettings, message: Message, _receipt: Receipt) -> Request:
    body = json_bytes(slack_form(message))
    # Slack fetches the picture at once, and refuses the whole message when it cannot.
    plain = json_bytes(slack_form(replace(message, picture=None))) if message.picture else None
    return Request(settings.webhook_url.get_secret_value(), body, JSON_TYPE, without_picture=plain)


SLACK_WEBHOOK = ChannelKind("slack_webhook", "Slack (webhook)", SlackWebhookSettings, render, send, LARGEST, LIMITS)
