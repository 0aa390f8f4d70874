"""Every payload is what its vendor's documentation asks for, whatever objects are called and in every state."""

import email
import email.policy
import json
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.alerting.channel_settings import OVER_HTTP, settings_of
from tests.alerting.messages import NAMES, USUAL, hostile, summary
from tests.alerting.vendor_schemas import MOST_BYTES, SCHEMAS

from gavel.alerting.registry import CHANNELS
from gavel.alerting.render.message import Message, Picture, Status

PICTURES = {
    "none": None,
    "address": Picture(alt="Read 0.93 ms", url="https://gavel.example.org/p/x.1.y"),
    "file": Picture(alt="Read 0.93 ms", png=b"\x89PNG"),
}
RIGHT_TO_LEFT = ("\u05d0\u05d1\u200f\u061c\u2067x\u2069", "مخزن \u202bالبيانات\u202c \u200e")
BARE = replace(
    USUAL, path=(), links=(), labels={}, evidence=(), layers=(), total_us=None, quality=None, sentence="", rule_name="x"
)
VALIDATORS = {kind: Draft202012Validator(schema) for kind, schema in SCHEMAS.items()}


def payload(kind: str, message: Message, receipt: dict[str, str] | None = None) -> Any:
    body = CHANNELS[kind].render(settings_of(kind), message, receipt or {}).body
    assert len(body) <= MOST_BYTES.get(kind, CHANNELS[kind].largest)
    return json.loads(body)


def complaints(kind: str, message: Message, receipt: dict[str, str] | None = None) -> list[str]:
    told = payload(kind, message, receipt)
    return [f"{error.json_path}: {error.message[:300]}" for error in VALIDATORS[kind].iter_errors(told)]


def test_every_kind_that_speaks_json_has_its_schema() -> None:
    assert set(SCHEMAS) == set(OVER_HTTP)
    for schema in SCHEMAS.values():
        Draft202012Validator.check_schema(schema)


@pytest.mark.parametrize("kind", OVER_HTTP)
@pytest.mark.parametrize("status", list(Status))
@pytest.mark.parametrize("picture", sorted(PICTURES))
def test_usual_messages_are_what_the_vendor_takes(kind: str, status: Status, picture: str) -> None:
    for message in (USUAL, summary(), BARE):
        told = replace(message, status=status, picture=PICTURES[picture])
        assert complaints(kind, told) == []


@pytest.mark.parametrize("kind", OVER_HTTP)
@pytest.mark.parametrize("status", list(Status))
@pytest.mark.parametrize("name", [*NAMES, *RIGHT_TO_LEFT], ids=range(len(NAMES) + len(RIGHT_TO_LEFT)))
def test_whatever_objects_are_called_the_vendor_takes_it(kind: str, status: Status, name: str) -> None:
    message = replace(hostile(name, status), picture=PICTURES["address"])
    assert complaints(kind, message) == []
    assert complaints(kind, replace(summary(name), status=status)) == []


def test_a_change_is_what_the_vendor_takes() -> None:
    assert complaints("slack_bot", USUAL, {"channel": "C1", "ts": "1.2"}) == []
    assert complaints("discord", USUAL, {"message_id": "9"}) == []


@pytest.mark.parametrize("name", [*NAMES, *RIGHT_TO_LEFT], ids=range(len(NAMES) + len(RIGHT_TO_LEFT)))
def test_discord_counts_all_of_an_embed_together(name: str) -> None:
    (embed,) = payload("discord", hostile(name))["embeds"]
    texts = [
        embed["title"],
        embed["description"],
        *(text for one in embed["fields"] for text in (one["name"], one["value"])),
    ]
    assert sum(map(len, texts)) <= 6000


@pytest.mark.parametrize("name", [*NAMES, *RIGHT_TO_LEFT], ids=range(len(NAMES) + len(RIGHT_TO_LEFT)))
def test_a_mail_is_a_sound_mail(name: str) -> None:
    body = CHANNELS["email"].render(settings_of("email"), replace(hostile(name), picture=PICTURES["file"]), {}).body
    mail = email.message_from_bytes(body, policy=email.policy.SMTP)
    assert [part.defects for part in mail.walk() if part.defects] == []
    assert [header.defects for header in mail.values() if header.defects] == []
    assert all(len(line) <= 998 for line in body.split(b"\r\n"))
    assert mail["Bcc"] is None


@pytest.mark.parametrize("mark", ["\u202e", "\u2066", "\u200f", "\u061c", "\u200b", "\x00", "\x1b", "\ud800"])
@pytest.mark.parametrize("kind", sorted(CHANNELS))
def test_no_mark_that_turns_or_hides_text_gets_through(kind: str, mark: str) -> None:
    made = CHANNELS[kind].render(settings_of(kind), hostile(f"a{mark}b"), {})
    body = made.body.decode()
    # Of JSON, what a reader of JSON reads.
    seen = json.dumps(json.loads(body), ensure_ascii=False) if kind in OVER_HTTP else body
    assert f"a{mark}b" not in getattr(made, "title", "") + seen
    assert "\\u" in seen, "written out instead"


@pytest.mark.parametrize(
    ("kind", "spoil"),
    [
        ("slack_webhook", lambda told: told["blocks"][1]["text"].update(text="<!channel>")),
        ("slack_webhook", lambda told: told["blocks"][0]["text"].update(text="x" * 151)),
        ("teams", lambda told: told["attachments"][0]["content"]["body"].append({"type": "TextBlock", "text": "x"})),
        ("discord", lambda told: told["embeds"][0].update(title="x" * 257)),
        ("discord", lambda told: told["allowed_mentions"].update(parse=["everyone"])),
        ("pagerduty", lambda told: told["payload"].update(summary="x" * 1025)),
        ("alertmanager", lambda told: told[0]["labels"].update({"not a name": "x"})),
        ("mattermost", lambda told: told["attachments"][0].update(text="x" * 16_384)),
        ("webhook", lambda told: told.pop("timestamp")),
    ],
)
def test_the_schemas_refuse_what_the_vendor_refuses(kind: str, spoil: Any) -> None:
    told = payload(kind, USUAL)
    assert VALIDATORS[kind].is_valid(told)
    spoil(told)
    assert not VALIDATORS[kind].is_valid(told)
