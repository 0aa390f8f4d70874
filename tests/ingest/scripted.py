"""A source whose every sample is a function of its stamp, so that a test can say what the database must hold."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta

import numpy as np
from tests.stopwatch import Stopwatch

from gavel.collectors.contract import StreamPlan
from gavel.domain.errors import DeadlineError, SourceError
from gavel.domain.inventory import ArrayInfo, ArrayInventory, Volume
from gavel.domain.samples import COLUMNS, SampleBatch
from gavel.domain.source import ClockReading, Preflight, Stream, Usage
from gavel.egress.network import remaining_s

GRAIN_S = 30
PLAN = StreamPlan(
    interval=timedelta(seconds=GRAIN_S),
    live_window=timedelta(minutes=5),
    retention=timedelta(hours=1),
    slice=timedelta(minutes=10),
)


def reading(volume: int, stamp_s: int) -> int:
    """The one number that every column of this volume holds at this stamp."""
    return (volume + 1) * 1000 + stamp_s // GRAIN_S % 997


class ScriptedArray:
    """`now` is the source's own clock; `silent` stamps are missing, `failure` is raised by the next reads; each read takes `read_takes`.
    The rows of volume 0 come `late` after the others of their stamp.

    Pages hold one stamp each where `page_takes_s` is set, each takes that long by `watch`, and the deadline of the read is heeded.
    """

    def __init__(self, now: datetime, *, volumes: int = 3) -> None:
        self.now = now
        self.volumes = volumes
        self.listed = volumes
        self.silent: set[int] = set()
        self.failure: SourceError | None = None
        self.read_takes = self.late = timedelta(0)
        self.page_takes_s = 0.0
        self.watch = Stopwatch()
        self.reads: list[tuple[datetime, datetime]] = []
        self.streams: Mapping[Stream, StreamPlan] = {Stream.ARRAY_VOLUME: PLAN}
        self.usage = Usage()

    def preflight(self) -> Preflight:
        return Preflight(())

    def clocks(self) -> tuple[ClockReading, ...]:
        return (ClockReading(None, 0.0, 0.5, self.now),)

    def inventory(self) -> ArrayInventory:
        volumes = tuple(
            Volume(f"v{i}", f"volume {i}", f"{i:024X}", None, None, None, False, None, None) for i in range(self.listed)
        )
        array = ArrayInfo("a1", "array", None, "6.6.1", ())
        return ArrayInventory(array, (), volumes, (), (), (), ())

    def left_out(self, stream: Stream) -> tuple[str, ...]:
        del stream
        return ()

    def samples(
        self, stream: Stream, since: datetime, until: datetime, asks: Callable[[str], bool] | None = None
    ) -> Iterator[SampleBatch]:
        assert asks is None
        self.reads.append((since, until))
        self.now += self.read_takes
        if self.failure:
            raise self.failure
        first = int(max(since, self.now - PLAN.retention).timestamp()) // GRAIN_S + 1
        last = int(min(until, self.now).timestamp()) // GRAIN_S
        stamps = [n * GRAIN_S for n in range(first, last + 1) if n * GRAIN_S not in self.silent]
        if self.page_takes_s:
            for stamp in reversed(stamps):
                self._wait_for_page()
                yield self._batch(stream, [stamp])
        elif stamps:
            yield self._batch(stream, stamps)

    def _wait_for_page(self) -> None:
        try:
            left_s = remaining_s(None)
        except TimeoutError as error:
            raise DeadlineError("array: no answer in time") from error
        if left_s is not None and left_s < self.page_takes_s:
            self.watch.passed_s += left_s
            raise DeadlineError("array: no answer in time")
        self.watch.passed_s += self.page_takes_s

    def _batch(self, stream: Stream, stamps: list[int]) -> SampleBatch:
        index = np.tile(np.arange(self.volumes), len(stamps))
        at = np.repeat(np.array(stamps, dtype=np.int64), self.volumes)
        there = (index > 0) | (at <= (self.now - self.late).timestamp())
        index, at = index[there], at[there]
        numbers = np.array([reading(int(v), int(s)) for v, s in zip(index, at, strict=True)], dtype=np.int64)
        return SampleBatch(
            stream=stream,
            keys=tuple(f"v{i}" for i in range(self.volumes)),
            key_index=index.astype(np.int64),
            ended_at_us=at * 1_000_000,
            interval_s=np.full(len(at), GRAIN_S, dtype=np.int64),
            values=dict.fromkeys(COLUMNS[stream], numbers),
        )

    def close(self) -> None:
        pass


def whole_seconds(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)
