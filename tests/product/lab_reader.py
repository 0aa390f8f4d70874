"""The lab asked by a client of the test's own, over the sources' real protocols: what Gavel must have stored, no more and no less.

Written from docs/metrics.md alone, with httpx and pyVmomi's own objects: nothing of Gavel's collectors takes part.
"""

import ssl
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

import httpx
from pyVim.connect import Disconnect, SmartConnect
from pyVmomi import vim

Values = tuple[int | None, ...]
Rows = dict[tuple[str, int], Values]
"""(key of the thing, stamp in seconds) → the stream's columns, in the order of COLUMNS; None is NULL."""

ARRAY_S, HOST_S = 30, 20
_DIRECTIONS = ("read", "write", "mirrored_write")
_ARRAY_TIMES = {
    "service": "service_usec_per_{}_op",
    "queue": "queue_usec_per_{}_op",
    "qos": "qos_rate_limit_usec_per_{}_op",
    "qos_sched": "qos_scheduling_usec_per_{}_op",
    "san": "san_usec_per_{}_op",
    "usec": "usec_per_{}_op",
}
_AVGS = {"g": "total", "d": "device", "k": "kernel", "q": "queue"}

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "array_volume": (
        *(f"{d}_{unit}" for d in _DIRECTIONS for unit in ("ops", "bytes")),
        *(f"{d}_{time}_us" for d in _DIRECTIONS for time in _ARRAY_TIMES),
    ),
    "array_directory": ("read_ops", "write_ops", "read_bytes", "write_bytes", "read_usec_us", "write_usec_us"),
    "host_device": (
        "read_ops", "write_ops", "read_bytes", "write_bytes",
        *(f"{d}_{letter}avg_us" for d in ("read", "write") for letter in _AVGS),
        "queue_depth", "aborts", "bus_resets", "precision",
    ),
    "vm_disk": (
        "read_ops", "write_ops", "read_bytes", "write_bytes", "read_latency_us", "write_latency_us",
        "read_total_latency_us", "write_total_latency_us", "read_outstanding", "write_outstanding", "precision",
        "aborts",
    ),
}  # fmt: skip
MICROSECOND, MILLISECOND = 1, 2
_ARRAY_LISTS = {"array_volume": "volumes/performance", "array_directory": "directories/performance"}

# The lab's certificates are its own; whether Gavel checks them is tested elsewhere.
_TRUST = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
_TRUST.check_hostname = False
_TRUST.verify_mode = ssl.CERT_NONE


def rows_of(source: Mapping[str, Any], stream: str, after: float, until: float) -> Rows:
    """What a source of the lab has of a stream with after < stamp <= until."""
    if stream in _ARRAY_LISTS:
        return _array_rows(source, stream, after, until)
    return dict(_VcenterReader(source).rows(stream, after, until))


# --- FlashArray -------------------------------------------------------------------------------------------------------


