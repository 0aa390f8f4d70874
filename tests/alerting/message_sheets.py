"""One sheet per message of a running Gavel: what each kind of channel sends of it, as a page to look at.

    .venv/bin/python -m tests.alerting.message_sheets DATA_DIR FOLDER

Reads the messages that a Gavel with a channel has planned, renders each with the ten kinds' own code, and lays what would be
sent out as HTML: every word is of the body that goes over the wire. The look is Gavel's, not the vendors'.
"""

import argparse
import email
import email.policy
import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from html import escape, unescape
from pathlib import Path
from typing import Any

from sqlalchemy import text
from tests.alerting.channel_settings import settings_of

from gavel.alerting.registry import CHANNELS
from gavel.alerting.render.message import Message, Picture, message_of
from gavel.alerting.use.pictures import load_drawing
from gavel.db.engine import Role, open_engine, reading
from gavel.embedded import postgres

_STYLE = """
body { margin: 0; padding: 24px; width: 1392px; background: #eef0f3; font: 14px/1.45 Inter, system-ui, sans-serif; color: #1c2230; }
h1 { font-size: 20px; margin: 0 0 16px; }
main { columns: 3; column-gap: 16px; }
section { break-inside: avoid; margin: 0 0 16px; padding: 12px 14px; background: #fff; border: 1px solid #d5d9e0; border-radius: 8px; }
section > h2 { margin: 0 0 8px; font-size: 12px; color: #5b6474; text-transform: uppercase; letter-spacing: .04em; }
p { margin: 0 0 6px; white-space: pre-line; } b { font-weight: 650; } img { max-width: 100%; }
pre { margin: 0; font: 11px/1.4 monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
table { border-collapse: collapse; } td { padding: 0 10px 2px 0; vertical-align: top; } ul { margin: 4px 0; padding-left: 18px; }
.bar { border-left: 4px solid; padding-left: 10px; } a { color: #1a56b0; }
"""


def _paragraph(words: str, *, is_bold: bool = False) -> str:
    """Escaped words, or nothing."""
    return f"<p>{'<b>' if is_bold else ''}{escape(unescape(words))}{'</b>' if is_bold else ''}</p>" if words else ""


def _plain_markdown(words: str) -> str:
    """Without the signs that keep names from being markup, links as what they show."""
    shown = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", words)
    return re.sub(r"\\(.)", r"\1", shown).replace("\u2060", "").replace("\u200b", "")


def _image(shown: Picture | None) -> str:
    return f'<p><img src="data:image/png;base64,{b64encode(shown.png).decode()}"></p>' if shown and shown.png else ""


def _slack(body: Mapping[str, Any]) -> Iterator[str]:
    for block in body["blocks"]:
        if "fields" in block:
            yield from (_paragraph(field["text"]) for field in block["fields"])
        elif block["type"] != "image":
            words = re.sub(r"<[^|>]+\|([^>]+)>", r"\1", block["text"]["text"])
            yield _paragraph(words, is_bold=block["type"] == "header")


def _teams(body: Mapping[str, Any]) -> Iterator[str]:
    card = body["attachments"][0]["content"]
    for part in card["body"]:
        if part["type"] == "RichTextBlock":
            is_bold = part["inlines"][0].get("weight") == "bolder"
            yield _paragraph("".join(run["text"] for run in part["inlines"]), is_bold=is_bold)
    yield _paragraph(" · ".join(action["title"] for action in card["actions"]))


def _attachment(title: str, words: str, fields: Mapping[str, str], colour: str) -> Iterator[str]:
    rows = "".join(f"<tr><td>{escape(name)}</td><td>{escape(value)}</td></tr>" for name, value in fields.items())
    yield f'<div class="bar" style="border-color:{colour}">{_paragraph(title, is_bold=True)}{_paragraph(words)}<table>{rows}</table></div>'


def _mattermost(body: Mapping[str, Any]) -> Iterator[str]:
    one = body["attachments"][0]
    fields = {_plain_markdown(field["title"]): _plain_markdown(field["value"]) for field in one["fields"]}
    yield from _attachment(_plain_markdown(one["title"]), _plain_markdown(one["text"]), fields, one["color"])


def _discord(body: Mapping[str, Any]) -> Iterator[str]:
    one = body["embeds"][0]
    fields = {_plain_markdown(field["name"]): _plain_markdown(field["value"]) for field in one["fields"]}
    words = _plain_markdown(one["description"])
    yield from _attachment(_plain_markdown(one["title"]), words, fields, f"#{one['color']:06x}")


def _json(body: Mapping[str, Any]) -> Iterator[str]:
    yield f"<pre>{escape(json.dumps(body, indent=1, ensure_ascii=False))}</pre>"


_FORMS: Mapping[str, Callable[[Mapping[str, Any]], Iterator[str]]] = {
    "slack_webhook": _slack, "slack_bot": _slack, "teams": _teams, "mattermost": _mattermost, "discord": _discord,
}  # fmt: skip


def _shown(kind: str, message: Message) -> str:
    made = CHANNELS[kind].render(settings_of(kind), message, {})
    if kind == "email":
        mail = email.message_from_bytes(made.body, policy=email.policy.default)
        page = mail.get_body(("html",))
        assert page is not None
        inner = re.sub(r"<img[^>]*>", _image(message.picture), page.get_content())
        return f"<p><b>Subject:</b> {escape(mail['Subject'])}</p>{inner}"
    if kind == "apprise":
        return _paragraph(made.title, is_bold=True) + _paragraph(_plain_markdown(made.body.decode()))
    body = json.loads(made.body)
    words = "".join(_FORMS.get(kind, _json)(body))
    return words + (_image(message.picture) if CHANNELS[kind].takes_pictures else "")


def sheet(message: Message) -> str:
    parts = "".join(
        f"<section><h2>{escape(CHANNELS[kind].title)}</h2>{_shown(kind, message)}</section>" for kind in CHANNELS
    )
    return f'<!doctype html><meta charset="utf-8"><style>{_STYLE}</style><h1>{escape(message.rule_name)}</h1><main>{parts}</main>'


def write_sheets(data_dir: Path, folder: Path) -> Iterator[Path]:
    folder.mkdir(parents=True, exist_ok=True)
    engine = open_engine(postgres.database_url(postgres.default_socket_dir(data_dir / "postgres")), Role.API)
    with reading(engine) as connection:
        rows = connection.execute(text("SELECT id, message FROM notification ORDER BY id")).all()
        for number, plain in rows:
            drawing = load_drawing(connection, plain)
            message = replace(message_of(plain), picture=drawing.draw() if drawing else None)
            file = folder / f"{number:04d}-{message.status}-{message.rule_key}.html"
            file.write_text(sheet(message))
            yield file


def main() -> None:
    parser = argparse.ArgumentParser(description="Sheets of what each kind of channel sends.")
    parser.add_argument("data_dir", type=Path, help="of a Gavel that runs and has a channel")
    parser.add_argument("folder", type=Path)
    given = parser.parse_args()
    for file in write_sheets(given.data_dir, given.folder):
        print(file)  # noqa: T201 - what it is asked for


if __name__ == "__main__":
    main()
