"""The environment: what it must hold, ids that match across sides, and every scale that can be asked for."""

import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from gavel_lab.build import build_environment
from gavel_lab.environment import Environment
from gavel_lab.scale import LARGE, Scale
from gavel_lab.settings import Settings


@pytest.fixture(scope="module")
def environment() -> Environment:
    return build_environment(1)


def test_equal_seeds_build_equal_environments_and_others_different_ids(environment: Environment) -> None:
    assert build_environment(1) == environment
    other = build_environment(2)
    assert not {volume.serial for volume in other.volumes} & {volume.serial for volume in environment.volumes}


def test_the_default_environment_is_the_one_that_was_asked_for(environment: Environment) -> None:
    assert [(array.purity, array.rest_version) for array in environment.arrays] == [
        ("6.3.3", "2.15"),
        ("6.9.2", "2.52"),
    ]
    assert [array.queue_in_usec for array in environment.arrays] == [False, True]
    assert [(center.version, center.has_microsecond_family) for center in environment.vcenters] == [
        ("8.0.3", False),
        ("9.0.1", True),
    ]
    assert (len(environment.clusters), len(environment.hosts), len(environment.datastores), len(environment.vms)) == (
        2,
        6,
        17,
        56,
    )
    assert {hba.driver for hba in environment.hbas} == {"nfnic", "lpfc", "qlnativefc", "iscsi_vmk", "nvmetcp"}
    assert Counter(store.kind for store in environment.datastores) == {"vmfs": 15, "vvol": 1, "nfs": 1}
    assert [len(store.extents) for store in environment.datastores if len(store.extents) > 1] == [2]
    assert sum(store.is_nvme for store in environment.datastores) == 1
    assert sum(disk.is_rdm for disk in environment.disks) == 1
    assert {disk.controller for disk in environment.disks} == {"pvscsi", "lsi", "nvme"}
    assert {len(vm.disks) for vm in environment.vms} == {1, 2, 3, 4}
    assert [pod.arrays for pod in environment.pods] == [(0, 1)]


@pytest.mark.parametrize(
    ("purity", "has_queue"),
    [("6.3.3", False), ("6.3.13", False), ("6.3.14", True), ("6.4.9", False), ("6.4.10", True), ("6.5.0", True)],
)
def test_latency_semantics_follow_the_purity_version(purity: str, has_queue: bool) -> None:
    array = build_environment(1, settings=Settings(old_purity=purity)).arrays[0]
    assert array.queue_in_usec is has_queue


def test_serials_begin_with_the_array_that_created_the_volume(environment: Environment) -> None:
    for volume in environment.volumes:
        assert re.fullmatch("[0-9A-F]{24}", volume.serial)
        assert volume.serial[:16] == environment.arrays[volume.array].id.replace("-", "")[:16].upper()
        assert volume.naa == "naa.624a9370" + volume.serial.lower()
        assert re.fullmatch(r"eui\.00[0-9a-f]{14}24a937[0-9a-f]{10}", volume.eui)


def test_every_initiator_of_a_host_is_known_to_the_arrays_that_serve_it(environment: Environment) -> None:
    for path in environment.paths:
        hba = environment.hbas[path.hba]
        names = {hba.wwpn or hba.iqn or hba.nqn}
        known = [
            host
            for host in environment.array_hosts
            if host.array == path.array and names & {*host.wwns, *host.iqns, *host.nqns}
        ]
        assert [host.esxi_host for host in known] == [hba.host]
        connected = {link.volume for link in environment.connections if link.array_host == known[0].index}
        assert environment.devices[path.device].volume in connected


def assert_consistent(environment: Environment) -> None:
    for name, records in vars(environment).items():
        if isinstance(records, tuple):
            assert [record.index for record in records] == list(range(len(records))), name
    for kind in (environment.vms, environment.datastores, environment.hosts):
        morefs = Counter((record.vcenter, record.moref) for record in kind)
        assert max(morefs.values()) == 1
    for records in (environment.volumes, environment.arrays):
        assert len({record.id for record in records}) == len(records)
    for disk in environment.disks:
        host = environment.hosts[environment.vms[disk.vm].home_host]
        store = environment.datastores[disk.datastore]
        assert host.index in store.hosts
        for volume in disk.volumes:
            environment.device(host.index, volume if store.endpoint is None else store.endpoint)
    instances = Counter((disk.vm, disk.instance) for disk in environment.disks)
    assert max(instances.values()) == 1
    luns = Counter((link.array_host, link.lun) for link in environment.connections)
    assert max(luns.values()) == 1


def test_indexes_references_and_numbers_are_consistent(environment: Environment) -> None:
    assert_consistent(environment)


def test_the_large_scale_has_what_the_benchmarks_ask_for() -> None:
    large = build_environment(1, LARGE)
    assert_consistent(large)
    assert sum(len(host.devices) >= 40 for host in large.hosts) == 100
    assert sum(len(vm.disks) == 3 for vm in large.vms) >= 2000
    assert len(large.volumes) >= 2000


@examples(max_examples=15, deadline=None)
@given(
    arrays=st.integers(0, 3),
    vcenters=st.integers(0, 2),
    clusters=st.integers(1, 3),
    hosts=st.integers(1, 4),
    datastores=st.integers(1, 6),
    vms=st.integers(0, 60),
    disks=st.integers(1, 9),
    bare=st.integers(0, 60),
)
def test_any_scale_builds_a_consistent_environment(
    arrays: int, vcenters: int, clusters: int, hosts: int, datastores: int, vms: int, disks: int, bare: int
) -> None:
    assert_consistent(build_environment(3, Scale(arrays, vcenters, clusters, hosts, datastores, vms, disks, bare)))


def test_a_scale_is_named_or_counted() -> None:
    assert Scale.parse("default") == Scale()
    assert Scale.parse("large,vms=4000") == Scale(arrays=2, vcenters=1, clusters=10, vms=4000, bare_volumes=1600)


@pytest.mark.parametrize("text", ["huge", "vms", "vms=", "vms=-3", "vms=3", "clusters=1,hosts_per_cluster=0", "="])
def test_a_scale_that_cannot_be_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected default|need clusters|at least 1"):
        Scale.parse(text)


@pytest.mark.parametrize("text", ["purity=6.3", "old_purity=new", "new_ms_rounding=up", "new_ms_rounding"])
def test_a_setting_that_cannot_be_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(repr(text))):
        Settings().with_([text])
