"""Changes at a vCenter as every stage follows them: the lab's own protocol at one end, the database at the other."""

import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text
from tests.waiting import wait_for

from gavel.admin import sources
from gavel.admin.health import warnings
from gavel.db.engine import reading
from gavel.db.queries.sources import source_health
from gavel.domain.source import Stream
from gavel.ingest.backfill import NO_VALUE, backfill, find_holes
from gavel.ingest.inventory import refresh_inventory
from gavel.ingest.live import collect_live
from gavel.ingest.worker import WorkerContext
from gavel.vault import load_vault
from gavel_lab import sources as serving
from gavel_lab.environment import Vm
from gavel_lab.lab import Lab, create_lab

VCENTER = "vcenter-2"


@dataclass
class Followed:
    """A lab, a workplace, and the one source it reads: a vCenter."""

    lab: Lab
    place: WorkerContext
    source_id: int

    @property
    def vm(self) -> Vm:
        """A VM that stays where it is."""
        centers = self.lab.environment.vcenters
        return next(vm for vm in self.lab.environment.vms if centers[vm.vcenter].name == VCENTER and not vm.commute)

    def rows(self, query: str, **parameters: object) -> list[tuple[object, ...]]:
        with self.place.engine.connect() as connection:
            known = {"source_id": self.source_id, "key": self.vm.moref} | parameters
            return [tuple(row) for row in connection.execute(text(query), known)]

    def catch_up(self) -> None:
        while backfill(self.place, self.source_id, budget_s=30):
            pass


@pytest.fixture
def followed(postgres_url: str, tmp_path: Path) -> Iterator[Followed]:
    lab = create_lab()
    served = serving.serve_lab(lab, 0, tmp_path / "lab")
    (announced,) = (each for each in served.announcement if each["name"] == VCENTER)
    place = WorkerContext.open(postgres_url, tmp_path / "key")
    settings = dict(announced["settings"])  # type: ignore[call-overload]
    pin = settings.pop("tls_sha256")
    source_id = sources.register(
        place.engine, load_vault(tmp_path / "key"), kind="vcenter", name=VCENTER,
        settings={"address": announced["address"], "fingerprint_sha256": pin, **settings},
    )  # fmt: skip
    yield Followed(lab, place, source_id)
    place.close()
    served.stop()


def test_the_time_a_vm_was_off_is_an_explained_gap_of_that_vm_alone(followed: Followed) -> None:
    off_at = time.time() // 60 * 60 - 8 * 60
    followed.lab.placement.switch(followed.vm.index, off_at, on=False)
    followed.lab.placement.switch(followed.vm.index, off_at + 120, on=True)
    collect_live(followed.place, followed.source_id)
    followed.catch_up()
    assert find_holes(followed.place) == 1
    followed.catch_up()
    ((stream, key, reason, from_at, to_at),) = followed.rows(
        "SELECT stream, entity_key, reason, extract(epoch FROM from_at)::float8, extract(epoch FROM to_at)::float8 FROM gap "
        "WHERE state = 'explained' AND source_id = :source_id AND entity_key IS NOT NULL"
    )
    assert (stream, key, reason) == (Stream.VM_DISK, followed.vm.moref, NO_VALUE)
    # The host stamps by its own clock; a sample that is partly off is not delivered at all.
    assert from_at == pytest.approx(off_at, abs=30)
    assert to_at == pytest.approx(off_at + 120, abs=30)
    assert followed.rows("SELECT id FROM gap WHERE state = 'pending_backfill'") == []
    # Nobody else was asked for it.
    ((samples,),) = followed.rows(
        "SELECT samples FROM collection_run WHERE source_id = :source_id AND queue = 'backfill' AND stream = 'vm_disk'"
        " ORDER BY id DESC LIMIT 1"
    )
    assert isinstance(samples, int)
    assert samples <= 12 * len(followed.vm.disks)


def test_a_vm_that_is_renamed_moved_and_powered_off_stays_the_same_vm(followed: Followed) -> None:
    look = (
        "SELECT v.id, v.name, v.power_state, h.name FROM vm v JOIN esxi_host h ON h.id = v.host_id "
        "WHERE v.source_id = :source_id AND v.key = :key"
    )
    refresh_inventory(followed.place, followed.source_id)
    ((vm_id, name, power_state, host),) = followed.rows(look)
    other = another_host(followed)
    for act in (
        {"kind": "rename_vm", "vm": name, "name": "renamed"},
        {"kind": "vmotion", "vm": "renamed", "host": other},
        {"kind": "power", "vm": "renamed", "state": "off"},
    ):
        followed.lab.faults.add({"source": VCENTER, **act})

    def moved() -> bool:
        refresh_inventory(followed.place, followed.source_id)
        return followed.rows(look) == [(vm_id, "renamed", "poweredOff", other)]

    # The lab looks at where its VMs are a few times a second.
    wait_for(moved, "VM renamed, off and on its new host")
    assert power_state == "poweredOn"
    events = followed.rows(
        "SELECT kind, before, after FROM event WHERE subject_table = 'vm' AND subject_id = :id", id=vm_id
    )
    told = {(before, after) for _, before, after in events}
    assert {(name, "renamed"), (host, other), ("poweredOn", "poweredOff")} <= told, events


