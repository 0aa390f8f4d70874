"""Which virtual disk a guest's disk is: by what the disk calls itself, within the VM that the guest is. Pure.

What only may be so (one disk of that size) is a suggestion, which a person confirms. What contradicts itself is no match: a guest whose
name is one VM's does not get another VM's disk, whatever serial number it sends.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from gavel.domain.guests import DiskIdentity, GuestDiskKind, GuestIdentity

# UUIDs that vSphere gives to virtual disks begin so; guests write them in many forms.
_DISK_UUID = re.compile(r"6000c29[0-9a-f]{25}")
_SCSI_ADDRESS = re.compile(r"\d+:\d+:(\d+):0")
_SHORTEST_SERIAL = 16


class MatchedBy(StrEnum):
    """How a guest's disk was matched, best first."""

    HAND = "hand"
    DISK_UUID = "disk_uuid"
    DEVICE_SERIAL = "device_serial"
    TOOLS_NAME = "tools_name"
    SCSI_ADDRESS = "scsi_address"


class UnmatchedReason(StrEnum):
    """Why it was not."""

    NO_VM = "no_vm"
    SEVERAL_VMS = "several_vms"
    CONTRADICTORY = "contradictory"
    CLAIMED_TWICE = "claimed_twice"
    NO_IDENTITY = "no_identity"
    NOT_A_WHOLE_DISK = "not_a_whole_disk"


@dataclass(frozen=True, slots=True)
class GuestDiskFacts:
    """token_vms: names of the only VMs that its token may write for, in lower case; None: any. tied_to: the virtual disk that a
    person tied it to."""

    id: int
    token_id: int
    guest: GuestIdentity
    kind: GuestDiskKind
    identity: DiskIdentity
    tied_to: int | None = None
    token_vms: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class VmFacts:
    """uuids: every UUID that the vCenter has of the VM, 32 hex digits. names: of the VM and its guest, in lower case."""

    id: int
    uuids: frozenset[str]
    names: frozenset[str]
    addresses: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class VmDiskFacts:
    """instance: scsi0:1. uuid: of its file, 32 hex digits. device_name: of a raw device."""

    id: int
    vm_id: int
    instance: str
    uuid: str | None
    device_name: str | None
    capacity_bytes: int | None


@dataclass(frozen=True, slots=True)
class DiskMatch:
    """vm_disk_id with by, or reason and what it may be. vm_id: whose it is, also of what is no whole disk."""

    disk_id: int
    vm_disk_id: int | None
    by: MatchedBy | None
    reason: UnmatchedReason | None = None
    suggested_id: int | None = None
    vm_id: int | None = None


class VmIndex:
    """VMs and virtual disks by what guests may call them."""

    def __init__(self, vms: Iterable[VmFacts], disks: Iterable[VmDiskFacts]) -> None:
        self._by_uuid, self._by_name, self._by_address = (defaultdict[str, set[int]](set) for _ in range(3))
        for vm in vms:
            for index, values in (
                (self._by_uuid, vm.uuids),
                (self._by_name, vm.names | {name.partition(".")[0] for name in vm.names}),
                (self._by_address, vm.addresses),
            ):
                for value in values:
                    index[value].add(vm.id)
        self.disks_of = defaultdict[int, list[VmDiskFacts]](list)
        self.by_disk_uuid = defaultdict[str, list[VmDiskFacts]](list)
        self._vm_of_disk: dict[int, int] = {}
        for disk in disks:
            self.disks_of[disk.vm_id].append(disk)
            self._vm_of_disk[disk.id] = disk.vm_id
            if disk.uuid:
                self.by_disk_uuid[disk.uuid].append(disk)

    def vms_of(self, disk: GuestDiskFacts) -> set[int] | None:
        """By the guest's UUID in either byte order, else by its name, else by its addresses; None where UUID and name contradict.

        A token that is limited to VMs matches within these only: UUIDs and serial numbers can be read by everybody.
        """
        guest, named = disk.guest, self._named(disk.guest.host_name)
        by_uuid: set[int] = set()
        if guest.bios_uuid:
            by_uuid = self._by_uuid.get(guest.bios_uuid, set()) | self._by_uuid.get(swapped(guest.bios_uuid), set())
        if by_uuid and named and not by_uuid & named:
            return None
        addressed = self._addressed(guest)
        vms = by_uuid or named or addressed
        # Clones share a UUID, and names may be used twice: the other marks narrow the choice.
        for others in (named, addressed):
            vms = (vms & others) or vms
        allowed = self.allowed_vms(disk)
        return vms if allowed is None else vms & allowed

    def allowed_vms(self, disk: GuestDiskFacts) -> set[int] | None:
        """VMs that its token is limited to; None: any."""
        if disk.token_vms is None:
            return None
        return {vm for name in disk.token_vms for vm in self._named(name)}

    def vm_of(self, disk: GuestDiskFacts, vm_disk_id: int | None) -> int | None:
        """Of the virtual disk; else the only VM that the guest may be."""
        if vm_disk_id is not None:
            return self._vm_of_disk.get(vm_disk_id)
        vms = self.vms_of(disk) or ()
        return next(iter(vms)) if len(vms) == 1 else None

    def _named(self, host_name: str) -> set[int]:
        name = host_name.lower()
        return self._by_name.get(name) or self._by_name.get(name.partition(".")[0], set())

    def _addressed(self, guest: GuestIdentity) -> set[int]:
        return {vm for address in guest.addresses for vm in self._by_address.get(address, ())}


