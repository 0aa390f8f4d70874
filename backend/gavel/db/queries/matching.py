"""Why a thing of one side is tied to one of the other, or why not and what to do about it, in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from gavel.domain.inventory import DatastoreType
from gavel.domain.naming import name_form, volume_serial


class MatchBy(StrEnum):
    NAA = "naa"
    EUI = "eui"
    RDM = "rdm"
    VVOL_TAG = "vvol_tag"
    NFS_EXPORT = "nfs_export"


@dataclass(frozen=True, slots=True)
class ArrayMatch:
    """How a host-side object was matched to the array, or why not and the remedy. `needs_action`: a match is expected."""

    matched: bool
    by: MatchBy | None = None
    reason: str | None = None
    remedy: str | None = None
    needs_action: bool = False


# Volumes with the serial of a device; both sides of a stretched one are one.
_DIFFERENT = """
    CASE WHEN count(DISTINCT v.source_id) < count(*) THEN count(*) ELSE count(DISTINCT coalesce(p.key, v.id::text)) END AS volumes
    FROM volume v LEFT JOIN pod p ON p.id = v.pod_id WHERE v.present
"""
VOLUMES_BEHIND = f"SELECT {_DIFFERENT} AND v.serial = {{serial}}"
# The same for every serial: (serial, volumes).
BY_SERIAL = f"SELECT v.serial, {_DIFFERENT} GROUP BY v.serial"
_ADD_ARRAY = "Add its array under Sources."
_ONE_TOO_MANY = "Look whether one array is polled as two sources; else disconnect the volume that is not in use."
_NOT_OURS = "Nothing to do: no array that Gavel can read is behind it."
_NAMES = 3


def device_match(canonical_name: str, *, vendor: str | None, volumes: int) -> ArrayMatch:
    """Of one device, behind whose serial `volumes` different volumes were found."""
    serial = volume_serial(canonical_name)
    if serial is None:
        of = f" ({vendor.strip()})" if vendor and vendor.strip() else ""
        return _not(
            f"{canonical_name}{of} is not named as a volume of an array that Gavel can read: local, or of another vendor.",
            _NOT_OURS,
            needs_action=False,
        )
    if volumes == 0:
        return _not(f"No polled array has a volume with serial {serial} ({canonical_name}).", _ADD_ARRAY)
    if volumes > 1:
        return _not(_shared(serial, volumes, f" ({canonical_name})"), _ONE_TOO_MANY)
    return ArrayMatch(matched=True, by=_form(canonical_name))


def path_match(host: str, path_names: Sequence[str]) -> ArrayMatch:
    """Of a path's counters that fit no path of the inventory. `path_names`: runtime names of the device's paths without counters."""
    if not path_names:
        return _not(
            f"Every path of this device on {host} has counters of its own; these are of a path that is not in the inventory.",
            "Rescan the host's storage in vCenter if the path should exist.",
        )
    shown = ", ".join(path_names[:_NAMES]) + (" …" if len(path_names) > _NAMES else "")
    return _not(
        f"The counters name a path otherwise than the inventory of {host}, where the device's paths without counters are {shown}.",
        "Let the account read the host's esxcli, which gives both names; if it may, report both names as a fault of Gavel.",
    )


def extents_match(matches: Sequence[ArrayMatch]) -> ArrayMatch:
    """Of a VMFS datastore: all of its extents, or the first reason against."""
    if not matches:
        return _not(
            "vCenter names no extent of this datastore; its hosts may be disconnected.",
            "Look at the hosts' connection in vCenter; the inventory is read again within minutes.",
        )
    unmatched = [match for match in matches if not match.matched]
    if not unmatched:
        return matches[0]
    # An extent that ought to be matched comes before one that need not.
    first = next((match for match in unmatched if match.needs_action), unmatched[0])
    part = f"{len(unmatched)} of {len(matches)} extents: " if len(matches) > 1 else ""
    return ArrayMatch(
        matched=False, reason=f"{part}{first.reason}", remedy=first.remedy, needs_action=first.needs_action
    )


def nfs_match(host: str | None, path: str | None, *, exports: int, directories: int, arrays: int) -> ArrayMatch:
    if host is None:
        return _not(
            "Its server and export were not read.", "Only the inventory of a vCenter has them.", needs_action=False
        )
    if directories:
        return ArrayMatch(matched=True, by=MatchBy.NFS_EXPORT)
    if exports:
        return _not(
            f"The array at {host} exports {path} from no managed directory that it lists, so that it does not measure it.",
            "Export a managed directory instead.",
        )
    if arrays:
        return _not(
            f"The array at {host} has no enabled export {path}.", "Enable the export, or unmount the datastore."
        )
    return _not(
        f"No polled array serves files at {host} (export {path}).",
        f"{_ADD_ARRAY} Gavel cannot read filers of other vendors.",
    )


def vvol_match(*, disks: int, matched_disks: int, arrays: int) -> ArrayMatch:
    if matched_disks:
        return ArrayMatch(matched=True, by=MatchBy.VVOL_TAG)
    if disks:
        return _not(
            f"No volume of a polled array carries the vVol id of any of the {disks} virtual disks.",
            "Look whether the user of the array's source may read volume tags." if arrays else _ADD_ARRAY,
        )
    if arrays:
        return ArrayMatch(matched=True, by=MatchBy.VVOL_TAG)
    return _not("No virtual disk is on it, and its storage array is not polled.", _ADD_ARRAY)


def other_match(kind: str) -> ArrayMatch:
    if kind == DatastoreType.VSAN:
        reason = "vSAN keeps its data on the hosts' own disks: no array is involved."
    else:
        reason = f"Datastores of type {kind} are not matched with arrays."
    return _not(reason, _NOT_OURS, needs_action=False)


def disk_match(
    datastore: ArrayMatch | None, *, device_name: str | None, vvol_id: str | None, volumes: int
) -> ArrayMatch:
    """Of a virtual disk: by its own device or vVol, else as its datastore."""
    if device_name is not None:
        match = device_match(device_name, vendor=None, volumes=min(volumes, 1))
        return ArrayMatch(matched=True, by=MatchBy.RDM) if match.matched else match
    if vvol_id is not None:
        if volumes:
            return ArrayMatch(matched=True, by=MatchBy.VVOL_TAG)
        return _not(
            f"No volume of a polled array carries the vVol id {vvol_id}.",
            f"{_ADD_ARRAY} If it is polled, look whether the source's user may read volume tags.",
        )
    return datastore or _not(
        "The disk's datastore is not in the inventory.", "It is read again within minutes; look at it in vCenter."
    )


def volume_match(
    serial: str, *, is_vvol: bool, volumes: int, hosts: Sequence[str], polled_hosts: Sequence[str], esxi: Sequence[str]
) -> ArrayMatch:
    """Why a volume that `hosts` are connected to is no device and no virtual disk. `polled_hosts`: to polled vCenters; `esxi`: by
    personality."""
    if volumes > 1:
        return _not(_shared(serial, volumes), _ONE_TOO_MANY)
    if polled_hosts and is_vvol:
        return _not(
            "A vVol that is no virtual disk: the home, the swap file or a snapshot of a VM.",
            "Nothing to do: a virtual disk's I/O is not in it.",
            needs_action=False,
        )
    if polled_hosts:
        return _not(
            f"Connected to {_named(polled_hosts)}, where no device has its serial {serial}.",
            "Rescan the storage adapters there; if it stays away, check zoning, LUN and masking.",
        )
    if esxi:
        return _not(
            f"Connected to {_named(esxi)}, which no polled vCenter has.",
            "Add the vCenter under Sources; if it is there, rescan the host's storage adapters.",
        )
    return _not(
        f"Connected to {_named(hosts)}, which no polled vCenter has and the array does not list as ESXi.",
        "Nothing to do unless it is an ESXi host: then add its vCenter under Sources.",
        needs_action=False,
    )


def export_match(name: str, *, directories: int) -> ArrayMatch:
    """Why an enabled export of an array is no datastore."""
    nowhere = f"No datastore of a polled vCenter mounts {name}"
    if directories:
        remedy = "Nothing to do unless ESXi hosts mount it: then add their vCenter under Sources."
        return _not(f"{nowhere}.", remedy, needs_action=False)
    return _not(f"{nowhere}, and no managed directory is behind it.", "Nothing to do.", needs_action=False)


def _shared(serial: str, volumes: int, device: str = "") -> str:
    return f"{volumes} volumes have the serial {serial}{device}; which of them is meant is ambiguous."


def _named(names: Sequence[str]) -> str:
    """The first ones, and how many more."""
    more = f" and {len(names) - _NAMES} more" if len(names) > _NAMES else ""
    return f"{', '.join(names[:_NAMES])}{more}"


def _form(canonical_name: str) -> MatchBy | None:
    form = name_form(canonical_name)
    return None if form is None else MatchBy(form.value)


def _not(reason: str, remedy: str, *, needs_action: bool = True) -> ArrayMatch:
    return ArrayMatch(matched=False, reason=reason, remedy=remedy, needs_action=needs_action)
