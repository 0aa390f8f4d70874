"""What every collector of an array or a host source does, and what it is given. One implementation per folder, one line in `registry`."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from pydantic import BaseModel

from gavel.domain.inventory import Inventory
from gavel.domain.samples import SampleBatch
from gavel.domain.source import ClockReading, Preflight, SourceKind, Stream, Usage


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """How a stream is polled.

    interval: the grain the source delivers, or how seldom it is read. live_window: how far back one live run reaches; what is older is
    backfill. retention: how long the source keeps that grain. slice: the longest window one backfill call asks for.
    revised: so many of the newest samples may change though they were complete, and are asked for again with every read.
    by_owner: the source can be asked for the parts of some hosts or VMs alone.
    """

    interval: timedelta
    live_window: timedelta
    retention: timedelta
    slice: timedelta
    revised: int = 0
    by_owner: bool = False


class Collector(Protocol):
    """An open, reusable connection to one source. Logs in by itself when needed, once; raises only `SourceError`s.

    Not thread-safe: one owner at a time. `close()` logs out and never raises.
    """

    @property
    def streams(self) -> Mapping[Stream, StreamPlan]: ...

    def preflight(self) -> Preflight:
        """Look at everything a newcomer may have wrong; failures are checks, not exceptions. Ends within 20 s."""
        ...

    def clocks(self) -> tuple[ClockReading, ...]:
        """The source's clock (subject None) and, where readable, those of its hosts."""
        ...

    def inventory(self) -> Inventory:
        """Everything that exists now. Also what `samples` resolves its entities with from then on."""
        ...

    def samples(
        self, stream: Stream, since: datetime, until: datetime, asks: Callable[[str], bool] | None = None
    ) -> Iterator[SampleBatch]:
        """All samples with since < stamp ≤ until, by the source's clock, in pages; several reads give the same rows.

        asks: whether the samples of a host's or VM's parts are wanted, by its own key, which stands before the "/" in theirs; only of
        streams whose plan is `by_owner`. Without it, everybody's.

        A window in which the source has nothing yields nothing. Takes an inventory first if none was taken yet.
        """
        ...

    def left_out(self, stream: Stream) -> tuple[str, ...]:
        """Whom the newest read of a stream had to do without although they exist, and why: each a sentence."""
        ...

    @property
    def usage(self) -> Usage:
        """Calls and bytes since this collector was opened."""
        ...

    def close(self) -> None: ...


@dataclass(frozen=True, slots=True)
class CollectorKind:
    """One line of the registry. `settings` is the pydantic model that API, CLI and form are made from; secrets are `SecretStr` fields.

    at_hand: what whoever adds one needs before beginning, and where it is made.
    """

    kind: SourceKind
    title: str
    at_hand: str
    settings: type[BaseModel]
    open: Callable[[BaseModel], Collector]
