"""Lines that wait to be pushed, and what becomes of them by the answer, as in Telegraf's `outputs.influxdb_v2`."""

from collections import deque
from dataclasses import dataclass, field

# Telegraf's metric_batch_size, and a metric_buffer_limit for guests of which there are many in one process.
BATCH, MOST_LINES = 1000, 1000
_DONE = frozenset({200, 201, 202, 204, 206, 207, 208})
_REFUSED = frozenset({400, 406, 422})
_TOO_LARGE = 413
_LONGEST_PAUSE_S, _LONGEST_RETRY_AFTER_S = 60.0, 600.0


@dataclass
class Outbox:
    """Of one agent: the oldest lines first; when it is full, the oldest are dropped."""

    lines: deque[bytes] = field(default_factory=lambda: deque(maxlen=MOST_LINES))
    batch: int = BATCH

    def next(self) -> list[bytes]:
        """What goes into the next request."""
        return [line for _, line in zip(range(self.batch), self.lines, strict=False)]

    def settle(self, sent: int, status: int | None) -> bool:
        """Take the answer to so many lines into account (None: there was none). Returns whether the receiver is well."""
        if status in _DONE or status in _REFUSED or (status == _TOO_LARGE and sent == 1):
            for _ in range(sent):
                self.lines.popleft()
            self.batch = BATCH
            return True
        if status == _TOO_LARGE:
            self.batch = max(1, sent // 2)
            return True
        return False


@dataclass
class Pause:
    """How long nothing is sent to a receiver that is away or asks for time."""

    failures: int = 0
    until_s: float = 0.0

    def failed(self, now_s: float, retry_after_s: float | None) -> None:
        """Twice as long each time, or as long as it asks for."""
        self.failures += 1
        own_s = min(_LONGEST_PAUSE_S, 2.0 ** min(self.failures - 1, 10))
        asked_s = min(retry_after_s or 0.0, _LONGEST_RETRY_AFTER_S)
        self.until_s = now_s + max(own_s, asked_s)

    def over(self) -> None:
        self.failures, self.until_s = 0, 0.0
