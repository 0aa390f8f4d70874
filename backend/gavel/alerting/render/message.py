"""What a message says, before any channel has put it in its own form: the diagnosis first, then what it rests on."""

import json
import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any, TypeVar

from gavel.alerting.rules.model import AlertSeverity
from gavel.domain.io_path import Confidence, Quality, Severity

MOST_EVIDENCE = 3
MOST_OBJECTS = 10
_MOST_LABELS = 12
_MOST_PARAGRAPHS = 4
_MOST_LINKS = 5
_LONGEST_URL = 1000
# Longest text, tried in this order until a message fits its channel.
_LENGTHS = (600, 300, 150, 80, 40, 20)
# vSphere and FlashArrays give no longer names; of longer ones a sentence shows so much, so that its numbers are not what is cut off.
_NAME_IN_SENTENCE = 80
# With room for the signs around a name.
_LONG_WORD = re.compile(rf"\S{{{_NAME_IN_SENTENCE + 20},}}")
_LABEL_NAME = 64
_MS_US = 1000.0
_LEAST_US = 5.0
Form = TypeVar("Form")


class Status(StrEnum):
    FIRING = "firing"
    RESOLVED = "resolved"
    NO_DATA = "no_data"


@dataclass(frozen=True, slots=True)
class LayerTime:
    """µs per I/O in one layer, with its range [lower, upper]."""

    name: str
    us: float
    lower_us: float
    upper_us: float


@dataclass(frozen=True, slots=True)
class Peak:
    """The worst minute of a breach: estimate and lower bound of what its rule compares first, in `unit`; `at` is the minute's begin."""

    value: float
    lower: float | None
    unit: str
    at: datetime


