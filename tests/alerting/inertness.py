"""Whether what was sent over the wire means nothing but itself: no mention, no link or markup from a name, no hidden mark."""

import email
import email.policy
import json
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator
from tests.alerting.vendor_schemas import MOST_BYTES, SCHEMAS

from gavel.alerting.registry import CHANNELS

# Where links in messages may lead; everything else is a name's.
OURS = ("https://gavel.example.org/", "https://wiki.example.org/")
# Of marks that nobody sees Gavel itself uses two: the joiner of emoji, and the space that breaks a sigil where a service has no escape.
_ALLOWED = {"\u200d", "\n"}
_BREAKS_SIGILS = {"mattermost", "apprise"}
_UNSEEN = "\u200b"
_TAGS = r"</?(html|body|h2|p|table|tr|td|ul|li|a|img)( (style|href|src|width|alt)=\"[^\"<>]*\")*>"
# Keys whose values are addresses that somebody may click or a service fetches.
_ADDRESSES = {"url", "href", "src", "client_url", "title_link", "image_url", "generatorURL", "picture_url"}


def complaints(kind: str, body: bytes) -> Iterator[str]:
    """What is wrong with one body as it was received; nothing of a good one."""
    if (size := _size(kind, body)) > MOST_BYTES.get(kind, CHANNELS[kind].largest):
        yield f"{size} bytes are too many"
    if kind == "email":
        yield from _of_mail(body)
    elif kind == "apprise":
        told = json.loads(body)
        yield from _hidden(kind, told)
        yield from _loud(f"{told['title']}\n{told['message']}", r"@\w|<[!@#]|\[\w+\]\(|<\w|www\.\w")
    else:
        told = json.loads(_without_file(body))
        yield from (error.message[:200] for error in Draft202012Validator(SCHEMAS[kind]).iter_errors(told))
        yield from _hidden(kind, told)
        yield from (
            f"{key} leads to {url}" for key, url in _addresses(told) if not url.startswith((*OURS, "attachment:"))
        )
        yield from _of_kind(kind, told)


def _size(kind: str, body: bytes) -> int:
    """Bytes of what a vendor limits: pictures that go along as files are counted apart."""
    if kind == "apprise":
        return len(json.loads(body)["message"].encode())
    if kind == "email":
        mail = email.message_from_bytes(body)
        return sum(len(part.as_bytes()) for part in mail.walk() if part.get_content_maintype() == "text")
    return len(_without_file(body))


def _of_kind(kind: str, told: Any) -> Iterator[str]:
    """What its schema cannot say."""
    if kind.startswith("slack"):
        plain = [text["text"] for text in _objects(told) if text.get("type") == "plain_text"]
        yield from _loud("\n".join([told["text"], *plain]), r"[<>]")
    elif kind == "mattermost":
        (attachment,) = told["attachments"]
        texts = [attachment["fallback"], attachment["title"], *attachment["text"].split("\n")[:1]]
        texts += [one["value"] for one in attachment["fields"]]
        yield from _loud("\n".join(texts), r"@\w|:[\w/]|(?<!\\)[`*_\[\]<>#|~!]|www\.\w")
    elif kind == "discord":
        (embed,) = told["embeds"]
        texts = [embed["title"], embed["description"].split("\n")[0], *(one["value"] for one in embed["fields"])]
        yield from _loud("\n".join(texts), r"(?<!\\)[`*_\[\]<>#|~:@]")
        if told["allowed_mentions"] != {"parse": []}:
            yield "mentions are allowed"
    elif kind == "alertmanager":
        values = [value for alert in told for value in alert["labels"].values()]
        yield from (f"a label has a line break: {value[:40]!r}" for value in values if "\n" in value or "\r" in value)


def _of_mail(body: bytes) -> Iterator[str]:
    mail = email.message_from_bytes(body, policy=email.policy.default)
    yield from (f"header {name}" for name in mail if name.lower() in ("bcc", "cc", "reply-to", "sender"))
    yield from (f"defects {part.defects}" for part in mail.walk() if part.defects)
    yield from (f"a line of {len(line)}" for line in body.split(b"\r\n") if len(line) > 998)
    plain, html = mail.get_body(("plain",)), mail.get_body(("html",))
    assert plain is not None
    assert html is not None
    yield from _hidden("email", [plain.get_content().replace("\r\n", "\n"), mail["Subject"]])
    yield from _loud(re.sub(_TAGS, "", html.get_content()), r"[<>]")
    for url in re.findall(r"(?:href|src)=\"([^\"]*)\"", html.get_content()):
        if not url.startswith((*OURS, "cid:")):
            yield f"a link leads to {url}"


def _loud(text: str, pattern: str) -> Iterator[str]:
    """What in a text would be more than text; escaped backslashes escape nothing."""
    if found := re.search(pattern, text.replace("\\\\", "")):
        yield f"{found[0]!r} in {text[max(0, found.start() - 30) : found.end() + 30]!r}"


def _hidden(kind: str, told: Any) -> Iterator[str]:
    allowed = _ALLOWED | ({_UNSEEN} if kind in _BREAKS_SIGILS else set())
    for text in _strings(told):
        marks = {one for one in text if unicodedata.category(one).startswith("C") and one not in allowed}
        if marks:
            yield f"hidden marks {sorted(map(ascii, marks))}"


def _without_file(body: bytes) -> bytes:
    """Of a form with a file its JSON."""
    if not body.startswith(b"--"):
        return body
    part = body.split(body.partition(b"\r\n")[0])[1]
    return part.partition(b"\r\n\r\n")[2]


def _addresses(value: Any) -> Iterator[tuple[str, str]]:
    for one in _objects(value):
        yield from ((key, url) for key, url in one.items() if key in _ADDRESSES and isinstance(url, str))


def _objects(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _objects(one)


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _strings(one)
