"""How far the sources have come: by it a minute is due, and everything that has a say in it is there."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np

from gavel.correlate.samples import Offsets
from gavel.correlate.topology import Environment
from gavel.db.engine import Connection
from gavel.db.queries import correlation as ask
from gavel.db.queries.correlation import Progress
from gavel.domain.samples import reach_s
from gavel.domain.source import ATTRIBUTED, GRAIN_S

# Samples that end later than this after a minute have no say in it.
_REACH = timedelta(seconds=max(reach_s(stream) for stream in ATTRIBUTED))

Shifts = Mapping[int, tuple[timedelta, timedelta]]


@dataclass(frozen=True, slots=True)
class Passed:
    """By source, by Gavel's clock; None for one that has not begun.

    until: it has been read up to there, but for silent hosts. whole_until: everything that was to be expected up to there has come.
    """

    until: Mapping[int, datetime | None]
    whole_until: Mapping[int, datetime | None]

    @property
    def final_until(self) -> datetime | None:
        """Minutes that end by then have everything that has a say in them; None as long as a source has not begun."""
        known = [end for end in self.whole_until.values() if end is not None]
        return min(known) - _REACH if known and len(known) == len(self.whole_until) else None


def passed(connection: Connection, shifts: Shifts) -> Passed:
    marks = {(one.source_id, one.stream): one for one in ask.progress(connection)}
    until: dict[int, datetime | None] = {}
    whole_until: dict[int, datetime | None] = {}
    for source, streams in ask.expected_streams(connection).items():
        known = [marks[source, stream] for stream in streams if (source, stream) in marks]
        if streams:
            has_begun = len(known) == len(streams)
            _, ahead = shifts.get(source, (timedelta(0), timedelta(0)))
            until[source] = _least(_read_until, known) - ahead if has_begun else None
            whole_until[source] = _least(_whole_until, known) - ahead if has_begun else None
    return Passed(until, whole_until)


def clock_shifts(environment: Environment, offsets: Offsets) -> Shifts:
    """How far the slowest and the fastest clock of each source run ahead."""
    clocks: dict[int, set[int]] = {}
    for source, clock in zip(environment.array_sources, offsets.of_array.tolist(), strict=False):
        clocks.setdefault(source, set()).add(clock)
    for (source, _), clock in zip(environment.host_keys, offsets.of_host.tolist(), strict=True):
        clocks.setdefault(source, set()).add(clock)
    return {source: offsets.shifts(np.array(sorted(those))) for source, those in clocks.items()}


def _least(end: Callable[[Progress], datetime], of: list[Progress]) -> datetime:
    return min(end(one) for one in of)


def _read_until(progress: Progress) -> datetime:
    """A host that is silent is not waited for longer than a sample: nobody knows whether it will speak again."""
    return max(_whole_until(progress), progress.until_at - timedelta(seconds=GRAIN_S[progress.stream]))


def _whole_until(progress: Progress) -> datetime:
    return progress.until_at if progress.complete_until is None else min(progress.complete_until, progress.until_at)