def _array_rows(source: Mapping[str, Any], stream: str, after: float, until: float) -> Rows:
    with httpx.Client(base_url=f"https://{source['address']}", verify=_TRUST, timeout=60, trust_env=False) as http:
        versions = http.get("/api/api_version").raise_for_status().json()["version"]
        newest = max(tuple(map(int, one.split("."))) for one in versions if one.startswith("2."))
        api = f"/api/{newest[0]}.{newest[1]}"
        login = http.post(f"{api}/login", headers={"api-token": source["settings"]["api_token"]}).raise_for_status()
        session = {"x-auth-token": login.headers["x-auth-token"]}
        rows: Rows = {}
        offset, more = 0, True
        while more:
            query = {
                "resolution": 30_000, "start_time": int(after * 1000) + 1, "end_time": int(until * 1000),
                "limit": 900, "offset": offset,
            }  # fmt: skip
            page = http.get(f"{api}/{_ARRAY_LISTS[stream]}", params=query, headers=session).raise_for_status().json()
            for item in page["items"]:
                rows[item["id"], item["time"] // 1000] = _ARRAY_VALUES[stream](item)
            offset, more = offset + len(page["items"]), page["more_items_remaining"]
        http.post(f"{api}/logout", headers=session)
        return rows


def _volume_values(item: Mapping[str, Any]) -> Values:
    counts = [
        item[f"{direction}{unit}"] * ARRAY_S for direction in _DIRECTIONS for unit in ("s_per_sec", "_bytes_per_sec")
    ]
    times = [
        item.get(field.format(direction)) if item[f"{direction}s_per_sec"] else None
        for direction in _DIRECTIONS
        for field in _ARRAY_TIMES.values()
    ]
    return (*counts, *times)


def _directory_values(item: Mapping[str, Any]) -> Values:
    counts = [item[f"{name}_per_sec"] * ARRAY_S for name in ("reads", "writes", "read_bytes", "write_bytes")]
    return (*counts, *(item[f"usec_per_{d}_op"] if item[f"{d}s_per_sec"] else None for d in ("read", "write")))


_ARRAY_VALUES = {"array_volume": _volume_values, "array_directory": _directory_values}


# --- vCenter ----------------------------------------------------------------------------------------------------------


class _VcenterReader:
    def __init__(self, source: Mapping[str, Any]) -> None:
        host, port = source["address"].split(":")
        secrets = source["settings"]
        self._service = SmartConnect(
            host=host, port=int(port), user=secrets["username"], pwd=secrets["password"], disableSslCertValidation=True
        )
        self._content = self._service.RetrieveContent()
        self._id_of = {
            f"{counter.groupInfo.key}.{counter.nameInfo.key}.{counter.rollupType}": counter.key
            for counter in self._content.perfManager.perfCounter
        }

    def rows(self, stream: str, after: float, until: float) -> Iterator[tuple[tuple[str, int], Values]]:
        kind, read = {
            "host_device": (vim.HostSystem, self._device_values),
            "vm_disk": (vim.VirtualMachine, self._disk_values),
        }[stream]
        names = _device_counters(fine=self._has_microseconds) if stream == "host_device" else _DISK_COUNTERS
        try:
            for key, stamp, found in self._samples(kind, names, after, until):
                if any(value is not None for value in found.values()):
                    yield (key, stamp), read(found)
        finally:
            Disconnect(self._service)

    @property
    def _has_microseconds(self) -> bool:
        return "storage.latency.readGavg.average" in self._id_of

    def _samples(
        self, kind: Any, names: Sequence[str], after: float, until: float
    ) -> Iterator[tuple[str, int, dict[str, int | None]]]:
        metrics = [
            vim.PerformanceManager.MetricId(counterId=self._id_of[name], instance="*")
            for name in names
            if name in self._id_of
        ]
        name_of = {number: name for name, number in self._id_of.items()}
        for entities in _in_parts(self._entities(kind), 12):
            specs = [
                vim.PerformanceManager.QuerySpec(
                    entity=entity, metricId=metrics, intervalId=HOST_S, format="csv",
                    startTime=datetime.fromtimestamp(int(after), UTC), endTime=datetime.fromtimestamp(int(until), UTC),
                )
                for entity in entities
            ]  # fmt: skip
            for answer in self._content.perfManager.QueryPerf(specs):
                yield from _pivoted(answer, name_of)

    def _entities(self, kind: Any) -> list[Any]:
        view = self._content.viewManager.CreateContainerView(self._content.rootFolder, [kind], recursive=True)
        found = list(view.view)
        view.Destroy()
        return found

    def _device_values(self, found: Mapping[str, int | None]) -> Values:
        fine = self._has_microseconds
        times = [
            found.get(f"storage.latency.{d.lower()}{letter.upper()}avg.average")
            if fine
            else _times(found.get(f"disk.{word}{d}Latency.average"), 1000)
            for d in ("Read", "Write")
            for letter, word in _AVGS.items()
        ]
        return (
            found.get("disk.numberRead.summation"), found.get("disk.numberWrite.summation"),
            _times(found.get("disk.read.average"), 1024 * HOST_S), _times(found.get("disk.write.average"), 1024 * HOST_S),
            *times,
            found.get("disk.maxQueueDepth.average"), found.get("disk.commandsAborted.summation"),
            found.get("disk.busResets.summation"),
            MICROSECOND if fine else MILLISECOND,
        )  # fmt: skip

    def _disk_values(self, found: Mapping[str, int | None]) -> Values:
        group = {name.split(".", 1)[1]: value for name, value in found.items()}
        return (
            _times(group.get("numberReadAveraged.average"), HOST_S), _times(group.get("numberWriteAveraged.average"), HOST_S),
            _times(group.get("read.average"), 1024 * HOST_S), _times(group.get("write.average"), 1024 * HOST_S),
            group.get("readLatencyUS.latest"), group.get("writeLatencyUS.latest"),
            _times(group.get("totalReadLatency.average"), 1000), _times(group.get("totalWriteLatency.average"), 1000),
            group.get("readOIO.latest"), group.get("writeOIO.latest"),
            MICROSECOND,
            group.get("commandsAborted.summation"),
        )  # fmt: skip


_DISK_COUNTERS = tuple(
    f"virtualDisk.{name}"
    for name in (
        "numberReadAveraged.average", "numberWriteAveraged.average", "read.average", "write.average",
        "readLatencyUS.latest", "writeLatencyUS.latest", "totalReadLatency.average", "totalWriteLatency.average",
        "readOIO.latest", "writeOIO.latest", "commandsAborted.summation",
    )
)  # fmt: skip


def _device_counters(*, fine: bool) -> tuple[str, ...]:
    family = (
        [f"storage.latency.{d}{letter}avg.average" for d in ("read", "write") for letter in "GDKQ"]
        if fine
        else [f"disk.{word}{d}Latency.average" for d in ("Read", "Write") for word in _AVGS.values()]
    )
    return (
        "disk.numberRead.summation", "disk.numberWrite.summation", "disk.read.average", "disk.write.average", *family,
        "disk.maxQueueDepth.average", "disk.commandsAborted.summation", "disk.busResets.summation",
    )  # fmt: skip


def _pivoted(answer: Any, name_of: Mapping[int, str]) -> Iterator[tuple[str, int, dict[str, int | None]]]:
    """One entity's series turned into samples; the aggregate of an entity (instance "") is no thing of its own."""
    stamps = [round(datetime.fromisoformat(text).timestamp()) for text in answer.sampleInfoCSV.split(",")[1::2]]
    found: dict[tuple[str, int], dict[str, int | None]] = {}
    for series in answer.value:
        if series.id.instance:
            numbers = map(int, series.value.split(","))
            for stamp, number in zip(stamps, numbers, strict=True):
                sample = found.setdefault((f"{answer.entity._moId}/{series.id.instance}", stamp), {})
                sample[name_of[series.id.counterId]] = number if number >= 0 else None
    for (key, stamp), sample in found.items():
        yield key, stamp, sample


def _times(value: int | None, factor: int) -> int | None:
    return None if value is None else value * factor


def _in_parts(things: list[Any], size: int) -> Iterator[list[Any]]:
    for start in range(0, len(things), size):
        yield things[start : start + size]
