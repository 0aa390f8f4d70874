"""How a worker stops without waiting for a slow source: work is asked to end, and cut short when it does not."""

import os
import select
import signal
import threading
from collections.abc import Callable


class Stop:
    """A wish that reaches the processes forked after it was made. Once asked for it stays; safe within a signal handler."""

    def __init__(self) -> None:
        self._reader, self._writer = os.pipe()

    def fileno(self) -> int:
        """Readable from the wish on."""
        return self._reader

    def ask(self) -> None:
        os.write(self._writer, b".")

    def is_asked(self) -> bool:
        return bool(self._asked_within(0))

    def wait(self) -> None:
        self._asked_within(None)

    def _asked_within(self, seconds: float | None) -> list[tuple[int, int]]:
        poll = select.poll()
        poll.register(self._reader, select.POLLIN)
        return poll.poll(None if seconds is None else seconds * 1000)


def cut_short(stop: Stop, patience_s: float, *, unless: Callable[[float], bool]) -> None:
    """From now on: `patience_s` after a stop is asked for, interrupt this process's main thread by SIGTERM.

    There the pool raises SystemExit, so that calls and transactions end as with any other error and the process leaves in order.
    `unless` is asked with the patience in seconds, and says whether the process has begun to leave by itself within it.
    """
    main = threading.main_thread().ident

    def watch() -> None:
        stop.wait()
        if main is not None and not unless(patience_s):
            signal.pthread_kill(main, signal.SIGTERM)

    threading.Thread(target=watch, daemon=True, name="stop").start()
