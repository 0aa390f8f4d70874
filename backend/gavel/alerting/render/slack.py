"""A message as Slack's Block Kit: plain text wherever a name may stand, so that nothing in it is a mention, a link or an emoji."""

from gavel.alerting.render.message import Json, Message, clipped, evidence_lines, facts, fitting, headline, json_bytes

# Slack refuses about 13,200 characters of blocks with `msg_blocks_too_long`.
LARGEST = 12_000
_HEADER, _SECTION, _FIELD, _FIELDS, _ALT = 150, 3000, 2000, 10, 2000


def slack_form(message: Message) -> Json:
    """`blocks`, and the `text` that notifications show instead of them. A coloured attachment would show the text too, with its markup."""
    return fitting(message, _built, lambda form: len(json_bytes(form)), LARGEST)


def _built(message: Message) -> Json:
    blocks: list[Json] = [
        {"type": "header", "text": _plain(headline(message), _HEADER)},
        {"type": "section", "text": _plain("\n".join(message.paragraphs), _SECTION)},
        {
            "type": "section",
            "fields": [_plain(f"{title}: {text}", _FIELD) for title, text in facts(message)][:_FIELDS],
        },
    ]
    if lines := evidence_lines(message):
        blocks.append({"type": "section", "text": _plain("\n".join(f"• {line}" for line in lines), _SECTION)})
    if message.picture and message.picture.url:
        blocks.append(
            {"type": "image", "image_url": message.picture.url, "alt_text": clipped(message.picture.alt, _ALT)}
        )
    if message.links:
        links = " · ".join(f"<{_url(link.url)}|{_escaped(link.label)}>" for link in message.links)
        blocks.append({"type": "section", "text": {"type": "mrkdwn", "text": links, "verbatim": True}})
    return {
        "text": _escaped(clipped(f"{headline(message)}: {message.in_one_line}", _SECTION // 2)),
        "blocks": blocks,
        "unfurl_links": False,
        "unfurl_media": False,
    }


def _plain(text: str, longest: int) -> Json:
    # `&`, `<` and `>` are escaped in every text object, and escaping makes it longer.
    cut = clipped(text, longest)
    while len(_escaped(cut)) > longest:
        cut = clipped(cut, len(cut) - max(1, (len(_escaped(cut)) - longest) // 4))
    return {"type": "plain_text", "text": _escaped(cut), "emoji": False}


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _url(url: str) -> str:
    return _escaped(url).replace("|", "%7C")
