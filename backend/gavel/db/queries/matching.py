"""Why a host-side thing is tied to an array, or why not, in words."""

from collections.abc import Sequence

from gavel.db.queries.rows import Match, MatchBy
from gavel.domain.device_names import name_form, volume_serial
from gavel.domain.inventory import DatastoreType

# Volumes with the serial of a device; both sides of a stretched one are one.
VOLUMES_BEHIND = """
    SELECT CASE WHEN count(DISTINCT v.source_id) < count(*) THEN count(*)
                ELSE count(DISTINCT coalesce(p.key, v.id::text)) END
    FROM volume v LEFT JOIN pod p ON p.id = v.pod_id WHERE v.present AND v.serial = {serial}
"""


def device_match(canonical_name: str, *, vendor: str | None, volumes: int) -> Match:
    """Of one device, behind whose serial `volumes` different volumes were found."""
    serial = volume_serial(canonical_name)
    if serial is None:
        of = f" ({vendor.strip()})" if vendor and vendor.strip() else ""
        return _not(f"{canonical_name}{of} is not named as a FlashArray volume: local, or of another vendor.")
    if volumes == 0:
        return _not(
            f"No polled array has a volume with serial {serial} ({canonical_name}). Add its array under Sources."
        )
    if volumes > 1:
        return _not(
            f"{volumes} volumes have the serial {serial} ({canonical_name}); which of them is meant cannot be told."
        )
    return Match(matched=True, by=_form(canonical_name), reason=None)


def extents_match(matches: Sequence[Match]) -> Match:
    """Of a VMFS datastore: all of its extents, or the first reason against."""
    if not matches:
        return _not("vCenter names no extent of this datastore; its hosts may be disconnected.")
    unmatched = [match for match in matches if not match.matched]
    if not unmatched:
        return matches[0]
    part = f"{len(unmatched)} of {len(matches)} extents: " if len(matches) > 1 else ""
    return _not(f"{part}{unmatched[0].reason}")


def nfs_match(host: str | None, path: str | None, *, exports: int, arrays: int) -> Match:
    if exports:
        return Match(matched=True, by=MatchBy.NFS_EXPORT, reason=None)
    if arrays:
        return _not(f"The array at {host} has no enabled export {path}.")
    return _not(f"No polled array serves files at {host} (export {path}). Add its array under Sources.")


def vvol_match(*, disks: int, matched_disks: int, arrays: int) -> Match:
    if matched_disks:
        return Match(matched=True, by=MatchBy.VVOL_TAG, reason=None)
    if disks:
        return _not(f"No volume of a polled array carries the vVol id of any of the {disks} virtual disks.")
    if arrays:
        return Match(matched=True, by=MatchBy.VVOL_TAG, reason=None)
    return _not("No virtual disk is on it, and its storage array is not polled.")


def other_match(kind: str) -> Match:
    if kind == DatastoreType.VSAN:
        return _not("vSAN keeps its data on the hosts' own disks: no array is involved.")
    return _not(f"Datastores of type {kind} are not matched with arrays.")


def disk_match(datastore: Match | None, *, device_name: str | None, vvol_id: str | None, volumes: int) -> Match:
    """Of a virtual disk: by its own device or vVol, else as its datastore."""
    if device_name is not None:
        match = device_match(device_name, vendor=None, volumes=min(volumes, 1))
        return Match(matched=True, by=MatchBy.RDM, reason=None) if match.matched else match
    if vvol_id is not None:
        if volumes:
            return Match(matched=True, by=MatchBy.VVOL_TAG, reason=None)
        return _not(f"No volume of a polled array carries the vVol id {vvol_id}.")
    return datastore or _not("The disk's datastore is not in the inventory.")


def _form(canonical_name: str) -> MatchBy | None:
    form = name_form(canonical_name)
    return None if form is None else MatchBy(form.value)


def _not(reason: str) -> Match:
    return Match(matched=False, by=None, reason=reason)
