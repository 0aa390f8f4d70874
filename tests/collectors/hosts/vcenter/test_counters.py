"""Counters are known by name, the best family a host serves is asked for, and ids are never trusted for long."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from gavel.collectors.hosts.vcenter.counters import (
    AGGREGATES,
    DEVICE_MICROSECONDS,
    DEVICE_MILLISECONDS,
    STREAMS,
    Catalogue,
    catalogue,
    choose,
    counter_key,
    wanted_keys,
)
from gavel.domain.source import Stream
from gavel.domain.streams import COLUMNS_OF, CounterUnit


@dataclass(frozen=True)
class Named:
    key: str


@dataclass(frozen=True)
class Counter:
    """The part of vim.PerfCounterInfo that matters."""

    key: int
    groupInfo: Named  # noqa: N815 - pyVmomi's name
    nameInfo: Named  # noqa: N815
    rollupType: str  # noqa: N815


def counter(key: int, group: str, name: str, rollup: str) -> Counter:
    return Counter(key, Named(group), Named(name), rollup)


@pytest.fixture(scope="module")
def vcenter_9(shared: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = json.loads((shared / "data/vcenter/counters-9.0.1.json").read_text())
    return found


def test_a_name_may_hold_dots() -> None:
    assert counter_key(counter(3382, "storage", "latency.readGavg", "average")) == "storage.latency.readGavg.average"


def test_microseconds_are_preferred_and_milliseconds_not_asked_for_beside_them() -> None:
    chosen = set(choose(Stream.HOST_DEVICE, set(wanted_keys())))
    assert chosen >= DEVICE_MICROSECONDS
    assert not chosen & DEVICE_MILLISECONDS


def test_without_microseconds_milliseconds_are_asked_for() -> None:
    assert set(choose(Stream.HOST_DEVICE, set(wanted_keys()) - DEVICE_MICROSECONDS)) >= DEVICE_MILLISECONDS


def test_counts_are_preferred_to_rates_and_one_count_to_two_rates() -> None:
    rates = {"disk.numberReadAveraged.average", "disk.numberWriteAveraged.average"}
    assert not rates & set(choose(Stream.HOST_DEVICE, set(wanted_keys())))
    assert set(choose(Stream.HOST_DEVICE, rates)) == rates
    assert choose(Stream.HOST_DEVICE, {*rates, "disk.numberRead.summation"}) == ("disk.numberRead.summation",)


def test_a_virtual_disk_is_asked_for_both_twins_of_its_latency() -> None:
    twins = {"virtualDisk.readLatencyUS.latest", "virtualDisk.totalReadLatency.average"}
    assert set(choose(Stream.VM_DISK, set(wanted_keys()))) >= twins


def test_nothing_is_asked_for_that_is_not_there() -> None:
    assert choose(Stream.ADAPTER, {"disk.numberRead.summation"}) == ()


def test_renumbered_counters_are_noticed() -> None:
    before = catalogue([counter(1, "disk", "read", "average"), counter(2, "disk", "write", "average")])
    assert before == Catalogue({"disk.read.average": 1, "disk.write.average": 2})
    swapped = [counter(2, "disk", "read", "average"), counter(1, "disk", "write", "average")]
    assert not before.agrees_with(swapped, ["disk.read.average"])
    assert not before.agrees_with([], ["disk.read.average"])
    assert before.agrees_with([counter(1, "disk", "read", "average")], ["disk.read.average"])


UNITS = {
    "number": {CounterUnit.NUMBER, CounterUnit.PER_S},
    "kiloBytesPerSecond": {CounterUnit.KB_PER_S},
    "microsecond": {CounterUnit.MICROSECONDS},
    "millisecond": {CounterUnit.MILLISECONDS},
    "percent": {CounterUnit.HUNDREDTHS_OF_PERCENT},
}


@pytest.mark.parametrize("stream", STREAMS)
def test_a_real_vcenter_9_has_every_counter_in_the_unit_that_is_declared(
    vcenter_9: list[dict[str, str]], stream: Stream
) -> None:
    found = {f"{counter['group']}.{counter['name']}.{counter['rollup']}": counter["unit"] for counter in vcenter_9}
    declared = [counter for column in COLUMNS_OF[stream] for counter in column.counters]
    assert len(declared) >= (1 if stream in AGGREGATES else 6)
    for counter in declared:
        assert counter.unit in UNITS[found[counter.name]], counter
