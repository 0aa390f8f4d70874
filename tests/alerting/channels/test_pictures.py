"""The picture goes with the message in each vendor's own way, and what becomes of it never harms the message."""

import email
import email.policy
import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.alerting.channel_settings import ANSWERS, SETTINGS, WAY, delivered, settings_of
from tests.alerting.messages import NAMES, USUAL
from tests.alerting.receivers import HttpReceiver, Says, http_receiver, smtp_receiver
from tests.alerting.waterfalls import CONFIRMED, HEADING

from gavel.alerting.channels.email import EMAIL
from gavel.alerting.contract import logged
from gavel.alerting.registry import CHANNELS
from gavel.alerting.render.message import Picture, Status
from gavel.alerting.render.picture import waterfall_picture
from gavel.alerting.render.picture_link import LASTS, LinkError, opened, signed
from gavel.alerting.transport.outcome import Result

DRAWN = waterfall_picture(HEADING, CONFIRMED)
PNG = DRAWN.png or b""
URL = "https://gavel.example.org/pictures/evt_1.1.abc"
AS_FILE = replace(USUAL, picture=DRAWN)
BY_URL = replace(USUAL, picture=Picture(alt=DRAWN.alt, url=URL))
FILE_KINDS = sorted(kind for kind, made in CHANNELS.items() if made.takes_pictures)
KEY = b"k" * 32
AT = datetime(2026, 11, 21, tzinfo=UTC)


@pytest.fixture
def receiver() -> Iterator[HttpReceiver]:
    with http_receiver() as one:
        yield one


def slack_answers(receiver: HttpReceiver) -> list[Says]:
    place = {"ok": True, "upload_url": f"{receiver.url}/upload/v1/abc", "file_id": "F1"}
    return [ANSWERS["slack_bot"], Says(body=json.dumps(place).encode()), Says(), Says(body=b'{"ok":true,"files":[]}')]


def test_files_go_with_the_kinds_that_take_them() -> None:
    assert {"apprise", "discord", "email", "slack_bot"} == set(FILE_KINDS)


def test_slack_gets_the_file_into_the_thread_of_its_message(receiver: HttpReceiver) -> None:
    receiver.answers = slack_answers(receiver)
    outcome = delivered("slack_bot", receiver, AS_FILE)
    assert outcome.result is Result.DELIVERED
    assert outcome.detail.endswith("with its picture")
    assert dict(outcome.receipt) == {"channel": "C0123456789", "ts": "1732.001"}
    message, asked, put, done = receiver.received
    assert message.path == "/api/chat.postMessage"
    assert asked.path == "/api/files.getUploadURLExternal"
    assert asked.headers["content-type"] == "application/x-www-form-urlencoded"
    form = parse_qs(asked.body.decode())
    assert (form["filename"], form["length"]) == (["waterfall.png"], [str(len(PNG))])
    assert form["alt_txt"] == [DRAWN.alt]
    assert (put.path, put.body) == ("/upload/v1/abc", PNG)
    assert "authorization" not in put.headers, "the address is the permission"
    shared = json.loads(done.body)
    assert (shared["channel_id"], shared["thread_ts"]) == ("C0123456789", "1732.001")
    assert shared["files"][0]["id"] == "F1"


def test_slack_changes_a_message_without_another_picture(receiver: HttpReceiver) -> None:
    receiver.answers = [ANSWERS["slack_bot"]]
    delivered("slack_bot", receiver, AS_FILE, {"channel": "C0123456789", "ts": "1.2"})
    assert [one.path for one in receiver.received] == ["/api/chat.update"]


@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize(
    "failure",
    [Says(500), Says(200, b'{"ok":false,"error":"missing_scope"}'), Says(302, headers={"Location": "http://169.254.169.254/"}),
     Says(200, b'{"ok":true,"upload_url":"http://169.254.169.254/x","file_id":"F1"}')],
    ids=["500", "scope", "redirect", "metadata"],
)  # fmt: skip
def test_a_picture_that_fails_does_not_send_the_message_again(step: int, failure: Says, receiver: HttpReceiver) -> None:
    answers = slack_answers(receiver)
    answers[step] = failure
    receiver.answers = answers
    outcome = delivered("slack_bot", receiver, AS_FILE)
    assert outcome.result is Result.DELIVERED
    assert [one.path for one in receiver.received].count("/api/chat.postMessage") == 1
    # An upload and a shared file answer 200 to say yes; what else they say is not known to matter.
    is_yes = failure.status == 200 and (step == 2 or (step == 3 and b"true" in failure.body))
    assert ("with its picture" in outcome.detail) is is_yes, outcome.detail
    assert "xoxb" not in outcome.detail


def parts_of(content_type: str, body: bytes) -> list[EmailMessage]:
    parsed = email.message_from_bytes(
        f"Content-Type: {content_type}\r\n\r\n".encode() + body, policy=email.policy.HTTP, _class=EmailMessage
    )
    return [part for part in parsed.iter_parts() if isinstance(part, EmailMessage)]


@pytest.mark.parametrize("receipt", [{}, {"message_id": "9"}])
def test_discord_gets_a_form_whose_embed_shows_the_file(receipt: dict[str, str], receiver: HttpReceiver) -> None:
    receiver.answers = [ANSWERS["discord"]]
    assert delivered("discord", receiver, AS_FILE, receipt).result is Result.DELIVERED
    (arrived,) = receiver.received
    assert arrived.method == ("PATCH" if receipt else "POST")
    payload, file = parts_of(arrived.headers["content-type"], arrived.body)
    assert payload.get_param("name", header="content-disposition") == "payload_json"
    told = json.loads(payload.get_payload(decode=True))  # type: ignore[arg-type]
    assert told["embeds"][0]["image"] == {"url": "attachment://waterfall.png"}
    assert told["attachments"] == [{"id": 0, "filename": "waterfall.png", "description": DRAWN.alt}]
    assert (file.get_param("name", header="content-disposition"), file.get_filename()) == ("files[0]", "waterfall.png")
    assert file.get_content_type() == "image/png"
    assert file.get_payload(decode=True) == PNG