def another_host(followed: Followed) -> str:
    """A host the VM can go to."""
    environment, vm = followed.lab.environment, followed.vm
    stores = {environment.disks[disk].datastore for disk in vm.disks}
    hosts = (environment.hosts[index] for index in environment.clusters[vm.cluster].hosts if index != vm.home_host)
    return next(host.name for host in hosts if stores <= set(host.datastores))


def warned(followed: Followed) -> list[str]:
    with reading(followed.place.engine) as connection:
        return warnings(source_health(connection, followed.place.now(), followed.source_id)[0])


def test_what_a_vcenter_keeps_from_its_account_is_told_until_it_is_granted(
    followed: Followed, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment = followed.lab.environment
    refusing, *_ = (host for host in environment.hosts if environment.vcenters[host.vcenter].name == VCENTER)
    esxcli = f'<_this type="HostSystem">{refusing.moref}</_this></RetrieveManagedMethodExecuter>'
    followed.lab.faults.add({"source": VCENTER, "kind": "refuse", "privilege": "Host.Config.Settings", "match": esxcli})
    followed.lab.faults.add(
        {"source": VCENTER, "kind": "refuse", "privilege": "System.Read", "match": "HasPrivilegeOnEntity"}
    )
    refresh_inventory(followed.place, followed.source_id)
    root, queues = warned(followed)
    assert root.startswith(
        "System.Read is missing on the top of the vCenter's inventory: hosts, datastores and VMs may be hidden."
    )
    assert queues.startswith(
        f"The queue settings of {refusing.name} may not be read (the privilege Host.Config.Settings is missing): "
    )
    depths = (
        "SELECT count(d.dsnro) > 0 FROM host_device d JOIN esxi_host h ON h.id = d.host_id "
        "WHERE h.source_id = :source_id AND h.key {} :host"
    )
    assert followed.rows(depths.format("="), host=refusing.moref) == [(False,)]
    assert followed.rows(depths.format("<>"), host=refusing.moref) == [(True,)]

    followed.lab.faults.remove()
    refresh_inventory(followed.place, followed.source_id)
    assert warned(followed) == [queues], "a host that refused is not asked again at once"
    monkeypatch.setattr("gavel.collectors.hosts.vcenter.probing._REFUSED_AGE", timedelta(0))
    refresh_inventory(followed.place, followed.source_id)
    assert warned(followed) == []
    assert followed.rows(depths.format("="), host=refusing.moref) == [(True,)]


def test_every_path_has_its_samples_whatever_the_inventory_calls_it(followed: Followed) -> None:
    refresh_inventory(followed.place, followed.source_id)
    collect_live(followed.place, followed.source_id)
    sampled = "EXISTS (SELECT FROM path_sample s WHERE s.entity_id = p.id AND s.read_ops IS NOT NULL)"
    found = followed.rows(
        f"SELECT count(*) FILTER (WHERE {sampled}), count(is_optimized), count(*) > 0,"
        " bool_and(name <> counter AND name LIKE 'vmhba%') FROM path p WHERE source_id = :source_id AND present"
    )
    paths = sum(
        len(device.paths)
        for device in followed.lab.environment.devices
        if followed.lab.environment.vcenters[followed.lab.environment.hosts[device.host].vcenter].name == VCENTER
    )
    assert found == [(paths, paths, True, True)]
    assert warned(followed) == []


def test_a_vm_that_its_vcenter_cannot_answer_for_is_named_where_its_source_is(followed: Followed) -> None:
    fault = {"source": VCENTER, "kind": "entity_fault", "match": f"{followed.vm.moref}/", "fault": "InvalidState"}
    followed.lab.faults.add(fault)
    collect_live(followed.place, followed.source_id)
    (sentence,) = warned(followed)
    assert sentence.startswith(f"{followed.vm.name} has no virtual disk samples: ")
    disks = (
        "SELECT count(DISTINCT k.vm_id), count(DISTINCT k.vm_id) FILTER (WHERE v.key = :key)"
        " FROM vm_disk_sample s JOIN vm_disk k ON k.id = s.entity_id JOIN vm v ON v.id = k.vm_id"
        " WHERE k.source_id = :source_id"
    )
    ((others, own),) = followed.rows(disks)
    assert own == 0
    assert others > 10  # type: ignore[operator]
