"""Devices as hosts see them, with their paths and the volume behind each."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import RowMapping, text

from gavel.db.engine import Connection
from gavel.db.queries.matching import VOLUMES_BEHIND, ArrayMatch, device_match
from gavel.db.queries.newest import NO_NUMBERS, DeviceNumbers, NewestMinute, device_numbers
from gavel.db.queries.refs import EntityRef, RefKind
from gavel.domain.inventory import DOWN_STATES
from gavel.domain.path_policy import PathPolicy


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """A device on one host. `queue_depth`, in I/Os, is what is set; `dsnro` where it could be read."""

    id: int
    host: EntityRef
    canonical_name: str
    queue_depth: int | None
    dsnro: int | None
    path_policy: PathPolicy | None
    paths_total: int
    paths_working: int
    volume: EntityRef | None
    match: ArrayMatch
    newest: DeviceNumbers


# Of a stretched volume, which is on two arrays under one serial, the one with the lower id.
_DEVICES = f"""
    SELECT d.id, d.canonical_name, d.vendor, d.queue_depth, d.dsnro, d.path_policy, h.id AS host_id, h.name AS host_name,
           p.paths, p.working, v.volume_id, v.volume_name,
           ({VOLUMES_BEHIND.format(serial="d.volume_serial")}) AS volumes
    FROM host_device d JOIN esxi_host h ON h.id = d.host_id
    CROSS JOIN LATERAL (
        SELECT count(*) AS paths, count(*) FILTER (WHERE p.state <> ALL(:down)) AS working
        FROM path p WHERE p.host_device_id = d.id AND p.present) p
    CROSS JOIN LATERAL (
        SELECT min(v.id) AS volume_id, (array_agg(v.name ORDER BY v.id))[1] AS volume_name
        FROM volume v WHERE v.serial = d.volume_serial AND v.present) v
    WHERE d.id = ANY(:ids) ORDER BY h.name, d.canonical_name
"""


def device_rows(connection: Connection, ids: Sequence[int], minute: NewestMinute) -> tuple[DeviceRow, ...]:
    """By host and name, with the newest numbers."""
    newest = device_numbers(connection, ids, minute)
    rows = connection.execute(text(_DEVICES), {"ids": list(ids), "down": list(DOWN_STATES)}).mappings()
    return tuple(_row(row, newest.get(row["id"], NO_NUMBERS)) for row in rows)


def _row(row: RowMapping, newest: DeviceNumbers) -> DeviceRow:
    volume = None if row["volume_id"] is None else EntityRef(RefKind.VOLUME, row["volume_id"], row["volume_name"])
    return DeviceRow(
        id=row["id"],
        host=EntityRef(RefKind.HOST, row["host_id"], row["host_name"]),
        canonical_name=row["canonical_name"],
        queue_depth=row["queue_depth"],
        dsnro=row["dsnro"],
        path_policy=None if row["path_policy"] is None else PathPolicy.parse(row["path_policy"]),
        paths_total=row["paths"],
        paths_working=row["working"],
        volume=volume,
        match=device_match(row["canonical_name"], vendor=row["vendor"], volumes=row["volumes"]),
        newest=newest,
    )