def match_disks(disks: Sequence[GuestDiskFacts], index: VmIndex) -> list[DiskMatch]:
    """One for each disk, in order."""
    matches = _without_double_claims(disks, [_match(disk, index) for disk in disks])
    return [
        replace(match, vm_id=index.vm_of(disk, match.vm_disk_id)) for disk, match in zip(disks, matches, strict=True)
    ]


def _match(disk: GuestDiskFacts, index: VmIndex) -> DiskMatch:
    if disk.tied_to is not None:
        return DiskMatch(disk.id, disk.tied_to, MatchedBy.HAND)
    if disk.kind is not GuestDiskKind.DISK:
        return DiskMatch(disk.id, None, None, UnmatchedReason.NOT_A_WHOLE_DISK)
    vms = index.vms_of(disk)
    if vms is None:
        return DiskMatch(disk.id, None, None, UnmatchedReason.CONTRADICTORY)
    by_uuid = index.by_disk_uuid.get(disk_uuid(disk.identity.serial) or "", [])
    if by_uuid:
        return _by_uuid(disk, by_uuid, vms or index.allowed_vms(disk))
    if len(vms) != 1:
        return DiskMatch(disk.id, None, None, UnmatchedReason.SEVERAL_VMS if vms else UnmatchedReason.NO_VM)
    (vm,) = vms
    return _within(disk, index.disks_of[vm])


def _by_uuid(disk: GuestDiskFacts, candidates: Sequence[VmDiskFacts], vms: set[int] | None) -> DiskMatch:
    """Copies of a VM may share the UUIDs of its disks. vms: what the guest may be; None: any."""
    fitting = [one for one in candidates if vms is None or one.vm_id in vms]
    if len(fitting) == 1:
        return DiskMatch(disk.id, fitting[0].id, MatchedBy.DISK_UUID)
    reason = UnmatchedReason.SEVERAL_VMS if fitting else UnmatchedReason.CONTRADICTORY
    return DiskMatch(disk.id, None, None, reason)


def _within(disk: GuestDiskFacts, candidates: Sequence[VmDiskFacts]) -> DiskMatch:
    """Of the disks of the VM that the guest is."""
    identity = disk.identity
    for by, found in (
        (MatchedBy.DEVICE_SERIAL, _by_device(identity.serial, candidates)),
        (MatchedBy.TOOLS_NAME, [one for one in candidates if one.instance == identity.tools_name]),
        (MatchedBy.SCSI_ADDRESS, _by_address(identity.scsi_address, candidates)),
    ):
        if len(found) == 1:
            return DiskMatch(disk.id, found[0].id, by)
    alike = [one for one in candidates if one.capacity_bytes and one.capacity_bytes == identity.capacity_bytes]
    suggested = alike[0] if len(alike) == 1 else candidates[0] if len(candidates) == 1 else None
    return DiskMatch(disk.id, None, None, UnmatchedReason.NO_IDENTITY, None if suggested is None else suggested.id)


def _by_device(serial: str | None, candidates: Sequence[VmDiskFacts]) -> list[VmDiskFacts]:
    """A raw device shows the array's own serial number."""
    digits = re.sub(r"[^0-9a-z]", "", (serial or "").lower()).removeprefix("naa").removeprefix("0x")
    if len(digits) < _SHORTEST_SERIAL:
        return []
    return [one for one in candidates if one.device_name and one.device_name.lower().endswith(digits)]


def _by_address(address: str | None, candidates: Sequence[VmDiskFacts]) -> list[VmDiskFacts]:
    """The target is the unit number; which controller it is at is clear only where there is one."""
    found = _SCSI_ADDRESS.fullmatch(address or "")
    controllers = {one.instance.partition(":")[0] for one in candidates if one.instance.startswith("scsi")}
    if found is None or len(controllers) != 1:
        return []
    return [one for one in candidates if one.instance == f"{next(iter(controllers))}:{found[1]}"]


def _without_double_claims(disks: Sequence[GuestDiskFacts], matches: list[DiskMatch]) -> list[DiskMatch]:
    """Two guests cannot have one virtual disk; what a person tied holds.

    One guest with several tokens is no contradiction: its token was replaced, and the samples of the newest one count.
    """
    claims = defaultdict[int, set[str]](set)
    tied = defaultdict[int, set[tuple[int, str]]](set)
    claimants = [(disk.token_id, disk.guest.host_name.lower().partition(".")[0]) for disk in disks]
    for claimant, match in zip(claimants, matches, strict=True):
        if match.vm_disk_id is not None:
            claims[match.vm_disk_id].add(claimant[1])
            if match.by is MatchedBy.HAND:
                tied[match.vm_disk_id].add(claimant)
    kept = []
    for claimant, match in zip(claimants, matches, strict=True):
        if match.vm_disk_id is not None and match.by is not MatchedBy.HAND:
            others = tied.get(match.vm_disk_id, set()) - {claimant}
            if others or len(claims[match.vm_disk_id]) > 1:
                kept.append(DiskMatch(match.disk_id, None, None, UnmatchedReason.CLAIMED_TWICE))
                continue
        kept.append(match)
    return kept


def disk_uuid(text: str | None) -> str | None:
    """32 hex digits of a virtual disk's UUID in a serial number, WWN or wwid, or in what the vCenter has; None where there is none."""
    found = _DISK_UUID.search(re.sub(r"[-\s]", "", (text or "").lower()))
    return found[0] if found else None


def swapped(uuid: str) -> str:
    """The other byte order of the first three groups, in which some firmware has a BIOS UUID."""
    first, second, third = uuid[:8], uuid[8:12], uuid[12:16]
    return "".join(bytes.fromhex(part)[::-1].hex() for part in (first, second, third)) + uuid[16:]
