"""A vCenter as a source: inventory, clocks and the samples of host devices, virtual disks, paths, adapters and CPUs of hosts."""

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from pydantic import BaseModel

from gavel import clock
from gavel.collectors.contract import CollectorKind, StreamPlan
from gavel.collectors.hosts.vcenter.blocks import BLOCK_S, floor_to_block, folded, whole_blocks_only
from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.clocks import HostClocks, vcenter_clock
from gavel.collectors.hosts.vcenter.columns import batch, entity_key, part_key
from gavel.collectors.hosts.vcenter.counters import AGGREGATES
from gavel.collectors.hosts.vcenter.inventory import InventoryReader
from gavel.collectors.hosts.vcenter.perf import PerfReader
from gavel.collectors.hosts.vcenter.preflight import preflight
from gavel.collectors.hosts.vcenter.query import SAMPLE_S
from gavel.collectors.hosts.vcenter.settings import VcenterSettings
from gavel.collectors.hosts.vcenter.tagging import TagReader
from gavel.collectors.net import CheckedCollector
from gavel.domain.inventory import HostInventory
from gavel.domain.samples import SampleBatch
from gavel.domain.source import ClockReading, Preflight, SourceKind, Stream, Usage

# ESXi keeps 180 samples; the oldest may be dropped while a window is being read.
_RETENTION: Final = timedelta(hours=1)
_LIVE: Final = StreamPlan(
    interval=timedelta(seconds=SAMPLE_S),
    live_window=timedelta(minutes=5),
    retention=_RETENTION,
    slice=timedelta(minutes=10),
    by_owner=True,
)
# Evidence that nothing waits for: several samples are read at once.
_SELDOM: Final = StreamPlan(
    interval=timedelta(seconds=3 * SAMPLE_S),
    live_window=timedelta(minutes=5),
    retention=_RETENTION,
    slice=timedelta(minutes=20),
)
_BLOCKS: Final = StreamPlan(
    interval=timedelta(seconds=BLOCK_S),
    live_window=timedelta(minutes=25),
    retention=_RETENTION,
    slice=timedelta(minutes=20),
)
_STREAMS: Final[Mapping[Stream, StreamPlan]] = {
    Stream.HOST_DEVICE: _LIVE,
    Stream.VM_DISK: _LIVE,
    Stream.ADAPTER: _LIVE,
    Stream.PATH: _BLOCKS,
    Stream.HOST_CPU: _SELDOM,
}


class VcenterCollector:
    """See `contract.Collector`. `rejected_series`: series dropped as unreadable since the collector was opened."""

    def __init__(self, settings: VcenterSettings) -> None:
        self._settings = settings
        self._client = VcenterClient(settings)
        self._tags = TagReader(settings) if settings.read_tags else None
        self._inventory = InventoryReader(self._client, self._tags, read_esxcli=settings.read_esxcli)
        self._perf = PerfReader(self._client)
        self._host_clocks = HostClocks(self._client)

    @property
    def streams(self) -> Mapping[Stream, StreamPlan]:
        return _STREAMS

    @property
    def usage(self) -> Usage:
        usage = self._client.wire.usage
        return usage if self._tags is None else usage + self._tags.usage

    @property
    def rejected_series(self) -> int:
        return self._perf.rejected

    def left_out(self, stream: Stream) -> tuple[str, ...]:
        return self._perf.left_out(stream)

    def preflight(self) -> Preflight:
        return preflight(self._settings)

    def clocks(self) -> tuple[ClockReading, ...]:
        return (vcenter_clock(self._client), *self._host_clocks.read())

    def inventory(self) -> HostInventory:
        return self._inventory.read(clock.now())

    def samples(
        self, stream: Stream, since: datetime, until: datetime, asks: Callable[[str], bool] | None = None
    ) -> Iterator[SampleBatch]:
        """Lists the entities by itself, as cheaply as possible; needs no inventory before."""
        if until <= since:
            return
        since_us, until_us = _microseconds(since), _microseconds(until)
        if stream is Stream.PATH:
            yield from self._path_blocks(since_us, until_us)
            return
        key_of = entity_key if stream in AGGREGATES else part_key
        for names, series in self._perf.series(stream, since, until, asks):
            found = batch(stream, names, series, key_of, since_us=since_us, until_us=until_us)
            if found is not None:
                yield found

    def _path_blocks(self, since_us: int, until_us: int) -> Iterator[SampleBatch]:
        """The blocks that end in the window, out of all samples from the start of the first to the end of the last."""
        start_us, end_us = floor_to_block(since_us), floor_to_block(until_us)
        if start_us == end_us:
            return
        for names, series in self._perf.series(Stream.PATH, _instant(start_us), _instant(end_us)):
            whole = whole_blocks_only(series)
            found = batch(Stream.PATH, names, whole, part_key, since_us=start_us, until_us=end_us)
            if found is not None:
                yield folded(found)

    def close(self) -> None:
        if self._tags is not None:
            self._tags.close()
        self._client.close()


def _microseconds(at: datetime) -> int:
    return round(at.timestamp() * 1_000_000)


def _instant(microseconds: int) -> datetime:
    return datetime.fromtimestamp(microseconds / 1_000_000, UTC)


def _open(settings: BaseModel) -> CheckedCollector:
    valid = VcenterSettings.model_validate(settings)
    return CheckedCollector(VcenterCollector(valid), valid.address)


VCENTER: Final = CollectorKind(
    kind=SourceKind.VCENTER,
    title="VMware vCenter",
    at_hand=(
        "The address of the vCenter Server and a user with the built-in role Read-only on the vCenter itself "
        "(the top of the inventory), with “Propagate to children”. "
        "Nothing more is needed: only the hosts' queue settings may stay unknown without further rights."
    ),
    settings=VcenterSettings,
    open=_open,
)
