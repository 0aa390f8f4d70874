"""Every kind of channel: delivers what it renders, within its vendor's limits, with inert names, and reads its vendor's answers."""

import base64
import email
import email.policy
import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from tests.alerting.channel_settings import ANSWERS, OVER_HTTP, SECRETS, SETTINGS, WAY, delivered, settings_of
from tests.alerting.messages import NAMES, USUAL, hostile, summary
from tests.alerting.receivers import HttpReceiver, Says, SmtpReceiver, http_receiver, smtp_receiver
from tests.collectors.tls import Identity, make_identity

from gavel.alerting.channels import discord, mattermost
from gavel.alerting.channels.email import EMAIL
from gavel.alerting.channels.webhook import WEBHOOK
from gavel.alerting.contract import logged
from gavel.alerting.registry import CHANNELS
from gavel.alerting.render.message import Message, Status, milliseconds, visible
from gavel.alerting.transport.outcome import Outcome, Result
from gavel.alerting.transport.wire import Transport
from gavel.egress.tls import TlsTrust

KINDS = pytest.mark.parametrize("kind", sorted(CHANNELS))
HTTP_KINDS = pytest.mark.parametrize("kind", OVER_HTTP)


def rendered(kind: str, message: Message, receipt: dict[str, str] | None = None) -> Any:
    return CHANNELS[kind].render(settings_of(kind), message, receipt or {})


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with http_receiver() as one:
        yield one


@pytest.fixture
def mailbox() -> Iterator[SmtpReceiver]:
    with smtp_receiver() as one:
        yield one


def strings(value: Any) -> Iterator[str]:
    """Every text in a JSON value, keys left out."""
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(one)


# --- what every kind has to do ----------------------------------------------------------------------------------------


def test_every_kind_is_tried_here() -> None:
    assert set(SETTINGS) == set(CHANNELS)


@HTTP_KINDS
def test_what_is_rendered_arrives_as_it_is(kind: str, receiver: HttpReceiver) -> None:
    receiver.answers = [ANSWERS.get(kind, Says())]
    outcome = delivered(kind, receiver)
    assert outcome.result is Result.DELIVERED, outcome.detail
    (arrived,) = receiver.received
    assert arrived.body == rendered(kind, USUAL).body
    assert arrived.headers["content-type"] == "application/json; charset=utf-8"
    text = json.dumps(json.loads(arrived.body), ensure_ascii=False)
    for said in ("esx-14", "0.44", "kernel" if kind == "webhook" else "Kernel"):
        assert said in text.replace("\\", "").replace("\u200b", "")


@KINDS
@pytest.mark.parametrize("status", list(Status))
@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_any_name_stays_within_the_limit(kind: str, status: Status, name: str) -> None:
    made = rendered(kind, hostile(name, status))
    assert 0 < len(made.body) <= CHANNELS[kind].largest
    if kind in OVER_HTTP:
        json.loads(made.body)


@KINDS
def test_rendering_is_pure_and_knows_summaries(kind: str) -> None:
    made = rendered(kind, summary())
    assert made == rendered(kind, summary())
    assert "37 objects" in getattr(made, "title", "") + made.body.decode()


@HTTP_KINDS
@pytest.mark.parametrize(
    ("says", "result"),
    [(Says(500), Result.RETRY), (Says(429, headers={"Retry-After": "3"}), Result.RETRY), (Says(410), Result.GONE),
     (Says(302, headers={"Location": "http://169.254.169.254/"}), Result.REFUSED), (Says(404), Result.REFUSED)],
)  # fmt: skip
def test_failures_mean_the_same_everywhere_and_show_no_secret(
    kind: str, says: Says, result: Result, receiver: HttpReceiver
) -> None:
    receiver.answers = [replace(says, body=b"the receiver's own words")]
    outcome = delivered(kind, receiver)
    assert outcome.result is result
    assert "secret" not in outcome.detail
    assert "own words" not in outcome.detail
    assert len(receiver.received) == 1


@KINDS
def test_settings_hide_their_secrets_and_describe_their_form(kind: str) -> None:
    assert "secret" not in repr(settings_of(kind)).replace("secrets=", "")
    schema = CHANNELS[kind].settings.model_json_schema()
    assert schema["title"] == CHANNELS[kind].title
    assert all("title" in one for one in schema["properties"].values())


@HTTP_KINDS
def test_requests_hide_their_secrets(kind: str) -> None:
    shown = repr(rendered(kind, USUAL))
    assert "secret" not in shown or kind == "pagerduty"


@HTTP_KINDS
def test_what_is_logged_of_a_request_has_no_secret_in_it(kind: str) -> None:
    made, settings = rendered(kind, USUAL), settings_of(kind)
    assert "secret" not in logged(settings, made)
    assert "https://127.0.0.1:9" in logged(settings, made)
    assert "webhook-signature" not in logged(settings, made)


