"""Logging of a process: structlog, as text or JSON lines, to stderr; secrets never."""

import logging
import sys
from collections.abc import MutableMapping
from typing import Any

import structlog

from gavel.config import Settings

_SECRET_WORDS = ("token", "password", "secret", "authorization", "cookie", "api_key")
_MASK = "•••"


def configure(settings: Settings) -> None:
    """Set up structlog and the standard library's loggers the same way; call it once, at the start of a process."""
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        mask_secrets,
    ]
    last: structlog.typing.Processor = (
        structlog.processors.JSONRenderer() if settings.log_json else structlog.dev.ConsoleRenderer(colors=False)
    )
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=_finish(last)))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    for chatty in ("httpx", "httpcore", "celery.app.trace", "celery.worker.strategy", "uvicorn.access"):
        logging.getLogger(chatty).setLevel(logging.WARNING)


def _finish(last: structlog.typing.Processor) -> list[structlog.typing.Processor]:
    return [structlog.stdlib.ProcessorFormatter.remove_processors_meta, structlog.processors.format_exc_info, last]


def mask_secrets(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Replace the value of every key that is named like a secret, at any depth of dictionaries."""
    return {name: _masked(name, value) for name, value in event.items()}


def _masked(name: str, value: Any) -> Any:
    if any(word in name.lower() for word in _SECRET_WORDS):
        return _MASK
    if isinstance(value, dict):
        return {inner: _masked(str(inner), found) for inner, found in value.items()}
    return value
