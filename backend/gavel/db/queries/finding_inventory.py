"""What rules of findings ask of the inventory, each by one statement for the whole environment."""

from collections.abc import Mapping, Sequence

from sqlalchemy import RowMapping, text

from gavel.db.engine import Connection
from gavel.domain.inventory import DOWN_STATES
from gavel.findings.evidence_rows import AdapterPaths, DeviceFacts, DeviceOwner, DownPath
from gavel.findings.model import ObjectRef

# Local disks that have no name of their own share one among hosts ("mpx.vmhba0:C0:T0:L0").
_LOCAL = "mpx.%"
SERVING = "h.present AND h.connection_state = 'connected' AND NOT h.in_maintenance"
_PER_DEVICE = f"""
    SELECT d.id, d.source_id, h.id AS host_id, h.name AS host, h.version, h.build, c.id AS cluster_id, c.name AS cluster, s.name AS source,
        d.canonical_name, d.vendor, d.model, d.queue_depth, d.dsnro, d.path_policy, d.is_protocol_endpoint, s.inventory_at,
        coalesce(p.paths, 0) AS paths, coalesce(p.down, 0) AS down, b.driver, b.queue_depth AS driver_depth
    FROM host_device d JOIN esxi_host h ON h.id = d.host_id AND {SERVING}
    JOIN source s ON s.id = d.source_id AND s.enabled AND s.inventory_at IS NOT NULL LEFT JOIN cluster c ON c.id = h.cluster_id
    LEFT JOIN (
        SELECT host_device_id, count(*) AS paths, count(*) FILTER (WHERE state = ANY(:down)) AS down, min(hba_id) AS hba_id
        FROM path WHERE present GROUP BY 1) p ON p.host_device_id = d.id
    LEFT JOIN hba b ON b.id = p.hba_id
    WHERE d.present AND d.canonical_name NOT LIKE :local
"""
# Devices of one name and cluster together, where a path is down or a host has fewer than another.
_PATH_TROUBLE = f"""
    SELECT * FROM (
        SELECT q.*, sum(down) OVER w AS all_down, max(paths) OVER w AS most, min(nullif(paths, 0)) OVER w AS least FROM ({_PER_DEVICE}) q
        WINDOW w AS (PARTITION BY source_id, cluster_id, canonical_name)
    ) g WHERE all_down > 0 OR least < most ORDER BY source_id, cluster_id, canonical_name, host, id
"""
_UNEQUAL = f"""
    SELECT * FROM (
        SELECT q.*, max(queue_depth) OVER w <> min(queue_depth) OVER w AS depths, max(dsnro) OVER w <> min(dsnro) OVER w AS dsnros,
            max(path_policy) OVER w <> min(path_policy) OVER w AS policies FROM ({_PER_DEVICE}) q
        WINDOW w AS (PARTITION BY source_id, canonical_name)
    ) g WHERE depths OR dsnros OR policies ORDER BY source_id, canonical_name, host, id
"""
_NAMED = f"""
    SELECT q.* FROM ({_PER_DEVICE}) q JOIN unnest(CAST(:sources AS int[]), CAST(:names AS text[])) AS n (source_id, canonical_name)
        USING (source_id, canonical_name) ORDER BY source_id, canonical_name, host, id
"""
_WITH_POLICY = f"""
    SELECT * FROM ({_PER_DEVICE}) q WHERE path_policy IS NOT NULL AND vendor IS NOT NULL AND paths > 1
    ORDER BY source_id, cluster_id, canonical_name, host, id
"""
_DOWN_PATHS = """
    SELECT p.host_device_id, p.hba_id, p.name, (
        SELECT min(a.name) FROM array_port r JOIN storage_array a ON a.source_id = r.source_id AND a.present
        WHERE r.present AND p.target IN (lower(r.wwn), r.iqn, r.nqn)) AS array_name
    FROM path p WHERE p.present AND p.state = ANY(:down) AND p.host_device_id = ANY(CAST(:ids AS int[])) ORDER BY p.name, p.id
"""
_DEAD_ADAPTERS = f"""
    SELECT b.id, b.host_id, b.device, count(*) AS paths, count(DISTINCT p.host_device_id) AS devices
    FROM path p JOIN hba b ON b.id = p.hba_id JOIN esxi_host h ON h.id = b.host_id AND {SERVING}
    WHERE p.present GROUP BY b.id, b.host_id, b.device
    HAVING bool_and(p.state = ANY(:down)) AND count(DISTINCT p.host_device_id) > 1
"""
# A datastore counts before the volume; of a stretched volume, which is on two arrays under one serial, the one with the lower id.
_OWNERS = """
    SELECT n.source_id, n.canonical_name, s.id AS datastore_id, s.name AS datastore, v.id AS volume_id, v.name AS volume,
        coalesce(k.vms, 0) AS vms
    FROM unnest(CAST(:sources AS int[]), CAST(:names AS text[])) AS n (source_id, canonical_name)
    LEFT JOIN LATERAL (
        SELECT t.id, t.name FROM datastore_extent x JOIN datastore t ON t.id = x.datastore_id AND t.present
        WHERE x.canonical_name = n.canonical_name AND t.source_id = n.source_id ORDER BY t.id LIMIT 1) s ON true
    LEFT JOIN LATERAL (
        SELECT v.id, v.name FROM host_device d JOIN volume v ON v.serial = d.volume_serial AND v.present
        WHERE s.id IS NULL AND d.present AND d.source_id = n.source_id AND d.canonical_name = n.canonical_name
        ORDER BY v.id LIMIT 1) v ON true
    LEFT JOIN (
        SELECT datastore_id, count(DISTINCT vm_id) AS vms FROM vm_disk WHERE present AND device_name IS NULL GROUP BY 1
    ) k ON k.datastore_id = s.id
"""


