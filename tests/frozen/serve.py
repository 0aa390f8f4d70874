"""Serves an hour that was, as it was: the real pages, the real API on its database, and a clock that stands still.

    .venv/bin/python -m tests.frozen.serve FOLDER --port 8400

FOLDER is a copy that `tests.frozen.hour` made; what is changed while it is served is changed there. Nothing is
collected and nothing attributed any more, so the same question has the same answer for ever: it is worked out once and
then given from the record, until something is written.
"""

import argparse
import signal
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from tests.frozen.hour import read_hour
from tests.frozen.instant import hold

from gavel.api.app import PREFIX, build
from gavel.config import load_settings
from gavel.embedded import postgres

# What depends on who asks, or never ends.
_NEVER_RECORDED = (f"{PREFIX}/session", f"{PREFIX}/live")


@dataclass(frozen=True)
class _Answer:
    messages: tuple[Message, ...]


class Recorded:
    """Gives an answer of the API as it was given before. Anything that is written makes it forget all of them."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._answers: dict[tuple[bytes, ...], _Answer] = {}
        # An answer that a write overlaps may be of before it: it is neither recorded nor taken from the record.
        self._begun = self._ended = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith(PREFIX) or scope["path"].startswith(_NEVER_RECORDED):
            await self._app(scope, receive, send)
        elif scope["method"] == "GET":
            is_written = self._begun != self._ended
            await (self._app if is_written else self._answer)(scope, receive, send)
        else:
            self._begun += 1
            self._answers.clear()
            try:
                await self._app(scope, receive, send)
            finally:
                self._ended += 1

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        key = (
            scope["raw_path"],
            scope["query_string"],
            *(headers.get(name, b"") for name in (b"accept-encoding", b"cookie", b"authorization", b"host")),
        )
        if known := self._answers.get(key):
            for message in known.messages:
                await send(message)
            return
        heard: list[Message] = []
        begun = self._begun

        async def listen(message: Message) -> None:
            heard.append(message)
            await send(message)

        await self._app(scope, receive, listen)
        if heard and heard[0].get("status") == 200 and begun == self._begun:
            self._answers[key] = _Answer(tuple(heard))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, required=True)
    chosen = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    at = datetime.fromtimestamp(read_hour(chosen.folder).at, UTC)
    hold(at)
    settings = load_settings(data_dir=chosen.folder / "data", port=chosen.port, lab=False)
    with postgres.running(settings.postgres_dir, settings=postgres.UNSAFE_SETTINGS):
        app = build(settings)
        sys.stdout.write(f"{at:%Y-%m-%d %H:%M:%S} UTC on http://127.0.0.1:{chosen.port}\n")
        sys.stdout.flush()
        uvicorn.run(
            Recorded(app),
            host=settings.host,
            port=settings.port,
            date_header=False,
            server_header=False,
            access_log=False,
            log_level="warning",
            timeout_graceful_shutdown=3,
        )


if __name__ == "__main__":
    main()
