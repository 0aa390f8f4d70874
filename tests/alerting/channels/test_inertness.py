"""The check of what was sent finds what it is there for."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.alerting.channel_settings import OVER_HTTP, settings_of
from tests.alerting.inertness import complaints
from tests.alerting.messages import USUAL, hostile
from tests.hostile.api.markup import PAYLOADS

from gavel.alerting.registry import CHANNELS


def rendered(kind: str) -> bytes:
    body: bytes = CHANNELS[kind].render(settings_of(kind), USUAL, {}).body
    return body


@pytest.mark.parametrize("kind", [*OVER_HTTP, "email"])
def test_a_usual_message_is_inert(kind: str) -> None:
    assert list(complaints(kind, rendered(kind))) == []


@pytest.mark.parametrize("kind", [*OVER_HTTP, "email"])
def test_markup_in_names_is_inert_in_every_message(kind: str) -> None:
    for name in PAYLOADS:
        body = CHANNELS[kind].render(settings_of(kind), hostile(name), {}).body
        # Its links are the message's own, and no name's.
        assert [one for one in complaints(kind, body) if not one.startswith("url leads to")] == [], name


@pytest.mark.parametrize(
    ("kind", "spoil"),
    [
        ("slack_webhook", lambda told: told.update(text="<!channel>")),
        ("slack_bot", lambda told: told["blocks"][0]["text"].update(text="a \u202e b")),
        ("teams", lambda told: told["attachments"][0]["content"]["actions"][0].update(url="https://evil.example.org/")),
        ("mattermost", lambda told: told["attachments"][0].update(fallback="@channel")),
        ("mattermost", lambda told: told["attachments"][0].update(title="**bold**")),
        ("discord", lambda told: told["embeds"][0].update(title="@everyone")),
        ("discord", lambda told: told["allowed_mentions"].update(parse=["everyone"])),
        ("pagerduty", lambda told: told.update(client_url="https://evil.example.org/")),
        ("alertmanager", lambda told: told[0]["labels"].update(object="one\ntwo")),
        ("alertmanager", lambda told: told[0]["annotations"].update(details="x" * 70_000)),
        ("webhook", lambda told: told["data"].update(path=["zero\u200bwidth"])),
    ],
)
def test_what_is_not_inert_is_complained_of(kind: str, spoil: Callable[[Any], None]) -> None:
    told = json.loads(rendered(kind))
    spoil(told)
    assert list(complaints(kind, json.dumps(told).encode()))


def test_mails_and_apprise_are_looked_into_too() -> None:
    assert list(complaints("email", rendered("email").replace(b"<p>", b"<b>")))
    assert list(complaints("email", rendered("email").replace(b"Date:", b"Bcc: victim@example.org\r\nDate:")))
    for message in ("@everyone", "[a](https://evil.example.org)", "\u202e", "x" * 4000):
        assert list(complaints("apprise", json.dumps({"title": "x", "message": message}).encode()))
