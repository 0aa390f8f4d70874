"""Which virtual disk a guest's disk is: by what it calls itself, never against what its guest is."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.domain.guest_matching import (
    DiskMatch,
    GuestDiskFacts,
    MatchedBy,
    UnmatchedReason,
    VmDiskFacts,
    VmFacts,
    VmIndex,
    disk_uuid,
    match_disks,
    swapped,
)
from gavel.domain.guests import DiskIdentity, GuestDiskKind, GuestIdentity

BIOS = "421a0c5e11223344aabbccddeeff0011"
UUID = "6000c294e9da41377ffbeda45b97abeb"
OTHER = "6000c29aaaaaaaaaaaaaaaaaaaaaaaaa"
GIB = 2**30
VMS = [
    VmFacts(1, frozenset({BIOS}), frozenset({"web-01", "web-01.example.org"}), frozenset({"192.0.2.10"})),
    VmFacts(2, frozenset(), frozenset({"db-01"}), frozenset({"192.0.2.20"})),
]
DISKS = [
    VmDiskFacts(11, 1, "scsi0:0", UUID, None, 40 * GIB),
    VmDiskFacts(12, 1, "scsi0:1", OTHER, None, 100 * GIB),
    VmDiskFacts(13, 1, "scsi0:2", None, "naa.624a9370aabbccddeeff001122334455", 100 * GIB),
    VmDiskFacts(21, 2, "scsi0:0", None, None, 40 * GIB),
]
INDEX = VmIndex(VMS, DISKS)


def disk(host: str = "web-01", *, number: int = 1, token: int = 1, **identity: object) -> GuestDiskFacts:
    return GuestDiskFacts(number, token, GuestIdentity(host), GuestDiskKind.DISK, DiskIdentity(**identity))  # type: ignore[arg-type]


def found(*disks: GuestDiskFacts) -> list[tuple[object, ...]]:
    return [(match.vm_disk_id, match.by or match.reason, match.suggested_id) for match in match_disks(disks, INDEX)]


@pytest.mark.parametrize(
    "serial", [UUID, f"naa.{UUID}", f"0x{UUID}", f"3{UUID}", "6000C294-e9da-4137-7ffb-eda45b97abeb", f"SVMware_{UUID}"]
)
def test_a_serial_number_is_the_uuid_of_a_virtual_disk_in_every_form(serial: str) -> None:
    assert found(disk(serial=serial)) == [(11, MatchedBy.DISK_UUID, None)]
    # Also where nothing else says which VM it is.
    assert found(disk("no-vm-of-that-name", serial=serial)) == [(11, MatchedBy.DISK_UUID, None)]


def test_a_guest_that_is_another_vm_does_not_get_the_disk_whose_uuid_it_sends() -> None:
    assert found(disk("db-01", serial=UUID)) == [(None, UnmatchedReason.CONTRADICTORY, None)]


def test_two_guests_that_claim_one_virtual_disk_both_lose_it_and_a_tie_by_hand_holds() -> None:
    first, second = disk("here", serial=UUID), disk("there", number=2, serial=UUID)
    assert found(first, second) == [(None, UnmatchedReason.CLAIMED_TWICE, None)] * 2
    assert found(replace(first, tied_to=11), second) == [
        (11, MatchedBy.HAND, None),
        (None, UnmatchedReason.CLAIMED_TWICE, None),
    ]
    # A guest whose token was replaced has one row per token.
    assert found(disk(serial=UUID), disk(number=2, token=2, serial=UUID)) == [(11, MatchedBy.DISK_UUID, None)] * 2
    assert found(replace(disk(serial=UUID), tied_to=11), disk(number=2, token=2, serial=UUID)) == [
        (11, MatchedBy.HAND, None),
        (None, UnmatchedReason.CLAIMED_TWICE, None),
    ]
    # Two agents of one guest are no contradiction.
    assert (
        found(disk(serial=UUID), disk("WEB-01.example.org", number=2, serial=UUID))
        == [(11, MatchedBy.DISK_UUID, None)] * 2
    )


@pytest.mark.parametrize(
    ("identity", "expected"),
    [
        ({"tools_name": "scsi0:1"}, (12, MatchedBy.TOOLS_NAME, None)),
        ({"scsi_address": "2:0:1:0"}, (12, MatchedBy.SCSI_ADDRESS, None)),
        ({"serial": "624a9370aabbccddeeff001122334455"}, (13, MatchedBy.DEVICE_SERIAL, None)),
        ({"scsi_address": "2:0:9:0"}, (None, UnmatchedReason.NO_IDENTITY, None)),
        ({"capacity_bytes": 40 * GIB}, (None, UnmatchedReason.NO_IDENTITY, 11)),
        ({"capacity_bytes": 100 * GIB}, (None, UnmatchedReason.NO_IDENTITY, None)),
        ({"serial": "33445"}, (None, UnmatchedReason.NO_IDENTITY, None)),
    ],
)
def test_within_its_vm_a_disk_is_matched_by_what_names_it_and_size_is_only_a_suggestion(
    identity: dict[str, Any], expected: tuple[object, ...]
) -> None:
    assert found(disk(**identity)) == [expected]


def test_a_scsi_address_says_nothing_where_there_are_several_controllers() -> None:
    index = VmIndex(VMS, [*DISKS, VmDiskFacts(14, 1, "scsi1:0", None, None, GIB)])
    (match,) = match_disks([disk(scsi_address="2:0:1:0")], index)
    assert (match.vm_disk_id, match.reason) == (None, UnmatchedReason.NO_IDENTITY)


@pytest.mark.parametrize("uuid", [BIOS, swapped(BIOS)])
def test_a_vm_is_identified_by_its_bios_uuid_in_either_byte_order_whatever_its_name_is(uuid: str) -> None:
    guest = GuestIdentity("renamed", bios_uuid=uuid)
    assert found(replace(disk(tools_name="scsi0:0"), guest=guest)) == [(11, MatchedBy.TOOLS_NAME, None)]


def test_a_name_and_a_uuid_that_speak_for_different_vms_are_contradictory() -> None:
    identities: list[dict[str, Any]] = [{"tools_name": "scsi0:0"}, {"serial": UUID}, {"scsi_address": "2:0:1:0"}]
    for identity in identities:
        claim = replace(disk(**identity), guest=GuestIdentity("db-01", bios_uuid=BIOS))
        (match,) = match_disks([claim], INDEX)
        assert (match.vm_disk_id, match.reason, match.vm_id) == (None, UnmatchedReason.CONTRADICTORY, None)


@pytest.mark.parametrize(
    "guest",
    [
        GuestIdentity("db-01"),
        GuestIdentity("db-01", bios_uuid=BIOS),
        GuestIdentity("no-vm", bios_uuid=BIOS),
        GuestIdentity("no-vm", addresses=("192.0.2.10",)),
        GuestIdentity("no-vm"),
        GuestIdentity("web-01", bios_uuid=BIOS, addresses=("192.0.2.10",)),
    ],
)
@pytest.mark.parametrize(
    "identity", [{"serial": UUID}, {"tools_name": "scsi0:0"}, {"serial": "624a9370aabbccddeeff001122334455"}]
)
@pytest.mark.parametrize("names", [{"db-01"}, {"no-vm"}, {"db-01", "no-vm"}])
def test_a_limited_token_matches_and_silences_nothing_outside_its_vms(
    guest: GuestIdentity, identity: dict[str, Any], names: set[str]
) -> None:
    claim = replace(disk(number=2, token=2, **identity), guest=guest, token_vms=frozenset(names))
    honest = replace(disk(serial=UUID), guest=GuestIdentity("web-01", bios_uuid=BIOS))
    first, second = match_disks([honest, claim], INDEX)
    assert (first.vm_disk_id, first.by) == (11, MatchedBy.DISK_UUID)
    assert second.vm_disk_id in (None, 21)
    assert second.vm_id in (None, 2)


def test_a_limited_token_matches_within_its_vms() -> None:
    mine = replace(disk(serial=UUID), token_vms=frozenset({"web-01", "gone"}))
    by_address = replace(mine, guest=GuestIdentity("localhost", addresses=("192.0.2.10",)))
    assert found(mine) == found(by_address) == [(11, MatchedBy.DISK_UUID, None)]


@given(st.text("0123456789abcdef", min_size=32, max_size=32))
def test_swapping_bytes_twice_is_nothing(uuid: str) -> None:
    assert swapped(swapped(uuid)) == uuid


def test_a_guest_without_a_name_of_a_vm_is_identified_by_its_address() -> None:
    guest = GuestIdentity("localhost", addresses=("10.9.9.9", "192.0.2.20"))
    assert found(replace(disk(tools_name="scsi0:0"), guest=guest)) == [(21, MatchedBy.TOOLS_NAME, None)]


def test_of_clones_that_share_a_uuid_the_name_decides() -> None:
    clone = VmFacts(3, frozenset({BIOS}), frozenset({"web-02"}))
    index = VmIndex([*VMS, clone], [*DISKS, VmDiskFacts(31, 3, "scsi0:0", UUID, None, 40 * GIB)])
    of_both = replace(disk("web-02", serial=UUID), guest=GuestIdentity("web-02", bios_uuid=BIOS))
    assert match_disks([of_both], index) == [DiskMatch(1, 31, MatchedBy.DISK_UUID, vm_id=3)]
    unnamed = replace(disk("web-03", serial=UUID), guest=GuestIdentity("web-03"))
    assert match_disks([unnamed], index)[0].reason is UnmatchedReason.SEVERAL_VMS


def test_a_stranger_and_a_volume_of_windows_are_not_matched() -> None:
    volume = replace(disk(serial=UUID), kind=GuestDiskKind.LOGICAL)
    assert found(disk("nobody"), volume) == [
        (None, UnmatchedReason.NO_VM, None),
        (None, UnmatchedReason.NOT_A_WHOLE_DISK, None),
    ]


def test_whose_guest_it_is_is_known_of_what_is_no_whole_disk_too() -> None:
    file = replace(disk("web-01"), kind=GuestDiskKind.DATABASE_FILE)
    matches = match_disks([file, replace(disk("nobody"), kind=GuestDiskKind.DATABASE_FILE)], VmIndex(VMS, DISKS))
    assert [(each.vm_disk_id, each.vm_id) for each in matches] == [
        (None, 1),
        (None, None),
    ]


def test_what_is_no_uuid_of_a_virtual_disk_is_none() -> None:
    assert disk_uuid(None) is disk_uuid("") is disk_uuid("naa.624a9370aabbccddeeff001122334455") is None