def test_a_mail_shows_the_picture_that_it_carries() -> None:
    with smtp_receiver() as mailbox:
        settings = EMAIL.settings.model_validate(SETTINGS["email"](f":{mailbox.port}"))
        made = EMAIL.render(settings, AS_FILE, {})
        assert made == EMAIL.render(settings, AS_FILE, {}), "the same bytes whenever it is rendered"
        assert len(made.body) < EMAIL.largest + 2 * len(PNG)
        assert EMAIL.deliver(settings, made, WAY).result is Result.DELIVERED
        (arrived,) = mailbox.mails
    mail = email.message_from_bytes(arrived, policy=email.policy.default)
    assert [part.get_content_type() for part in mail.walk()] == [
        "multipart/alternative", "text/plain", "multipart/related", "text/html", "image/png",
    ]  # fmt: skip
    page, image = list(mail.walk())[3:]
    assert image["Content-ID"] == "<waterfall@gavel.invalid>"
    assert 'src="cid:waterfall@gavel.invalid"' in page.get_payload(decode=True).decode()  # type: ignore[union-attr]
    assert image.get_payload(decode=True) == PNG
    assert all(len(line) <= 998 for line in arrived.splitlines())


@pytest.mark.parametrize("kind", sorted(set(CHANNELS) - set(FILE_KINDS)))
def test_the_others_show_it_by_its_address_or_not_at_all(kind: str) -> None:
    settings = settings_of(kind)
    assert URL in CHANNELS[kind].render(settings, BY_URL, {}).body.decode()
    for message in (USUAL, AS_FILE):
        body = CHANNELS[kind].render(settings, message, {}).body
        assert b"image_url" not in body
        assert b"/pictures/" not in body
        assert b"\x89PNG" not in body
    far = replace(USUAL, picture=Picture(alt="x", url="https://gavel.example.org/" + "a" * 5000))
    assert "a" * 2000 not in CHANNELS[kind].render(settings, far, {}).body.decode()


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
@pytest.mark.parametrize("kind", sorted(CHANNELS))
def test_any_description_stays_within_the_limit(kind: str, name: str) -> None:
    message = replace(USUAL, picture=Picture(alt=name, png=b"png", url=URL), status=Status.FIRING)
    assert len(CHANNELS[kind].render(settings_of(kind), message, {}).body) <= CHANNELS[kind].largest + 6


def test_slack_that_cannot_fetch_the_picture_gets_the_message_without_it(receiver: HttpReceiver) -> None:
    receiver.answers = [Says(400, b"invalid_blocks"), Says()]
    outcome = delivered("slack_webhook", receiver, BY_URL)
    assert outcome.result is Result.DELIVERED
    assert "without the picture" in outcome.detail
    with_picture, without = (json.loads(one.body) for one in receiver.received)
    assert [block for block in with_picture["blocks"] if block["type"] != "image"] == without["blocks"]
    receiver.received.clear()
    receiver.answers = [Says(400)]
    assert delivered("slack_webhook", receiver, USUAL).result is Result.REFUSED
    assert len(receiver.received) == 1


@pytest.mark.parametrize("kind", sorted(CHANNELS))
def test_the_log_names_the_picture_and_keeps_no_bytes_of_it(kind: str) -> None:
    settings = settings_of(kind)
    kept = logged(settings, CHANNELS[kind].render(settings, AS_FILE, {}))
    assert "secret" not in kept
    assert "0.44" in kept
    assert len(kept) < 10_000
    assert (f"with a picture of {len(PNG)} bytes" in kept) is (kind in FILE_KINDS)


# --- addresses of pictures --------------------------------------------------------------------------------------------


@given(
    st.from_regex(r"[A-Za-z0-9_-]{1,128}", fullmatch=True), st.binary(min_size=16, max_size=64), st.integers(1, 10**8)
)
def test_an_address_opens_its_picture_until_it_is_over(name: str, key: bytes, seconds: int) -> None:
    end = AT + timedelta(seconds=seconds)
    token = signed(key, name, end)
    assert opened(key, token, end - timedelta(seconds=1)) == name
    with pytest.raises(LinkError):
        opened(key, token, end)
    with pytest.raises(LinkError):
        opened(key + b"x", token, AT)


@given(st.data())
def test_whoever_changes_an_address_gets_nothing(data: st.DataObject) -> None:
    token = signed(KEY, "evt_000123_2", AT + LASTS)
    place = data.draw(st.integers(0, len(token) - 1))
    other = data.draw(st.characters().filter(lambda one: one != token[place]))
    with pytest.raises(LinkError):
        opened(KEY, token[:place] + other + token[place + 1 :], AT)
    with pytest.raises(LinkError):
        opened(KEY, data.draw(st.text()), AT)


def test_an_address_cannot_be_prolonged_or_given_another_name() -> None:
    name, end, signature = signed(KEY, "a", AT + LASTS).split(".")
    later = str(int(end) + 1)
    ends = (f"{later}.{signature}", f"{end}.", f"{end}.{signature}=", f"{end}.{signature}\n")
    for token in (f"b.{end}.{signature}", *(f"{name}.{rest}" for rest in ends)):
        with pytest.raises(LinkError):
            opened(KEY, token, AT)
    for bad in ("", "a/b", "../x", "a.b", "ä", "x" * 129):
        with pytest.raises(ValueError, match="no name"):
            signed(KEY, bad, AT)