@pytest.mark.parametrize("kind", ["slack_webhook", "teams", "mattermost", "discord"])
def test_an_unusable_address_is_refused_without_being_repeated(kind: str) -> None:
    with pytest.raises(ValidationError, match="start with https") as caught:
        CHANNELS[kind].settings.model_validate({"webhook_url": "file:///secret"})
    assert "/secret" not in str(caught.value.errors(include_input=False))


# --- names are inert --------------------------------------------------------------------------------------------------

names = pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))


@names
@pytest.mark.parametrize("kind", ["slack_webhook", "slack_bot"])
def test_slack_shows_names_as_plain_text(kind: str, name: str) -> None:
    body = json.loads(rendered(kind, hostile(name)).body)
    assert not re.search(r"[<>]|&(?!(amp|lt|gt);)", body["text"])
    assert "attachments" not in body
    blocks = body["blocks"]
    texts = [text for block in blocks for text in (block.get("fields") or [block["text"]])]
    plain = [text for text in texts if text["type"] == "plain_text"]
    for text in plain:
        assert text["emoji"] is False
        assert not re.search(r"[<>]|&(?!(amp|lt|gt);)", text["text"])
        assert len(text["text"]) <= 3000
    assert len(blocks[0]["text"]["text"]) <= 150
    (links,) = [text for text in texts if text["type"] == "mrkdwn"]
    assert all(
        link.startswith(("https://gavel.", "https://wiki.")) for link in re.findall(r"<([^|>]*)\|", links["text"])
    )
    assert not re.search(r"<[!@#]", links["text"])
    assert len(blocks) <= 50


@names
def test_teams_shows_names_in_text_runs_only(name: str) -> None:
    envelope = json.loads(rendered("teams", hostile(name)).body)
    assert envelope["type"] == "message"
    (attachment,) = envelope["attachments"]
    assert attachment["contentType"] == "application/vnd.microsoft.card.adaptive"
    card = attachment["content"]
    assert card["version"] == "1.2"
    assert {element["type"] for element in card["body"]} == {"RichTextBlock"}
    assert {run["type"] for element in card["body"] for run in element["inlines"]} == {"TextRun"}
    assert "entities" not in card["msteams"]


@names
def test_mattermost_names_mean_nothing(name: str) -> None:
    (attachment,) = json.loads(rendered("mattermost", hostile(name)).body)["attachments"]
    sentence = attachment["text"].partition("\n")[0]
    for text in (attachment["fallback"], attachment["title"], sentence, *strings(attachment["fields"])):
        assert not re.search(r"@[\w]|:[\w/]|(?<!\\)[`*_\[\]<>#|~!]|www\.\w", re.sub(r"\\\\", "", text))
    assert len(attachment["text"]) <= 16_383
    assert mattermost.inert("a_b").replace("\\", "") == "a_b"


@names
def test_discord_names_mean_nothing_and_every_limit_is_kept(name: str) -> None:
    body = json.loads(rendered("discord", hostile(name)).body)
    assert body["allowed_mentions"] == {"parse": []}
    (embed,) = body["embeds"]
    title, lines, fields = embed["title"], embed["description"].split("\n"), embed["fields"]
    for text in (title, lines[0], *strings(fields)):
        assert not re.search(r"(?<!\\)[`*_\[\]<>#|~:@]", re.sub(r"\\\\", "", text))
    assert len(title) <= 256
    assert len(embed["description"]) <= 4096
    assert len(fields) <= 25
    assert all(len(one["name"]) <= 256 and 0 < len(one["value"]) <= 1024 for one in fields)
    assert len(title) + len(embed["description"]) + sum(len(one["name"]) + len(one["value"]) for one in fields) <= 6000
    assert discord.inert("a_b").replace("\\", "") == "a_b"


@names
def test_pagerduty_limits_are_kept(name: str) -> None:
    event = json.loads(rendered("pagerduty", hostile(name)).body)
    assert len(event["payload"]["summary"]) <= 1024
    assert len(event["dedup_key"]) <= 255
    assert event["payload"]["severity"] in {"critical", "error", "warning", "info"}


@names
def test_a_mail_keeps_its_headers_and_its_html_to_itself(name: str) -> None:
    mail = email.message_from_bytes(rendered("email", hostile(name)).body, policy=email.policy.default)
    assert set(mail.keys()) <= {
        "From", "To", "Subject", "Date", "Message-ID", "In-Reply-To", "References", "Auto-Submitted", "X-Priority", "MIME-Version",
        "Content-Type",
    }  # fmt: skip
    html = mail.get_body(("html",))
    assert html is not None
    allowed = r"</?(html|body|h2|p|table|tr|td|ul|li|a)( (style|href)=\"[^\"<>]*\")?>"
    assert not re.search(r"[<>]", re.sub(allowed, "", html.get_content()))


