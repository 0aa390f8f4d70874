"""Log lines: structured, in JSON or for a terminal, and never with a secret in them."""

import logging
import re
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any, Protocol

import structlog

from gavel import clock
from gavel.domain.text import escape_controls

_SECRET_NAME = re.compile(r"token|password|passwd|secret|authorization|cookie|api_?key|credential", re.IGNORECASE)
# Credentials inside a text: the password of a URL, a header's value, key=value in a query or a settings dump.
_SECRET_TEXT = (
    (re.compile(r"(\b\w+://[^/\s:@]*:)[^/\s@]+(?=@)"), r"\1•••"),
    (re.compile(r"\b(bearer|basic)\s+[\w.~+/=-]{8,}", re.IGNORECASE), r"\1 •••"),
    (
        re.compile(
            r"\b((?:api[-_]?token|x-auth-token|password|secret|token)[\"']?\s*[=:]\s*[\"']?)[^\s\"',;&}]+",
            re.IGNORECASE,
        ),
        r"\1•••",
    ),
    (re.compile(r"\bgvl_[\w-]{8,}"), "gvl_•••"),
)
HIDDEN = "•••"


class LogSettings(Protocol):
    """What of the settings concerns the log."""

    @property
    def log_level(self) -> str: ...
    @property
    def log_format(self) -> str: ...


def configure(settings: LogSettings) -> None:
    """Send this process's structlog and standard-library log to stderr as one kind of line."""
    as_json = settings.log_format == "json" or (settings.log_format == "auto" and not sys.stderr.isatty())
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        add_timestamp,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.StackInfoRenderer(),
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[settings.log_level.upper()]),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_formatter(shared, as_json=as_json))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level.upper())
    # Their own lines per request and per task would drown ours.
    for chatty in ("uvicorn.access", "celery.app.trace", "celery.worker.strategy"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def _formatter(shared: list[structlog.typing.Processor], *, as_json: bool) -> structlog.stdlib.ProcessorFormatter:
    last: list[structlog.typing.Processor] = (
        [structlog.processors.format_exc_info, hide_secrets, structlog.processors.JSONRenderer(ensure_ascii=False)]
        if as_json
        else [
            structlog.processors.format_exc_info,
            hide_secrets,
            escape_texts,
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty()),
        ]
    )
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared, processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last]
    )


def add_timestamp(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Add the instant in UTC, in ISO 8601 with microseconds."""
    event["timestamp"] = clock.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return event


def hide_secrets(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replace the values of fields named like a secret, at any depth, and secrets inside texts."""
    for name in list(event):
        event[name] = _hidden(name, event[name])
    return event


def escape_texts(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """For a terminal: texts may quote what a source sent."""
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = escape_controls(value)
    return event


def _hidden(name: str, value: Any) -> Any:
    if _SECRET_NAME.search(name) and value not in (None, "", True, False):
        return HIDDEN
    if isinstance(value, str):
        return hide_in_text(value)
    if isinstance(value, Mapping):
        return {key: _hidden(str(key), inner) for key, inner in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_hidden("", inner) for inner in value]
    return value


def hide_in_text(text: str) -> str:
    """The text without the credentials it may quote."""
    for pattern, replacement in _SECRET_TEXT:
        text = pattern.sub(replacement, text)
    return text
