"""The catalogue: real names, units and levels; ids that mean nothing elsewhere."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.lab.vcenter.labs import Place
from tests.lab.vcenter.reading import counter_ids
from tests.lab.vcenter.wire import VIM, Wire

from gavel_lab.lab import Lab
from gavel_lab.vcenter.counters import COMMON, MICROSECOND_FAMILY, Catalogue
from gavel_lab.vcenter.perf_families import FAMILIES

CATALOGUE_CALL = (
    '<RetrieveProperties xmlns="urn:vim25"><_this type="PropertyCollector">propertyCollector</_this><specSet><propSet>'
    "<type>PerformanceManager</type><pathSet>perfCounter</pathSet></propSet>"
    '<objectSet><obj type="PerformanceManager">PerfMgr</obj></objectSet></specSet></RetrieveProperties>'
)


def test_every_counter_is_one_of_a_real_9_0_1_with_its_unit_and_levels(new: Place, shared: Path) -> None:
    real = {
        (one["group"], one["name"], one["rollup"]): (one["unit"], one["stats"], one["level"], one["per_device_level"])
        for one in json.loads((shared / "data/vcenter/counters-9.0.1.json").read_text())
    }
    with new.connection() as vsphere:
        served = vsphere.RetrieveContent().perfManager.perfCounter
    assert len(served) == len(COMMON) + len(MICROSECOND_FAMILY)
    for one in served:
        key = (one.groupInfo.key, one.nameInfo.key, one.rollupType)
        assert (one.unitInfo.key, one.statsType, one.level, one.perDeviceLevel) == real[key], key


def test_the_microsecond_family_exists_on_9_only(places: tuple[Place, Place]) -> None:
    for place in places:
        with place.connection() as vsphere:
            has = "storage.latency.readDavg.average" in counter_ids(vsphere)
        assert has == (place.vcenter.version == "9.0.1")


def test_the_two_vcenters_number_the_same_counters_differently(places: tuple[Place, Place]) -> None:
    ids = []
    for place in places:
        with place.connection() as vsphere:
            ids.append(counter_ids(vsphere))
    common = set(ids[0]) & set(ids[1])
    assert all(ids[0][key] != ids[1][key] for key in common - {"disk.usage.average"})


def test_every_counter_that_is_served_is_catalogued() -> None:
    known = Catalogue(vcenter_index=0, has_microsecond_family=True, generation=0).id_of
    for families in FAMILIES.values():
        for family in families:
            assert set(family.counters) <= set(known)


def test_renumbered_counters_keep_their_names(lab: Lab, wire: Wire) -> None:
    def catalogue() -> dict[str, str]:
        val = wire.answer(CATALOGUE_CALL)[0].find(f"{VIM}propSet/{VIM}val")
        assert val is not None
        return {
            f"{one.findtext(f'{VIM}groupInfo/{VIM}key')}.{one.findtext(f'{VIM}nameInfo/{VIM}key')}."
            f"{one.findtext(f'{VIM}rollupType')}": one.findtext(f"{VIM}key") or ""
            for one in val
        }

    before = catalogue()
    lab.faults.add({"source": wire.vcenter.name, "kind": "renumber_counters"})
    after = catalogue()
    assert set(before) == set(after)
    assert not {(key, number) for key, number in before.items()} & set(after.items())
    assert not set(before.values()) & set(after.values())


def test_counters_are_found_by_id_or_refused(vsphere: Any) -> None:
    manager = vsphere.RetrieveContent().perfManager
    number = counter_ids(vsphere)["disk.deviceReadLatency.average"]
    assert manager.QueryPerfCounter([number])[0].nameInfo.key == "deviceReadLatency"
    with pytest.raises(Exception, match="counterId"):
        manager.QueryPerfCounter([1])