def test_usual_names_look_usual_without_their_escapes() -> None:
    assert mattermost.inert("ds-prod-07 (fa-1)") == discord.inert("ds-prod-07 (fa-1)") == "ds-prod-07 (fa-1)"
    assert mattermost.inert("- one") == discord.inert("- one") == "\\- one"
    assert discord.inert("www.x") == "www\\.x"


def test_what_cannot_be_seen_is_written_out() -> None:
    assert visible("a\u202eb\u200bc\nd\x00e\ud800") == "a\\u202eb\\u200bc d\\u0000e\\ud800"
    assert visible("Größe 🔥 👩‍👩‍👧 日本") == "Größe 🔥 👩‍👩‍👧 日本"


# --- what one vendor has of its own -----------------------------------------------------------------------------------


def test_a_slack_bot_changes_its_own_message(receiver: HttpReceiver) -> None:
    receiver.answers = [ANSWERS["slack_bot"]]
    first = delivered("slack_bot", receiver)
    assert first.receipt == {"channel": "C0123456789", "ts": "1732.001"}
    delivered("slack_bot", receiver, hostile("x", Status.RESOLVED), dict(first.receipt))
    assert [one.path for one in receiver.received] == ["/api/chat.postMessage", "/api/chat.update"]
    assert json.loads(receiver.received[1].body)["ts"] == "1732.001"
    assert receiver.received[0].headers["authorization"] == "Bearer xoxb-secret-token"


@pytest.mark.parametrize(
    ("body", "result", "said"),
    [(b'{"ok":false,"error":"invalid_auth"}', Result.REFUSED, "invalid_auth"),
     (b'{"ok":false,"error":"ratelimited"}', Result.RETRY, "ratelimited"),
     (b'{"ok":false,"error":"<b>secret</b>"}', Result.REFUSED, "an error"),
     (b"<html>login</html>", Result.REFUSED, "an error")],
)  # fmt: skip
def test_slack_says_200_and_means_no(body: bytes, result: Result, said: str, receiver: HttpReceiver) -> None:
    receiver.answers = [Says(body=body)]
    outcome = delivered("slack_bot", receiver)
    assert outcome.result is result
    assert said in outcome.detail


def test_teams_hides_its_429_in_a_200(receiver: HttpReceiver) -> None:
    receiver.answers = [
        Says(body=b"Webhook message delivery failed with error: Microsoft Teams endpoint returned HTTP error 429")
    ]
    assert delivered("teams", receiver).result is Result.RETRY


def test_discord_changes_its_own_message(receiver: HttpReceiver) -> None:
    receiver.answers = [ANSWERS["discord"]]
    first = delivered("discord", receiver)
    delivered("discord", receiver, USUAL, dict(first.receipt))
    assert [(one.method, one.path) for one in receiver.received] == [
        ("POST", "/api/webhooks/1/secret?wait=true"),
        ("PATCH", "/api/webhooks/1/secret/messages/9"),
    ]


def test_pagerduty_resolves_what_it_has_triggered() -> None:
    fired = json.loads(rendered("pagerduty", USUAL).body)
    over = json.loads(rendered("pagerduty", hostile("x", Status.RESOLVED)).body)
    assert (fired["event_action"], over["event_action"]) == ("trigger", "resolve")
    assert fired["dedup_key"] == over["dedup_key"]


def test_alertmanager_knows_the_alert_again_when_it_is_over() -> None:
    (fired,) = json.loads(rendered("alertmanager", USUAL).body)
    (over,) = json.loads(rendered("alertmanager", replace(USUAL, status=Status.RESOLVED, ended_at=USUAL.sent_at)).body)
    assert fired["labels"] == over["labels"]
    assert fired["endsAt"] > over["endsAt"] > fired["startsAt"]


def test_alertmanager_knows_a_summary_again_whoever_of_it_has_news() -> None:
    every = replace(summary(), is_joint=True, dedupe_key="group")
    lost = replace(
        every, status=Status.NO_DATA, path=("other",), labels={"datastore": "other"}, object_count=1, rule_key="x"
    )
    labels = [json.loads(rendered("alertmanager", one).body)[0]["labels"] for one in (every, lost)]
    assert labels[0] == labels[1]


