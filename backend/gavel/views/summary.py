"""What the tab Summary of an object's page shows, from one load of its window: no section reads what another has read."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Literal

from gavel.db.engine import Connection
from gavel.db.queries.events import Event, events_of
from gavel.db.queries.gaps import SourceGap, gaps_of_sources
from gavel.db.queries.leaves import DiskLeaf, disk_leaves
from gavel.db.queries.refs import RefKind
from gavel.diagnosis.breakdown import Waterfall, waterfall_of
from gavel.diagnosis.contributors import Contributors, contributors_of, load_leaves
from gavel.diagnosis.explain import Diagnosis, explain
from gavel.diagnosis.load import LoadedWindow, load
from gavel.domain.io_path import SPANS, Layer
from gavel.views.hosts import HostRows, host_rows_of
from gavel.views.series import Latency, latency_of

SectionName = Literal["object", "diagnosis", "waterfall", "latency", "contributors", "hosts", "happened"]


@dataclass(frozen=True, slots=True)
class FailedSection:
    """Why a section is null: status and detail as its own address would answer them."""

    section: SectionName
    status: int
    detail: str


@dataclass(frozen=True, slots=True)
class Happened:
    """Of an object over time, oldest first."""

    gaps: Sequence[SourceGap]
    events: Sequence[Event]


class SummarySections:
    """Sections of one object, each made when it is asked for; what several of them need is read once.

    A section raises what went wrong with it, and leaves the others as they are.
    """

    def __init__(
        self, connection: Connection, kind: RefKind, thing_id: int, window: tuple[datetime | None, datetime | None]
    ) -> None:
        """Without a window: of the last five minutes that have been attributed. Raises NotFoundError, and ValueError for an empty range."""
        self._connection, self._kind, self._thing_id = connection, kind, thing_id
        self._loaded: LoadedWindow = load(connection, kind, thing_id, *window)

    def diagnosis(self) -> Diagnosis:
        return explain(self._loaded)

    def waterfall(self) -> Waterfall:
        return waterfall_of(self._loaded.whole)

    def latency(self, from_at: datetime, to_at: datetime) -> Latency:
        """Over [from_at, to_at). Raises UnusableStepError for a range that no sensible width fits."""
        devices = self._loaded.devices.queues
        return latency_of(self._connection, self._loaded.whole, devices, from_at, to_at)

    def contributors(self) -> Contributors:
        """To the outermost layer that the diagnosis names; where it names none, to the kernel."""
        loaded = self._loaded
        leaves = load_leaves(self._connection, loaded.whole, self._disks, loaded.devices.leaves, loaded.stretched)
        named = None if loaded.whole.is_empty else loaded.whole.diagnosed.named(0)
        return contributors_of(loaded.whole, leaves, Layer.KERNEL if named is None else SPANS[named][0])

    def hosts(self) -> HostRows:
        """Of a datastore."""
        return host_rows_of(self._connection, self._loaded.whole, self._loaded.devices.leaves, self._disks)

    def happened(self, from_at: datetime, to_at: datetime) -> Happened:
        """In [from_at, to_at)."""
        sources = [source.id for source in self._loaded.evidence.sources]
        return Happened(
            gaps_of_sources(self._connection, sources, from_at, to_at),
            events_of(self._connection, self._kind, self._thing_id, from_at, to_at),
        )

    @cached_property
    def _disks(self) -> Sequence[DiskLeaf]:
        return disk_leaves(self._connection, self._kind, self._thing_id)
