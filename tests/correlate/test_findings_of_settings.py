"""Findings of settings over a real database: each setting as it is found, and its quiet twin in which nothing is raised."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

import pytest
from tests.correlate.correlated import SERIAL, START, Environment
from tests.db.environments import array_inventory, batch, host_inventory, naa, stretched_peer

from gavel.correlate.finding_evidence import LOADERS
from gavel.correlate.finding_loads import EvidenceWindow
from gavel.correlate.run import MINUTE
from gavel.db.engine import reading, transaction
from gavel.db.write.inventory import store_inventory
from gavel.domain.inventory import ArrayInventory, HostInventory, HostOption, Inventory, InventoryTaken
from gavel.domain.source import Stream
from gavel.findings.model import Finding
from gavel.findings.registry import RULES_BY_ID

STRETCHED = naa(SERIAL[5])
NEAR, FAR = "524aa", "524ab"


def raised(environment: Environment, rule_id: str) -> list[Finding]:
    rule = RULES_BY_ID[rule_id]
    now = environment.clock.now
    window = EvidenceWindow(now - 10 * MINUTE, now, now)
    with reading(environment.engine) as connection:
        every = [rule.evaluate(one) for one in LOADERS[rule.evidence].load(connection, window)]
    return [one for one in every if one is not None]


def take(environment: Environment, source_id: int, inventory: Inventory) -> None:
    environment.clock.now += MINUTE
    with transaction(environment.engine) as connection:
        store_inventory(connection, source_id, InventoryTaken(inventory, environment.clock.now))


def with_hosts(**sizes: int | None) -> HostInventory:
    """Sample sizes of the hosts' option; None: their options were not read."""
    plain = host_inventory()
    options = {
        name: {} if size is None else {"Disk.QFullSampleSize": HostOption(size, 0, 64, 0)}
        for name, size in sizes.items()
    }
    hosts = tuple(replace(one, options=options[one.key.replace("-", "_")]) for one in plain.hosts)
    return replace(plain, hosts=hosts)


# --- SIOC ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("flash", "is_on", "is_raised"),
    [(True, True, True), (True, False, False), (False, True, False), (None, True, False)],
)
def test_sioc_is_raised_for_datastores_whose_devices_say_that_they_are_flash(
    environment: Environment, *, flash: bool | None, is_on: bool, is_raised: bool
) -> None:
    plain = host_inventory()
    devices = tuple(replace(one, is_flash=flash) for one in plain.devices)
    stores = tuple(
        replace(one, sioc_enabled=is_on, sioc_threshold_ms=25) if one.key == "spanned" else one
        for one in plain.datastores
    )
    take(environment, environment.vcenter, replace(plain, devices=devices, datastores=stores))
    found = raised(environment, "sioc-on-all-flash")
    assert bool(found) is is_raised
    if found:
        assert [row.object and row.object.name for row in found[0].tables[0].rows] == ["spanned"]
        assert found[0].tables[0].rows[0].cells == (25.0, "8.0.3")


# --- adaptive queue depth -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sizes", "is_raised"),
    [
        ({"esx_1": 32, "esx_2": 0}, True),
        ({"esx_1": 32, "esx_2": 32}, False),
        ({"esx_1": 0, "esx_2": 0}, False),
        ({"esx_1": 32, "esx_2": None}, False),
    ],
)
def test_adaptive_depth_of_some_hosts_of_a_port_is_raised(
    environment: Environment, sizes: Mapping[str, int | None], *, is_raised: bool
) -> None:
    take(environment, environment.vcenter, with_hosts(**sizes))
    found = raised(environment, "adaptive-depth-partial")
    assert bool(found) is is_raised
    if found:
        assert found[0].title == "Adaptive queue depth on 1 of 2 hosts on the same ports"


def test_adaptive_depth_of_hosts_on_different_ports_is_not_compared(environment: Environment) -> None:
    plain = with_hosts(esx_1=32, esx_2=0)
    paths = tuple(replace(one, target=one.key.partition("/")[0]) for one in plain.paths)
    take(environment, environment.vcenter, replace(plain, paths=paths))
    assert raised(environment, "adaptive-depth-partial") == []


# --- preferred arrays ---------------------------------------------------------------------------------------------------


def stretched(environment: Environment, *, preferred: tuple[str, ...], far_us: int, listed: bool = True) -> None:
    """esx-1 with a path to each array of the pod, and an hour of I/O on them."""

    def with_port(inventory: ArrayInventory, wwn: str) -> ArrayInventory:
        hosts = tuple(
            replace(one, wwns=("2000",) if listed else ("99",), preferred_arrays=preferred) for one in inventory.hosts
        )
        return replace(inventory, hosts=hosts, ports=tuple(replace(one, wwn=wwn.upper()) for one in inventory.ports))

    plain = host_inventory()
    first = plain.paths[0]
    paths = tuple(
        replace(first, key=f"esx-1/{end}", host_device_key=f"esx-1/{STRETCHED}", name=end, counter=end, target=end)
        for end in (NEAR, FAR)
    )
    hbas = tuple(replace(one, address="2000" if one.host_key == "esx-1" else "2001") for one in plain.hbas)
    take(environment, environment.array, with_port(array_inventory(), NEAR))
    take(environment, environment.peer, with_port(stretched_peer(), FAR))
    take(environment, environment.vcenter, replace(plain, paths=paths, hbas=hbas))
    environment.clock.now = START + timedelta(hours=1)
    ends = [START + 5 * n * MINUTE for n in range(1, 13)]
    for end, us in ((NEAR, 500), (FAR, far_us)):
        sample = batch(
            Stream.PATH, f"esx-1/{end}", ends, 300,
            read_ops=30_000, write_ops=0, read_latency_us=us, write_latency_us=us, precision=2,
        )  # fmt: skip
        environment.write(environment.vcenter, sample)


@pytest.mark.parametrize(
    ("preferred", "far_us", "listed", "is_raised"),
    [
        ((), 4000, True, True),
        (("array-a",), 4000, True, False),
        ((), 2000, True, False),
        ((), 4000, False, False),
    ],
)
def test_a_stretched_pod_with_a_far_array_and_no_preference_is_raised(
    environment: Environment, preferred: tuple[str, ...], far_us: int, *, listed: bool, is_raised: bool
) -> None:
    stretched(environment, preferred=preferred, far_us=far_us, listed=listed)
    found = raised(environment, "no-preferred-array")
    assert bool(found) is is_raised
    if found:
        assert found[0].title == "No preferred array on stretched pod pod: 1 host"
        assert [one.name for one in found[0].affected] == ["stretched", "esx-1"]
        assert [(one.value, one.object and one.object.name) for one in found[0].evidence] == [
            (500.0, "name of array-a"),
            (4000.0, "name of array-b"),
        ]
