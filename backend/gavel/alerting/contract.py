"""What every kind of channel is: settings, a pure rendering, and one attempt to deliver. One file per kind, one line in `registry`."""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pydantic import BaseModel, ConfigDict, SecretStr

from gavel.alerting.render.message import Json, Message, Picture, Status
from gavel.alerting.rules.model import AlertSeverity
from gavel.alerting.transport.outcome import Outcome, ReceiverResponse, Result
from gavel.alerting.transport.rate import Limit
from gavel.alerting.transport.wire import Request, Transport, post
from gavel.egress.policy import ForbiddenError, parse_url
from gavel.egress.tls import TlsTrust

# What a former message of the same incident left behind; empty for the first.
Receipt = Mapping[str, str]
JSON_TYPE = {"Content-Type": "application/json; charset=utf-8"}
# Shorter ones would black out words.
_SHORTEST_SECRET = 6
# By severity, and for what is over; the same everywhere. Red is for critical only.
_COLOURS = {AlertSeverity.CRITICAL: 0xC92A2A, AlertSeverity.WARNING: 0xE8890C, AlertSeverity.INFO: 0x3B82C4}
_OVER, _UNKNOWN = 0x2F9E44, 0x868E96


class ChannelSettings(TlsTrust):
    """What all kinds share: whom to believe in TLS. Secrets are `SecretStr` fields."""

    model_config = ConfigDict(extra="forbid")


@dataclass(frozen=True, slots=True)
class ChannelKind:
    """One line of the registry.

    render: pure; from settings, message and the receipt of the incident's former message to what is sent, within the vendor's limits and
    with inert names. deliver: one attempt, never raising. largest: bytes of a rendered body without its picture.
    limits: how often. updates: replaces its former message. takes_pictures: as files; the others show them by their address.
    is_apart: every delivery is a process of its own, so it belongs into a queue of its own.
    keeps_by_key: the receiver keeps one incident per dedupe key, so each of ours has to be one of theirs.
    """

    kind: str
    title: str
    settings: type[ChannelSettings]
    render: Callable[[Any, Message, Receipt], Any]
    deliver: Callable[[Any, Any, Transport], Outcome]
    largest: int
    limits: tuple[Limit, ...]
    updates: bool = False
    takes_pictures: bool = False
    is_apart: bool = False
    keeps_by_key: bool = False


def send(
    settings: ChannelSettings,
    request: Request,
    way: Transport,
    read: Callable[[ReceiverResponse], Outcome] | None = None,
) -> Outcome:
    """One attempt over HTTP with the channel's own trust; where its picture is what was refused, without the picture."""
    mine = replace(way, trust=settings)
    outcome = post(request, mine, read=read)
    if outcome.result is not Result.REFUSED or request.without_picture is None:
        return outcome
    again = post(replace(request, body=request.without_picture), mine, read=read)
    return replace(again, detail=f"{again.detail}; without the picture, which was refused")


def colour(message: Message) -> int:
    if message.status is Status.RESOLVED:
        return _OVER
    return _UNKNOWN if message.status is Status.NO_DATA else _COLOURS[message.severity]


def usable_url(value: SecretStr) -> SecretStr:
    """Validator of a webhook's address. ValueError without the address in it."""
    try:
        parse_url(value.get_secret_value())
    except ForbiddenError as error:
        raise ValueError(str(error)) from None
    return value


def read_json(answer: ReceiverResponse) -> Json:
    """The answer as an object; empty when it is none."""
    try:
        found = json.loads(answer.body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


class Loggable(Protocol):
    """What a kind renders that is not one HTTP request: it says itself what a person may read of it."""

    @property
    def log_text(self) -> str: ...


def logged(settings: ChannelSettings, rendered: Request | Loggable) -> str:
    """What was sent as the delivery log may keep it, without bytes of pictures.

    Of a request: method, host, body. An address's path is a secret, headers hold some, and so do bodies.
    """
    if isinstance(rendered, Request):
        head = f"{rendered.method} {parse_url(rendered.url)}\n"
        text = f"{rendered.body.decode()}{with_picture(rendered.picture)}"
    else:
        head, text = "", rendered.log_text
    for secret in sorted(_secrets(settings), key=len, reverse=True):
        text = text.replace(secret, "•••")
    return head + text


def with_picture(picture: Picture | None) -> str:
    """Last line of what was sent with a file, empty without one."""
    return f"\nwith a picture of {len(picture.png)} bytes" if picture and picture.png else ""


def _secrets(settings: ChannelSettings) -> set[str]:
    return {text for text in _secret_texts(settings) if len(text) >= _SHORTEST_SECRET}


def _secret_texts(value: object) -> Iterator[str]:
    """Of every secret within a setting, however deep."""
    if isinstance(value, SecretStr):
        yield value.get_secret_value()
    elif isinstance(value, BaseModel):
        yield from _secret_texts(dict(value))
    elif isinstance(value, Mapping):
        yield from _secret_texts(tuple(value.values()))
    elif isinstance(value, tuple | list | set | frozenset):
        for inner in value:
            yield from _secret_texts(inner)
