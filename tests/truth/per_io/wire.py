"""What is counted, on its way into the product: as QueryPerf's CSV and FlashArray's JSON, by the product's own decoders and parsers."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain

import msgspec
import numpy as np
from tests.truth.per_io.counters import (
    ARRAY_S,
    HOST_S,
    Columns,
    Samples,
    device_counters,
    disk_counters,
    samples_of_array,
    samples_of_host,
    volume_counters,
)
from tests.truth.per_io.environment import BASE_S, Environment
from tests.truth.per_io.events import Log

from gavel.collectors.arrays.flasharray.parse import parse_items, parse_page, performance_batch
from gavel.collectors.arrays.flasharray.wire import VolumePerformance
from gavel.collectors.hosts.vcenter.columns import batch
from gavel.collectors.hosts.vcenter.counters import choose
from gavel.collectors.hosts.vcenter.csv import CsvDecoder
from gavel.domain.samples import SampleBatch
from gavel.domain.source import Stream

_ALL_US = 1 << 60


@dataclass(frozen=True)
class Read:
    """Batches as the collectors hand them to the store; a key is the number of a device, a disk or a (volume, array)."""

    devices: list[SampleBatch]
    disks: list[SampleBatch]
    volumes: list[SampleBatch]


def read(environment: Environment, log: Log) -> Read:
    """Everything that was served, but for what was lost."""
    dice = np.random.default_rng(environment.seed + 7_000_000)
    devices: list[SampleBatch] = []
    disks: list[SampleBatch] = []
    for host in range(len(environment.hosts)):
        samples = samples_of_host(environment, host)
        version = environment.vcenters[environment.hosts[host].vcenter].version
        numbers, columns = device_counters(environment, log, host, samples)
        kept = _kept(environment, dice, "host", host, host, samples)
        devices += _from_vcenter(environment, dice, Stream.HOST_DEVICE, version, [(f"host-{host}", numbers, columns, kept)],
                                 samples)  # fmt: skip
        disks += _from_vcenter(
            environment, dice, Stream.VM_DISK, version, _vms(environment, dice, log, host, samples), samples
        )
    volumes = [_from_array(environment, dice, log, array) for array in range(len(environment.arrays))]
    return Read(devices, disks, volumes)


_Entity = tuple[str, Sequence[int], Columns, np.ndarray]


def _vms(environment: Environment, dice: np.random.Generator, log: Log, host: int, samples: Samples) -> list[_Entity]:
    numbers, columns = disk_counters(environment, log, host, samples)
    found: list[_Entity] = []
    for vm in sorted({environment.disks[number].vm for number in numbers}):
        rows = [row for row, number in enumerate(numbers) if environment.disks[number].vm == vm]
        own = {key: column[rows] for key, column in columns.items()}
        kept = _kept(environment, dice, "vm", vm, host, samples)
        found.append((f"vm-{vm}", [numbers[row] for row in rows], own, kept))
    return found


def _kept(
    environment: Environment, dice: np.random.Generator, kind: str, number: int, host: int, samples: Samples
) -> np.ndarray:
    """(samples,) those that come: not lost, not while the host was gone."""
    kept = dice.random(len(samples)) >= environment.lost
    for start, end in environment.hosts[host].gone:
        kept &= (samples.edges[1:] <= start) | (samples.edges[:-1] >= end)
    for lost_kind, lost_number, at in environment.lost_samples:
        if (lost_kind, lost_number) == (kind, number):
            kept &= (samples.edges[1:] <= at) | (samples.edges[:-1] > at)
    return kept


# --- vCenter ----------------------------------------------------------------------------------------------------------


def _from_vcenter(
    environment: Environment,
    dice: np.random.Generator,
    stream: Stream,
    version: int,
    entities: Sequence[_Entity],
    samples: Samples,
) -> list[SampleBatch]:
    served = set(chain.from_iterable(columns for _, _, columns, _ in entities))
    counters = choose(stream, served)
    counter_ids = {key: 100 + place for place, key in enumerate(counters)}
    decoder = CsvDecoder({counter: place for place, counter in enumerate(counter_ids.values())})
    for piece in _reply(environment, dice, entities, counter_ids, samples):
        decoder.feed(piece)
    found = (
        batch(stream, counters, series, lambda _, instance: instance, since_us=-1, until_us=_ALL_US)
        for series in decoder.finish()
    )
    return [one for one in found if one is not None]


def _reply(
    environment: Environment,
    dice: np.random.Generator,
    entities: Sequence[_Entity],
    counter_ids: Mapping[str, int],
    samples: Samples,
) -> Iterator[bytes]:
    """A QueryPerf reply in CSV."""
    yield (
        b'<?xml version="1.0" encoding="UTF-8"?>\n'
        b'<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>'
        b'<QueryPerfResponse xmlns="urn:vim25">'
    )
    for entity, numbers, columns, kept in entities:
        info = ",".join(f"{HOST_S},{_instant(stamp)}" for stamp in samples.stamps[kept])
        parts = [f'<returnval><entity type="ManagedEntity">{entity}</entity><sampleInfoCSV>{info}</sampleInfoCSV>']
        for key, counter in counter_ids.items():
            if key not in columns:
                continue
            for number, row in zip(numbers, columns[key], strict=True):
                shown = np.where(dice.random(len(row)) < environment.unread, -1, row)[kept]
                values = ",".join(map(str, shown.tolist()))
                parts.append(
                    f"<value><id><counterId>{counter}</counterId><instance>{number}</instance></id>"
                    f"<value>{values}</value></value>"
                )
        yield "".join([*parts, "</returnval>"]).encode()
    yield b"</QueryPerfResponse></soapenv:Body></soapenv:Envelope>"


def _instant(stamp: int) -> str:
    return datetime.fromtimestamp(BASE_S + int(stamp), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


# --- FlashArray -------------------------------------------------------------------------------------------------------


def _from_array(environment: Environment, dice: np.random.Generator, log: Log, array: int) -> SampleBatch:
    samples = samples_of_array(environment, array)
    volumes, columns = volume_counters(environment, log, array, samples)
    kept = dice.random((len(volumes), len(samples))) >= environment.lost
    kept &= ~_is_lost(environment, array, samples)
    items = [
        {
            "id": f"{volume}/{array}",
            "name": f"volume-{volume}",
            "time": (BASE_S + int(stamp)) * 1000,
            **{name: int(column[row, sample]) for name, column in columns.items()},
        }
        for row, volume in enumerate(volumes)
        for sample, stamp in enumerate(samples.stamps)
        if kept[row, sample]
    ]
    page = parse_page(msgspec.json.encode({"items": items, "more_items_remaining": False}), f"array {array}")
    rows, rejected = parse_items(page.items or [], VolumePerformance)
    if rejected:
        raise ValueError(f"{rejected} rows of array {array} were unreadable")
    return performance_batch(rows, stream=Stream.ARRAY_VOLUME, interval_s=ARRAY_S)


def _is_lost(environment: Environment, array: int, samples: Samples) -> np.ndarray:
    lost = np.zeros(len(samples), np.bool_)
    for start, end in environment.arrays[array].gone:
        lost |= (samples.edges[1:] > start) & (samples.edges[:-1] < end)
    for kind, number, at in environment.lost_samples:
        if (kind, number) == ("array", array):
            lost |= (samples.edges[1:] > at) & (samples.edges[:-1] <= at)
    return lost
