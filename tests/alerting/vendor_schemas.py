"""What each vendor takes, as JSON Schemas of exactly the parts that Gavel uses; unknown properties are refused."""

from typing import Any

Schema = dict[str, Any]
INSTANT = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$"}
ADDRESS = {"type": "string", "pattern": r"^https?://[^\s<>\"]+$", "maxLength": 3000}
TEXT = {"type": "string", "minLength": 1}


def exactly(required: dict[str, Any], **optional: Any) -> Schema:
    """An object with these properties and no others."""
    return {
        "type": "object",
        "properties": {**required, **optional},
        "required": sorted(required),
        "additionalProperties": False,
    }


def listed(items: Schema, most: int, least: int = 1) -> Schema:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def short(longest: int) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": longest}


# --- Slack: Block Kit -------------------------------------------------------------------------------------------------


def _plain(longest: int) -> Schema:
    # Raw `<` and `>` begin links and mentions, wherever they stand.
    text = short(longest) | {"pattern": "^[^<>]*$"}
    return exactly({"type": {"const": "plain_text"}, "text": text, "emoji": {"const": False}})


_LINKS = r"^(<https?://[^|<>\s]+\|[^<>]+>)( · <https?://[^|<>\s]+\|[^<>]+>)*$"
_MRKDWN = exactly({"type": {"const": "mrkdwn"}, "text": short(3000) | {"pattern": _LINKS}, "verbatim": {"const": True}})
_BLOCK = {
    "oneOf": [
        exactly({"type": {"const": "header"}, "text": _plain(150)}),
        exactly({"type": {"const": "section"}, "text": _plain(3000)}),
        exactly({"type": {"const": "section"}, "text": _MRKDWN}),
        exactly({"type": {"const": "section"}, "fields": listed(_plain(2000), 10)}),
        exactly({"type": {"const": "image"}, "image_url": ADDRESS, "alt_text": short(2000)}),
    ]
}
_SLACK: dict[str, Any] = {
    "text": short(4000) | {"pattern": "^[^<>]*$"},
    "blocks": listed(_BLOCK, 50),
    "unfurl_links": {"const": False},
    "unfurl_media": {"const": False},
}

# --- Microsoft Teams: Adaptive Card 1.2 in a message -------------------------------------------------------------------

_RUN = exactly(
    {"type": {"const": "TextRun"}, "text": TEXT},
    weight={"enum": ["lighter", "default", "bolder"]},
    size={"enum": ["small", "default", "medium", "large", "extraLarge"]},
    color={"enum": ["default", "dark", "light", "accent", "good", "warning", "attention"]},
    isSubtle={"type": "boolean"},
)
_ELEMENT = {
    "oneOf": [
        exactly({"type": {"const": "RichTextBlock"}, "inlines": listed(_RUN, 10)}),
        exactly({"type": {"const": "Image"}, "url": ADDRESS, "altText": TEXT}),
    ]
}
_CARD = exactly(
    {
        "type": {"const": "AdaptiveCard"},
        "version": {"enum": ["1.2", "1.3", "1.4"]},
        "body": listed(_ELEMENT, 60),
        "actions": listed(exactly({"type": {"const": "Action.OpenUrl"}, "title": TEXT, "url": ADDRESS}), 6, 0),
    },
    fallbackText=TEXT,
    msteams=exactly({"width": {"const": "Full"}}),
    **{"$schema": {"const": "http://adaptivecards.io/schemas/adaptive-card.json"}},
)
_TEAMS_ATTACHMENT = exactly(
    {
        "contentType": {"const": "application/vnd.microsoft.card.adaptive"},
        "contentUrl": {"type": "null"},
        "content": _CARD,
    }
)

# --- PagerDuty: Events API v2 -----------------------------------------------------------------------------------------

_KEYS: dict[str, Any] = {"routing_key": {"type": "string", "pattern": "^.{32}$"}, "dedup_key": short(255)}
_PAGE = exactly(
    {**_KEYS, "event_action": {"const": "trigger"},
     "payload": exactly(
         {"summary": short(1024), "source": TEXT, "severity": {"enum": ["critical", "error", "warning", "info"]}},
         timestamp=INSTANT, component={"type": "string"}, group={"type": "string"}, **{"class": {"type": "string"}},
         custom_details={"type": "object"},
     )},
    client={"type": "string"}, client_url=ADDRESS, links=listed(exactly({"href": ADDRESS}, text=TEXT), 20, 0),
    # https is a must there.
    images=listed(exactly({"src": {"type": "string", "pattern": "^https://"}}, alt={"type": "string"}), 5),
)  # fmt: skip

# --- Alertmanager: postableAlerts of its API v2 -----------------------------------------------------------------------

_LABELS = {
    "type": "object",
    "propertyNames": {"pattern": "^[a-zA-Z_][a-zA-Z0-9_]*$"},
    "additionalProperties": {"type": "string"},
}
_ALERT = exactly(
    {"labels": _LABELS | {"required": ["alertname"]}},
    annotations=_LABELS,
    startsAt=INSTANT,
    endsAt=INSTANT,
    generatorURL=ADDRESS,
)

# --- Discord: a webhook's message -------------------------------------------------------------------------------------

_EMBED = exactly(
    {"title": short(256), "description": short(4096)},
    color={"type": "integer", "minimum": 0, "maximum": 0xFFFFFF},
    fields=listed(exactly({"name": short(256), "value": short(1024)}, inline={"type": "boolean"}), 25),
    timestamp=INSTANT,
    url=ADDRESS,
    image=exactly({"url": {"type": "string", "pattern": "^(https?|attachment)://"}}),
)
_FILE = exactly({"id": {"type": "integer"}, "filename": TEXT}, description=short(1024))

# --- Mattermost, Standard Webhooks ------------------------------------------------------------------------------------

_MATTERMOST = exactly(
    {"fallback": TEXT, "title": TEXT, "text": short(16_383)},
    color={"type": "string", "pattern": "^#[0-9a-f]{6}$"},
    fields=listed(exactly({"title": TEXT, "value": {"type": "string"}}, short={"type": "boolean"}), 30),
    title_link=ADDRESS,
    image_url=ADDRESS,
)

SCHEMAS: dict[str, Schema] = {
    "slack_webhook": exactly(_SLACK),
    "slack_bot": exactly({**_SLACK, "channel": TEXT}, ts={"type": "string"}),
    "teams": exactly({"type": {"const": "message"}, "attachments": listed(_TEAMS_ATTACHMENT, 1)}),
    "pagerduty": {"oneOf": [_PAGE, exactly({**_KEYS, "event_action": {"enum": ["acknowledge", "resolve"]}})]},
    "alertmanager": listed(_ALERT, 100),
    "discord": exactly(
        {"embeds": listed(_EMBED, 10), "allowed_mentions": exactly({"parse": {"const": []}})},
        content={"type": "string", "maxLength": 2000},
        attachments=listed(_FILE, 10),
    ),
    "mattermost": exactly({"attachments": listed(_MATTERMOST, 10)}),
    "webhook": exactly(
        {
            "type": {"type": "string", "pattern": r"^[a-z_]+(\.[a-z_]+)*$"},
            "timestamp": INSTANT,
            "data": {"type": "object"},
        }
    ),
}
# Bytes of the whole, where the vendor counts them.
MOST_BYTES = {
    "slack_webhook": 13_200, "slack_bot": 13_400, "teams": 18 * 1024, "pagerduty": 512 * 1024, "webhook": 20_000,
}  # fmt: skip
