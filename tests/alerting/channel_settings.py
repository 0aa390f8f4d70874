"""Settings of every kind of channel for a receiver on loopback, what it answers at best, and one delivery to it."""

import base64
from collections.abc import Callable
from typing import Any

from tests.alerting.messages import USUAL
from tests.alerting.receivers import LOOPBACK, HttpReceiver, Says
from tests.waiting import HANG_S

from gavel.alerting.registry import CHANNELS
from gavel.alerting.render.message import Message
from gavel.alerting.transport.outcome import Outcome
from gavel.alerting.transport.wire import Deadlines, Transport

WAY = Transport(LOOPBACK, Deadlines(HANG_S, HANG_S, HANG_S))
SECRETS = ["whsec_" + base64.b64encode(bytes([number]) * 32).decode() for number in (1, 2)]
SETTINGS: dict[str, Callable[[str], dict[str, object]]] = {
    "slack_webhook": lambda url: {"webhook_url": f"{url}/services/T0/B0/secret"},
    "slack_bot": lambda url: {"token": "xoxb-secret-token", "channel": "C0123456789", "api_url": f"{url}/api"},
    "teams": lambda url: {"webhook_url": f"{url}/workflows/secret?sig=secret"},
    "mattermost": lambda url: {"webhook_url": f"{url}/hooks/secret"},
    "discord": lambda url: {"webhook_url": f"{url}/api/webhooks/1/secret"},
    "pagerduty": lambda url: {"routing_key": "secret" + "0" * 26, "events_url": f"{url}/v2/enqueue"},
    "webhook": lambda url: {"url": f"{url}/secret", "secrets": SECRETS},
    "alertmanager": lambda url: {"url": url, "bearer_token": "secret"},
    "email": lambda url: {
        "host": "127.0.0.1", "port": int(url.rpartition(":")[2]), "security": "none", "username": "gavel",
        "password": "secret", "sender": "gavel@example.org", "recipients": ["noc@example.org", "san@example.org"],
    },
    "apprise": lambda url: {"url": url.replace("http", "json", 1) + "/secret"},
}  # fmt: skip
ANSWERS = {
    "slack_bot": Says(body=b'{"ok":true,"channel":"C0123456789","ts":"1732.001"}'),
    "discord": Says(body=b'{"id":"9"}'),
}
# Sent by Gavel itself as one HTTP request.
OVER_HTTP = sorted(set(CHANNELS) - {"apprise", "email"})


def settings_of(kind: str, url: str = "https://127.0.0.1:9") -> Any:
    return CHANNELS[kind].settings.model_validate(SETTINGS[kind](url))


def delivered(
    kind: str, receiver: HttpReceiver, message: Message = USUAL, receipt: dict[str, str] | None = None
) -> Outcome:
    settings = settings_of(kind, receiver.url)
    made = CHANNELS[kind].render(settings, message, receipt or {})
    return CHANNELS[kind].deliver(settings, made, WAY)