def test_alertmanager_knows_an_alert_again_however_long_its_names_are() -> None:
    """What else a message says may need so much room that texts are cut shorter."""
    name = "🔥" * 10_000
    same = {"path": (name,) * 8, "labels": {f"label_{number}": name for number in range(8)}, "rule_key": USUAL.rule_key}
    messages = [replace(one, **same) for one in (USUAL, hostile(name, Status.RESOLVED))]  # type: ignore[arg-type]
    labels = [json.loads(rendered("alertmanager", one).body)[0]["labels"] for one in messages]
    assert labels[0] == labels[1]


def test_a_webhook_is_signed_with_every_secret_and_keeps_its_id(receiver: HttpReceiver) -> None:
    delivered("webhook", receiver)
    delivered("webhook", receiver)
    assert {one.headers["webhook-id"] for one in receiver.received} == {USUAL.event_id}
    for one in receiver.received:
        content = f"{one.headers['webhook-id']}.{one.headers['webhook-timestamp']}.".encode() + one.body
        expected = [
            "v1," + base64.b64encode(hmac.new(base64.b64decode(secret[6:]), content, hashlib.sha256).digest()).decode()
            for secret in SECRETS
        ]
        assert one.headers["webhook-signature"].split(" ") == expected
    assert json.loads(receiver.received[0].body)["type"] == "alert.firing"


@pytest.mark.parametrize("secret", ["", "abc", "whsec_", "whsec_" + base64.b64encode(b"short").decode(), "whsec_%%%"])
def test_a_weak_signing_secret_is_refused(secret: str) -> None:
    with pytest.raises(ValidationError, match="24 to 64 bytes"):
        WEBHOOK.settings.model_validate({"url": "https://example.org", "secrets": [secret]})


def mailed(mailbox: SmtpReceiver, **changes: object) -> Outcome:
    settings = EMAIL.settings.model_validate(SETTINGS["email"](f":{mailbox.port}") | changes)
    return EMAIL.deliver(settings, EMAIL.render(settings, USUAL, {}), WAY)


def test_a_mail_arrives_in_the_thread_of_its_incident(mailbox: SmtpReceiver) -> None:
    assert mailed(mailbox).result is Result.DELIVERED
    assert mailbox.recipients == ["noc@example.org", "san@example.org"]
    assert "AUTH" in mailbox.commands
    mail = email.message_from_bytes(mailbox.mails[0], policy=email.policy.default)
    assert mail["References"] == f"<{USUAL.incident_id}@gavel.invalid>"
    assert mail["Subject"] == "CRITICAL · Kernel latency: ds-prod-07"
    body = mail.get_body(("plain",))
    assert body is not None
    assert "0.44 ms (0.42–0.45 ms)" in body.get_content()


@pytest.mark.parametrize(
    ("verb", "answer", "result"),
    [("RCPT", b"550 nobody", Result.REFUSED), ("RCPT", b"451 greylisted", Result.RETRY), ("AUTH", b"535 secret words", Result.REFUSED),
     ("DATA", b"452 full", Result.RETRY), ("MAIL", b"421 busy", Result.RETRY)],
)  # fmt: skip
def test_a_mail_server_says_whether_waiting_helps(
    verb: str, answer: bytes, result: Result, mailbox: SmtpReceiver
) -> None:
    mailbox.refuse = {verb: answer}
    outcome = mailed(mailbox)
    assert outcome.result is result, outcome.detail
    assert "secret" not in outcome.detail


def test_starttls_comes_before_the_password_or_nothing_does(tmp_path: Path) -> None:
    identity: Identity = make_identity(tmp_path)
    with smtp_receiver(identity) as box:
        assert mailed(box, security="starttls", ca_pem=identity.pem).result is Result.DELIVERED
        assert box.commands.index("STARTTLS") < box.commands.index("AUTH")
        box.commands.clear()
        stranger = mailed(box, security="starttls")
        assert "certificate is not trusted" in stranger.detail
        assert "AUTH" not in box.commands
    with smtp_receiver() as plain:
        assert mailed(plain, security="starttls").result is Result.REFUSED
        assert "AUTH" not in plain.commands


def test_a_mail_server_out_of_reach_is_not_connected_to(mailbox: SmtpReceiver) -> None:
    settings = EMAIL.settings.model_validate(SETTINGS["email"](f":{mailbox.port}"))
    outcome = EMAIL.deliver(settings, EMAIL.render(settings, USUAL, {}), Transport(trust=TlsTrust()))
    assert (outcome.result, mailbox.commands) == (Result.REFUSED, [])


@pytest.mark.parametrize(
    ("us", "text"), [(0, "0.00 ms"), (0.4, "<0.01 ms"), (4.99, "<0.01 ms"), (5, "0.01 ms"), (438, "0.44 ms")]
)
def test_a_positive_time_never_reads_as_none(us: float, text: str) -> None:
    assert milliseconds(us) == text
