"""Counters are known by name, the best family a host serves is asked for, and ids are never trusted for long."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from gavel.collectors.hosts.vcenter.counters import (
    DEVICE_MICROSECONDS,
    DEVICE_MILLISECONDS,
    Catalogue,
    catalogue,
    choose,
    counter_key,
    wanted_keys,
)
from gavel.domain.source import Stream


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
    chosen = choose(Stream.HOST_DEVICE, set(wanted_keys()))
    assert set(DEVICE_MICROSECONDS.values()) <= set(chosen.values())
    assert not set(DEVICE_MILLISECONDS.values()) & set(chosen.values())


def test_without_microseconds_milliseconds_are_asked_for() -> None:
    chosen = choose(Stream.HOST_DEVICE, set(wanted_keys()) - set(DEVICE_MICROSECONDS.values()))
    assert set(DEVICE_MILLISECONDS.values()) <= set(chosen.values())


def test_counts_are_preferred_to_rates() -> None:
    assert "read_per_s" not in choose(Stream.HOST_DEVICE, set(wanted_keys()))
    chosen = choose(Stream.HOST_DEVICE, {"disk.numberReadAveraged.average"})
    assert chosen == {"read_per_s": "disk.numberReadAveraged.average"}


def test_nothing_is_asked_for_that_is_not_there() -> None:
    assert choose(Stream.ADAPTER, {"disk.numberRead.summation"}) == {}


def test_renumbered_counters_are_noticed() -> None:
    before = catalogue([counter(1, "disk", "read", "average"), counter(2, "disk", "write", "average")])
    assert before == Catalogue({"disk.read.average": 1, "disk.write.average": 2})
    swapped = [counter(2, "disk", "read", "average"), counter(1, "disk", "write", "average")]
    assert not before.agrees_with(swapped, ["disk.read.average"])
    assert not before.agrees_with([], ["disk.read.average"])
    assert before.agrees_with([counter(1, "disk", "read", "average")], ["disk.read.average"])


def test_a_real_vcenter_9_has_every_counter_in_the_unit_its_reading_is_named_after(
    vcenter_9: list[dict[str, str]],
) -> None:
    units = {f"{found['group']}.{found['name']}.{found['rollup']}": found["unit"] for found in vcenter_9}
    expected = {
        "_us": {"microsecond"}, "_ms": {"millisecond"}, "kb_per_s": {"kiloBytesPerSecond"},
        "_per_s": {"number"}, "": {"number"},
    }  # fmt: skip
    for stream in (Stream.HOST_DEVICE, Stream.VM_DISK, Stream.PATH, Stream.ADAPTER):
        for alternative in (set(units), set(units) - set(DEVICE_MICROSECONDS.values())):
            for reading, key in choose(stream, alternative).items():
                suffix = next(ending for ending in expected if reading.endswith(ending))
                assert units[key] in expected[suffix], (reading, key, units[key])
    assert set(wanted_keys()) <= units.keys()
