"""The FlashArray collector: what is read when, glued from `client`, `parse` and `inventory`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from operator import attrgetter

from pydantic import BaseModel

from gavel.collectors.arrays.flasharray import inventory as build
from gavel.collectors.arrays.flasharray import parse, wire
from gavel.collectors.arrays.flasharray.client import FlashArrayClient, Params
from gavel.collectors.arrays.flasharray.paging import MOST_SAMPLES, ListProgress
from gavel.collectors.arrays.flasharray.preflight import preflight
from gavel.collectors.arrays.flasharray.settings import FlashArraySettings
from gavel.collectors.contract import CollectorKind, StreamPlan
from gavel.collectors.net import CheckedCollector
from gavel.domain.errors import ProtocolError
from gavel.domain.inventory import ArrayDirectory, ArrayInfo, ArrayInventory, DirectoryExport, VolumeGroup
from gavel.domain.samples import SampleBatch
from gavel.domain.source import GRAIN_S, ClockReading, Preflight, SourceKind, Stream, Usage
from gavel.egress.tls import ssl_context

# How long an array keeps 30 s samples is not documented; points per resolution suggest 3 h. Beyond it a window answers empty.
_RETENTION = timedelta(hours=3)
_TAGS_FROM = (2, 2)
_FILES_FROM = (2, 3)
_INTERFACES_FROM = (2, 4)
_SAMPLES_FROM = {Stream.ARRAY_DIRECTORY: _FILES_FROM, Stream.ARRAY_PORT: _INTERFACES_FROM}
_PLAN = StreamPlan(
    interval=wire.RESOLUTION,
    live_window=timedelta(minutes=5),
    retention=_RETENTION,
    slice=timedelta(minutes=20),
    revised=wire.REVISED,
)
# Of a row of performance.
_IDENTITY = attrgetter("id", "time")
# Those whose objects are not destroyed and kept for a while.
_WITHOUT_DESTROYED = (Stream.ARRAY_WIDE, Stream.ARRAY_PORT)
# Two rows of an array as a whole cost nearly as much to store as a hundred of its volumes: several samples at once take less, and what is
# usual for an array is not asked within a minute.
_SELDOM = {
    stream: replace(_PLAN, interval=timedelta(seconds=GRAIN_S[stream]))
    for stream in (Stream.ARRAY_WIDE, Stream.ARRAY_PORT)
}
_LISTS: Mapping[Stream, tuple[str, type[parse.Performance]]] = {
    Stream.ARRAY_VOLUME: ("volumes/performance", wire.VolumePerformance),
    Stream.ARRAY_DIRECTORY: ("directories/performance", wire.DirectoryPerformance),
    Stream.ARRAY_WIDE: ("arrays/performance", wire.VolumePerformance),
    Stream.ARRAY_PORT: ("network-interfaces/performance", wire.PortPerformance),
}


class FlashArrayCollector:
    """One array. client: another way to its answers. `rejected_rows` counts rows that could not be read since it was opened."""

    def __init__(self, settings: FlashArraySettings, client: FlashArrayClient | None = None) -> None:
        self._settings = settings
        self._client = client or FlashArrayClient(
            settings.address, settings.api_token.get_secret_value(), ssl_context(settings)
        )
        self.rejected_rows = 0

    @property
    def streams(self) -> Mapping[Stream, StreamPlan]:
        return dict.fromkeys(_LISTS, _PLAN) | _SELDOM

    def left_out(self, stream: Stream) -> tuple[str, ...]:
        """An array answers for all of its volumes or for none."""
        del stream
        return ()

    @property
    def usage(self) -> Usage:
        return self._client.usage

    def preflight(self) -> Preflight:
        return preflight(self._client, poll_interval_s=self._settings.poll_interval_s)

    def clocks(self) -> tuple[ClockReading, ...]:
        self._client.get("arrays", {})
        reading = self._client.clock.reading()
        return (reading,) if reading else ()

    def inventory(self) -> ArrayInventory:
        volumes = self._read("volumes", wire.VolumeItem, {"destroyed": "false"})
        vvol_tags = self._tags(build.VVOL_NAMESPACE)
        own_tags = self._tags("default")
        interfaces = self._interfaces()
        rates = build.line_rates(interfaces)
        return ArrayInventory(
            array=self._array(),
            pods=tuple(build.pod(item) for item in self._read("pods", wire.PodItem, {"destroyed": "false"})),
            volumes=tuple(
                build.volume(item, own_tags.get(item.id, {}), vvol_tags.get(item.id, {}).get(build.VVOL_ID_KEY))
                for item in volumes
            ),
            hosts=tuple(build.array_host(item) for item in self._read("hosts", wire.HostItem)),
            connections=tuple(filter(None, map(build.connection, self._read("connections", wire.ConnectionItem)))),
            ports=tuple(build.port(item, rates) for item in self._read("ports", wire.PortItem)),
            volume_groups=self._volume_groups(),
            exports=self._exports(),
            directories=self._directories(),
            file_addresses=build.file_addresses(interfaces),
        )

    def samples(
        self, stream: Stream, since: datetime, until: datetime, asks: Callable[[str], bool] | None = None
    ) -> Iterator[SampleBatch]:
        """Rows at 30 s, a page at a time. Unfiltered by name: a volume destroyed meanwhile must not fail the others."""
        del asks  # an array answers for all of its volumes
        if since >= until:
            return
        resource, kind = _LISTS[stream]
        if self._client.version < _SAMPLES_FROM.get(stream, parse.OLDEST_REST):
            return
        ports = self._port_names() if stream is Stream.ARRAY_PORT else {}
        since_ms, until_ms = _milliseconds(since), _milliseconds(until)
        params: Params = {
            **({} if stream in _WITHOUT_DESTROYED else {"destroyed": "false"}),
            "resolution": int(wire.RESOLUTION.total_seconds() * 1000),
            # Between two samples, as the array's own window by default begins: the one that ended at `since` is not asked for.
            "start_time": since_ms + 1,
            "end_time": until_ms,
        }
        progress = ListProgress(f"{self._client.address}: {resource}", most=MOST_SAMPLES)
        for rows, rejected in self._performance(resource, params, kind, ports):
            self.rejected_rows += rejected
            new = progress.add(map(_IDENTITY, rows))
            fresh = [row for row, is_new in zip(rows, new, strict=True) if is_new and since_ms < row.time <= until_ms]
            if fresh:
                yield parse.performance_batch(fresh, stream=stream, interval_s=int(wire.RESOLUTION.total_seconds()))

    def close(self) -> None:
        self._client.close()

    def _performance(
        self, resource: str, params: Params, kind: type[parse.Performance], ports: Mapping[str, str]
    ) -> Iterator[tuple[Sequence[parse.Performance], int]]:
        """Rows of each page, and how many of it could not be read. ports: of the array's interfaces, only these."""
        if kind is wire.PortPerformance:
            for page in self._client.rows(resource, params, wire.InterfacePerformance):
                yield parse.port_rows(page.items, ports), page.rejected
        else:
            for found in self._client.rows(resource, params, kind):
                yield found.items, found.rejected

    def _array(self) -> ArrayInfo:
        arrays = self._read("arrays", wire.ArrayItem)
        if len(arrays) != 1:
            raise ProtocolError(f"{self._client.address}: /arrays listed {len(arrays)} arrays instead of itself alone.")
        return build.array_info(arrays[0], self._read("controllers", wire.ControllerItem), self._client.version)

    def _volume_groups(self) -> tuple[VolumeGroup, ...]:
        return tuple(
            build.volume_group(item)
            for item in self._read("volume-groups", wire.VolumeGroupItem, {"destroyed": "false"})
        )

    def _exports(self) -> tuple[DirectoryExport, ...]:
        if self._client.version < _FILES_FROM:
            return ()
        return tuple(filter(None, map(build.export, self._read("directory-exports", wire.ExportItem))))

    def _directories(self) -> tuple[ArrayDirectory, ...]:
        if self._client.version < _FILES_FROM:
            return ()
        return tuple(map(build.directory, self._read("directories", wire.DirectoryItem, {"destroyed": "false"})))

    def _interfaces(self) -> list[wire.InterfaceItem]:
        if self._client.version < _INTERFACES_FROM:
            return []
        return self._read("network-interfaces", wire.InterfaceItem)

    def _port_names(self) -> dict[str, str]:
        """By the names that they have as interfaces."""
        return {item.name.lower(): item.name for item in self._read("ports", wire.PortItem)}

    def _tags(self, namespace: str) -> dict[str, dict[str, str]]:
        if self._client.version < _TAGS_FROM:
            return {}
        return build.tags_by_volume(self._read("volumes/tags", wire.TagItem, {"namespaces": namespace}))

    def _read(self, resource: str, kind: type[parse.Item], params: Params | None = None) -> list[parse.Item]:
        items, rejected = parse.parse_items(self._client.items(resource, params), kind)
        self.rejected_rows += rejected
        return items


def _milliseconds(at: datetime) -> int:
    return int(at.astimezone(UTC).timestamp() * 1000)


def _open(settings: BaseModel) -> CheckedCollector:
    valid = FlashArraySettings.model_validate(settings.model_dump())
    return CheckedCollector(FlashArrayCollector(valid), valid.address)


FLASHARRAY = CollectorKind(
    kind=SourceKind.FLASHARRAY,
    title="Pure Storage FlashArray",
    at_hand=(
        "The address of the array's management port and the API token of a user with the role readonly. "
        "The token is made on the array: Settings › Access › Users, “Create API Token” in the menu of that user, "
        "or `pureadmin create --api-token USER` over SSH."
    ),
    settings=FlashArraySettings,
    open=_open,
)