@dataclass(frozen=True, slots=True)
class MessageLink:
    label: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """The waterfall as it stood. png: for channels that take files along; url: for the others, where Gavel can be reached from outside."""

    alt: str
    png: bytes | None = field(default=None, repr=False)
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One state of one incident, or (`object_count` > 1) a summary of many.

    event_id: of this change; incident_id: the same from firing to resolved. dedupe_key: rule + object + layer. path: outermost first.
    diagnosis_severity: how bad the latency is; confidence: how sure its layer is, None where none is named; both None without a diagnosis.
    owner: of the one object, "ada" or "ada (75 % of its VMs, 2 owners)".
    sentence: the diagnosis. more: paragraphs after it, as the cause, what to do first, caveats.
    objects: of a summary, the worst first. is_joint: of several incidents since its beginning, whichever of them it is about now.
    ended_at: when the breach ended, by the minutes' own time. links: the permalink first. Names are as somebody typed them: each channel
    makes them inert.
    """

    event_id: str
    incident_id: str
    dedupe_key: str
    sequence: int
    status: Status
    severity: AlertSeverity
    rule_key: str
    rule_name: str
    sentence: str
    path: tuple[str, ...]
    from_at: datetime
    to_at: datetime
    started_at: datetime
    sent_at: datetime
    ended_at: datetime | None = None
    total_us: float | None = None
    layers: tuple[LayerTime, ...] = ()
    evidence: tuple[str, ...] = ()
    quality: Quality | None = None
    diagnosis_severity: Severity | None = None
    confidence: Confidence | None = None
    links: tuple[MessageLink, ...] = ()
    labels: Mapping[str, str] = field(default_factory=dict)
    objects: tuple[str, ...] = ()
    object_count: int = 1
    is_joint: bool = False
    peak: Peak | None = None
    picture: Picture | None = None
    owner: str | None = None
    more: tuple[str, ...] = ()

    @property
    def paragraphs(self) -> tuple[str, ...]:
        return (self.sentence, *self.more)

    @property
    def in_one_line(self) -> str:
        return " ".join(self.paragraphs)

    @property
    def permalink(self) -> str | None:
        return self.links[0].url if self.links else None


def headline(message: Message) -> str:
    """ "CRITICAL · Kernel latency"."""
    state = {Status.FIRING: message.severity.value, Status.RESOLVED: "resolved", Status.NO_DATA: "no data"}[
        message.status
    ]
    many = f" · {message.object_count} objects" if message.object_count > 1 else ""
    return f"{state.upper()} · {message.rule_name}{many}"


def facts(message: Message) -> Iterator[tuple[str, str]]:
    """What stands below the sentence, as (title, text)."""
    if message.path:
        yield "Object", " › ".join(message.path)
    if message.owner:
        yield "Owner", message.owner
    yield "Window", window(message.from_at, message.to_at)
    if message.total_us is not None:
        yield "Total latency", milliseconds(message.total_us)
    for layer in message.layers:
        yield layer.name, f"{milliseconds(layer.us)} ({_range(layer.lower_us, layer.upper_us)})"
    if message.quality is not None:
        yield "Data quality", message.quality.value


def evidence_lines(message: Message) -> tuple[str, ...]:
    """The evidence, or the objects of a summary."""
    if message.object_count == 1:
        return message.evidence
    more = message.object_count - len(message.objects)
    return (*message.objects, *((f"and {more} more",) if more > 0 else ()))


def plain_text(message: Message) -> str:
    """All of it in lines, for channels and places that know no form."""
    lines = [headline(message), *message.paragraphs, "", *(f"{title}: {text}" for title, text in facts(message))]
    lines += [
        "",
        *(f"- {line}" for line in evidence_lines(message)),
        "",
        *(f"{one.label}: {one.url}" for one in message.links),
    ]
    return "\n".join(lines)


def milliseconds(us: float) -> str:
    """A positive time never reads as none."""
    return "<0.01 ms" if 0 < us < _LEAST_US else f"{us / _MS_US:.2f} ms"


def _range(lower_us: float, upper_us: float) -> str:
    return f"{milliseconds(lower_us).removesuffix(' ms')}–{milliseconds(upper_us)}"


def window(from_at: datetime, to_at: datetime) -> str:
    until = f"{to_at:%H:%M}" if from_at.date() == to_at.date() else f"{to_at:%Y-%m-%d %H:%M}"
    return f"{from_at:%Y-%m-%d %H:%M} – {until} UTC"


def fitting(message: Message, build: Callable[[Message], Form], size: Callable[[Form], int], most: int) -> Form:
    """What `build` makes of the message with texts as long as `most` allows. ValueError when even the shortest is too long."""
    for length in _LENGTHS:
        form = build(shortened(message, length))
        if size(form) <= most:
            return form
    raise ValueError(f"the message is larger than {most} even with every text cut to {_LENGTHS[-1]} characters")


def shortened(message: Message, longest: int) -> Message:
    """The same with visible characters only and no text longer than `longest`; links are kept whole or left out."""

    def cut(text: str, most: int = longest) -> str:
        # Writing out makes longer, never shorter: what comes after so many characters is cut off anyway.
        return clipped(visible(text[: most + 1]), most)

    return replace(
        message,
        rule_name=cut(message.rule_name),
        # Several vendors refuse empty texts.
        sentence=cut(_with_short_names(message, message.sentence), 2 * longest) or "No diagnosis",
        more=tuple(cut(_with_short_names(message, one), 2 * longest) for one in message.more[:_MOST_PARAGRAPHS]),
        path=tuple(cut(part) for part in message.path[:8]),
        owner=cut(message.owner) if message.owner else None,
        layers=tuple(replace(layer, name=cut(layer.name)) for layer in message.layers[:10]),
        evidence=tuple(cut(line) for line in message.evidence[:MOST_EVIDENCE]),
        objects=tuple(cut(one) for one in message.objects[:MOST_OBJECTS]),
        picture=_shown(message.picture, longest),
        links=tuple(
            MessageLink(cut(link.label), link.url)
            for link in message.links[:_MOST_LINKS]
            if len(link.url) <= _LONGEST_URL
        ),
        labels={cut(name, _LABEL_NAME): cut(value) for name, value in list(message.labels.items())[:_MOST_LABELS]},
    )


def _with_short_names(message: Message, paragraph: str) -> str:
    """A paragraph in which no name of the path nor any other word is longer than a name is."""
    for name in message.path:
        if len(name) > _NAME_IN_SENTENCE:
            paragraph = paragraph.replace(name, clipped(name, _NAME_IN_SENTENCE))
    return _LONG_WORD.sub(lambda match: clipped(match[0], _NAME_IN_SENTENCE), paragraph)


def _shown(picture: Picture | None, longest: int) -> Picture | None:
    if picture is None:
        return None
    alt = clipped(visible(picture.alt[: 2 * longest + 1]), 2 * longest)
    return replace(picture, alt=alt, url=picture.url if picture.url and len(picture.url) <= _LONGEST_URL else None)


def visible(text: str) -> str:
    """On one line, with every character that would not be seen, or that turns others around, written out."""
    return "".join(_seen(character) for character in text)


def _seen(character: str) -> str:
    if character.isspace():
        return " "
    # Cc, Cf, Cs, Co, Cn: controls, bidirectional and zero-width marks, halves of pairs. The joiner of emoji is no danger.
    if unicodedata.category(character).startswith("C") and character != "\u200d":
        return f"\\u{ord(character):04x}"
    return character


def clipped(text: str, longest: int) -> str:
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


Json = dict[str, Any]


def json_bytes(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode()


_TIMES = ("from_at", "to_at", "started_at", "sent_at", "ended_at")
_SAME = (
    "event_id", "incident_id", "dedupe_key", "sequence", "rule_key", "rule_name", "sentence", "total_us", "object_count",
)  # fmt: skip
_LISTS = ("path", "evidence", "objects")


def plain_message(message: Message) -> dict[str, Any]:
    """As JSON takes it; `message_of` gives an equal message."""
    return {
        **{name: getattr(message, name) for name in _SAME},
        **{name: list(getattr(message, name)) for name in _LISTS},
        **{name: at.isoformat() if (at := getattr(message, name)) else None for name in _TIMES},
        "status": message.status.value,
        "severity": message.severity.value,
        "layers": [[one.name, one.us, one.lower_us, one.upper_us] for one in message.layers],
        "quality": message.quality.value if message.quality else None,
        "diagnosis_severity": message.diagnosis_severity.value if message.diagnosis_severity else None,
        "confidence": message.confidence.value if message.confidence else None,
        "links": [[one.label, one.url] for one in message.links],
        "labels": dict(message.labels),
        "peak": _plain_peak(message.peak),
        "is_joint": message.is_joint,
        "owner": message.owner,
        "more": list(message.more),
    }


def message_of(plain: Mapping[str, Any]) -> Message:
    """Raises KeyError, TypeError or ValueError for what is no message."""
    times = {name: datetime.fromisoformat(plain[name]) if plain[name] else None for name in _TIMES}
    given: dict[str, Any] = (
        {name: plain[name] for name in _SAME} | {name: tuple(plain[name]) for name in _LISTS} | times
    )
    return Message(
        **given,
        status=Status(plain["status"]),
        severity=AlertSeverity(plain["severity"]),
        layers=tuple(LayerTime(*one) for one in plain["layers"]),
        quality=Quality(plain["quality"]) if plain["quality"] else None,
        links=tuple(MessageLink(*one) for one in plain["links"]),
        labels=dict(plain["labels"]),
        # What was planned before these were kept has none.
        diagnosis_severity=Severity(plain["diagnosis_severity"]) if plain.get("diagnosis_severity") else None,
        confidence=Confidence(plain["confidence"]) if plain.get("confidence") else None,
        peak=_peak_of(plain.get("peak")),
        is_joint=plain.get("is_joint", False),
        owner=plain.get("owner"),
        more=tuple(plain.get("more", ())),
    )


def _plain_peak(peak: Peak | None) -> list[Any] | None:
    return None if peak is None else [peak.value, peak.lower, peak.unit, peak.at.isoformat()]


def _peak_of(plain: list[Any] | None) -> Peak | None:
    if plain is None:
        return None
    value, lower, unit, at = plain
    return Peak(value, lower, unit, datetime.fromisoformat(at))
