"""Answers that no source sends, read by the collectors: each ends in data or in a SourceError, in time and in bounded memory."""

import time
import traceback
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from tests.hostile.sources import good
from tests.hostile.sources.good import Answer, Operation, Recording, encoded, question_of
from tests.hostile.sources.peer import Bytes, Request
from tests.hostile.sources.spoiling import Spoiler

from gavel.collectors import net
from gavel.collectors.contract import Collector
from gavel.domain.errors import SourceError
from gavel.egress.network import total_deadline

DEADLINE_S = 1.0
LATE_S = 2.0
MOST_MEMORY_MIB = 256
# After so many documents the other side is connected to anew.
_PER_CONNECTION = 40
LONGEST_TEXT = 1024
_UNSHOWN = frozenset({"Cc", "Cs", "Zl", "Zp"})
_TURNING = frozenset({"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"})


@dataclass
class Report:
    """What became of the documents. Only those that were really sent count."""

    documents: int = 0
    operations: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    ways: Counter[str] = field(default_factory=Counter)
    surprises: list[str] = field(default_factory=list)
    caught: Counter[str] = field(default_factory=Counter)
    late: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    seconds: float = 0.0
    memory_mib: float = 0.0

    def __str__(self) -> str:
        return "\n  ".join([
            f"documents        {self.documents} in {self.operations} operations, {self.seconds:.0f} s",
            f"outcomes         {dict(self.outcomes.most_common())}",
            f"spoiled          {dict(self.ways.most_common())}",
            f"no SourceError   {len(self.surprises)}",
            f"last net only    {dict(self.caught.most_common(8))}",
            f"late             {len(self.late)} (slowest operation {self.slowest_s:.2f} s)",
            f"memory           +{self.memory_mib:.0f} MiB at its highest",
            *self.surprises[:5],
            *self.late[:5],
        ])  # fmt: skip


class Campaign:
    """`run(n)` sends n spoiled documents. Equal seeds send equal documents."""

    def __init__(self, seed: int) -> None:
        self._spoiler = Spoiler(seed)
        self._array = good.record_array()
        self._vcenter = good.record_vcenter()
        self.report = Report()

    def run(self, documents: int) -> Report:
        began = time.monotonic()
        # The last net writes a trace for each; a campaign counts them instead.
        with _peak_memory(self.report), patch.object(net, "log"):
            while self.report.documents < documents:
                self._array_connection(min(documents, self.report.documents + _PER_CONNECTION))
                self._vcenter_connection(min(documents, self.report.documents + _PER_CONNECTION))
        self.report.seconds = time.monotonic() - began
        self.report.ways.update(self._spoiler.counts)
        return self.report

    def _array_connection(self, until: int) -> None:
        operation, recording = self._spoiler.choice(list(self._array.items()))
        peer = _Peer(recording, self._spoiler, self.report)
        collector = good.array_collector(peer.answer)
        self._repeat(_preflight if self._spoiler.chance(0.1) else operation, collector, peer, until)

    def _vcenter_connection(self, until: int) -> None:
        operation, recording = self._spoiler.choice(list(self._vcenter.items()))
        peer = _Peer(recording, self._spoiler, self.report)
        with good.vcenter_answers(peer.answer):
            self._repeat(operation, good.vcenter_collector(esxcli=self._spoiler.chance(0.3)), peer, until)

    def _repeat(self, operation: Operation, collector: Collector, peer: "_Peer", until: int) -> None:
        while self.report.documents < until:
            peer.begin()
            self._one(lambda: operation(collector))
        self._one(collector.close)

    def _one(self, operation: Callable[[], None]) -> None:
        began = _held_up_s()
        try:
            with total_deadline(DEADLINE_S):
                operation()
            self.report.outcomes["read"] += 1
        except SourceError as error:
            self.report.outcomes[str(error.kind)] += 1
            if error.__cause__ is not None and "no such source sends" in str(error):
                self.report.caught[_line_of(error.__cause__)] += 1
            self._check_text(str(error))
        except Exception as error:  # noqa: BLE001 - this is what is looked for
            self.report.surprises.append("".join(traceback.format_exception(error))[-3000:])
        took_s = _held_up_s() - began
        self.report.operations += 1
        self.report.slowest_s = max(self.report.slowest_s, took_s)
        if took_s > DEADLINE_S + LATE_S:
            self.report.late.append(f"{took_s:.1f} s at document {self.report.documents} ({self._spoiler.newest})")

    def _check_text(self, text: str) -> None:
        if len(text) > LONGEST_TEXT or any(
            unicodedata.category(character) in _UNSHOWN or unicodedata.bidirectional(character) in _TURNING
            for character in text
        ):
            self.report.surprises.append(f"an error's text that is not fit to be shown: {text[:300]!r} ({len(text)})")


def _preflight(collector: Collector) -> None:
    for check in collector.preflight().checks:
        assert check.detail


class _Peer:
    """Answers as recorded, and spoils some of it: in each operation the first answer, or one further on, or each with a chance."""

    def __init__(self, recording: Recording, spoiler: Spoiler, report: Report) -> None:
        self._next = recording.again()
        self._spoiler = spoiler
        self._report = report
        self._until_spoiled = 0

    def begin(self) -> None:
        if self._until_spoiled <= 0:
            self._until_spoiled = self._spoiler.choice((0, 0, 0, 1, 1, 2, 3, 5, 9))

    def answer(self, request: Request) -> Bytes:
        known: Answer = self._next(question_of(request))
        self._until_spoiled -= 1
        if self._until_spoiled >= 0 or (self._until_spoiled < -1 and self._spoiler.chance(0.5)):
            return Bytes(encoded(known))
        self._report.documents += 1
        return self._spoiler.spoiled(known)


def _held_up_s() -> float:
    """Time of this thread that was its own, working or waiting: without what it stood in line for a busy machine's cores."""
    in_line_ns = int(Path("/proc/thread-self/schedstat").read_text().split()[1])
    return time.monotonic() - in_line_ns / 1e9


def _line_of(error: BaseException) -> str:
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {Path(frame.filename).name}:{frame.lineno}"


@contextmanager
def _peak_memory(report: Report) -> Iterator[None]:
    """How far the memory of this process rose above where it began (Linux)."""
    Path("/proc/self/clear_refs").write_text("5")
    before = _status("VmRSS")
    yield
    report.memory_mib = (_status("VmHWM") - before) / 1024


def _status(name: str) -> int:
    """kB of this process."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))