def devices_with_path_trouble(connection: Connection) -> list[DeviceFacts]:
    """Of every device with a path that is down, or with fewer paths on one host: all hosts of the cluster that see it."""
    return _facts(connection, _PATH_TROUBLE)


def devices_with_unequal_settings(connection: Connection) -> list[DeviceFacts]:
    """All hosts that see a device, where any two of them differ in queue depth, DSNRO or path policy."""
    return _facts(connection, _UNEQUAL)


def devices_named(connection: Connection, names: Sequence[tuple[int, str]]) -> list[DeviceFacts]:
    """All hosts that see the devices of these sources and canonical names."""
    return _facts(connection, _NAMED, sources=[source for source, _ in names], names=[name for _, name in names])


def devices_with_policy(connection: Connection) -> list[DeviceFacts]:
    """Of every host: devices with several paths whose policy was read."""
    return _facts(connection, _WITH_POLICY)


def down_paths(connection: Connection, device_ids: Sequence[int]) -> list[DownPath]:
    """By name."""
    rows = connection.execute(text(_DOWN_PATHS), {"down": list(DOWN_STATES), "ids": list(device_ids)})
    return [DownPath(*row) for row in rows]


def dead_adapters(connection: Connection) -> list[AdapterPaths]:
    return [AdapterPaths(*row) for row in connection.execute(text(_DEAD_ADAPTERS), {"down": list(DOWN_STATES)})]


def device_owners(connection: Connection, names: Sequence[tuple[int, str]]) -> Mapping[tuple[int, str], DeviceOwner]:
    """By source and canonical name; absent where neither a datastore nor a known volume is on it."""
    given = {"sources": [source for source, _ in names], "names": [name for _, name in names]}
    found = {}
    for row in connection.execute(text(_OWNERS), given).mappings():
        owner = _owner(row)
        if owner is not None:
            found[row["source_id"], row["canonical_name"]] = DeviceOwner(owner, row["vms"])
    return found


def _owner(row: RowMapping) -> ObjectRef | None:
    if row["datastore_id"] is not None:
        return ObjectRef("datastore", row["datastore_id"], row["datastore"])
    return None if row["volume_id"] is None else ObjectRef("volume", row["volume_id"], row["volume"])


def _facts(connection: Connection, query: str, **given: object) -> list[DeviceFacts]:
    rows = connection.execute(text(query), {"down": list(DOWN_STATES), "local": _LOCAL} | given).mappings()
    return [_device(row) for row in rows]


def _device(row: RowMapping) -> DeviceFacts:
    vcenter = ObjectRef("source", row["source_id"], row["source"])
    is_clustered = row["cluster_id"] is not None
    return DeviceFacts(
        id=row["id"],
        source=vcenter,
        host=ObjectRef("host", row["host_id"], row["host"]),
        group=ObjectRef("cluster", row["cluster_id"], row["cluster"]) if is_clustered else vcenter,
        canonical_name=row["canonical_name"],
        vendor=row["vendor"],
        model=row["model"],
        queue_depth=row["queue_depth"],
        dsnro=row["dsnro"],
        path_policy=row["path_policy"],
        is_protocol_endpoint=row["is_protocol_endpoint"],
        paths=row["paths"],
        paths_down=row["down"],
        module=row["driver"],
        module_depth=row["driver_depth"],
        version=row["version"],
        build=row["build"],
        read_at=row["inventory_at"],
    )
