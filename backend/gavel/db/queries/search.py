"""Search over every name, and over what else an object is found by."""

from dataclasses import dataclass

from sqlalchemy import text as sql

from gavel.db.engine import Connection
from gavel.db.queries.labels import LABELED, escaped
from gavel.db.queries.refs import EntityRef, RefKind


@dataclass(frozen=True, slots=True)
class SearchHit:
    """`context` distinguishes objects of equal names: the kind and where it belongs."""

    ref: EntityRef
    context: str


_NOUNS = {
    RefKind.VM: "VM", RefKind.HOST: "Host", RefKind.DATASTORE: "Datastore", RefKind.VOLUME: "Volume",
}  # fmt: skip
_OF_LABELS = " ".join(
    f"UNION ALL SELECT '{kind}', t.id, t.name, '{_NOUNS[kind]} with ' || l.name || ' = ' || l.value, l.value"
    f" FROM label l JOIN {table} t ON t.id = l.subject_id AND t.present"
    f" WHERE l.subject_table = '{table}' AND l.valid_to IS NULL AND t.name NOT ILIKE :anywhere ESCAPE '!'"
    for table, kind in LABELED.items()
    if kind is not RefKind.CLUSTER  # which has no page
)
_SEARCH = f"""
    SELECT kind, id, name, context FROM (SELECT DISTINCT ON (kind, id) * FROM (
        SELECT 'datastore' AS kind, d.id, d.name, 'Datastore in ' || s.name AS context,
            d.name || coalesce((SELECT ' ' || string_agg(x.canonical_name, ' ' ORDER BY x.position)
                FROM datastore_extent x WHERE x.datastore_id = d.id), '')
            || coalesce(' ' || d.nfs_host || ':' || d.nfs_path, '') AS searched
        FROM datastore d JOIN source s ON s.id = d.source_id WHERE d.present
        UNION ALL SELECT 'vm', m.id, m.name, 'VM in ' || s.name, m.name
        FROM vm m JOIN source s ON s.id = m.source_id WHERE m.present
        UNION ALL SELECT 'vm', m.id, m.name, 'VM with ' || k.label || coalesce(', ' || coalesce(k.backing_path, k.device_name), ''),
            coalesce(k.backing_path, '') || ' ' || coalesce(k.device_name, '')
        FROM vm_disk k JOIN vm m ON m.id = k.vm_id WHERE m.present AND k.present AND m.name NOT ILIKE :anywhere ESCAPE '!'
        UNION ALL SELECT 'host', h.id, h.name, 'Host in ' || coalesce(c.name || ', ', '') || s.name, h.name || coalesce(' ' || c.name, '')
        FROM esxi_host h JOIN source s ON s.id = h.source_id LEFT JOIN cluster c ON c.id = h.cluster_id WHERE h.present
        UNION ALL SELECT 'volume', v.id, v.name, 'Volume ' || v.serial || ' on ' || s.name, v.name || ' ' || v.serial
        FROM volume v JOIN source s ON s.id = v.source_id WHERE v.present
        UNION ALL SELECT 'array', a.id, a.name, 'Array read as ' || s.name, a.name
        FROM storage_array a JOIN source s ON s.id = a.source_id WHERE a.present
        UNION ALL SELECT 'array', a.id, a.name, 'Array with pod ' || p.name, p.name
        FROM pod p JOIN storage_array a ON a.source_id = p.source_id JOIN source s ON s.id = a.source_id
        WHERE a.present AND p.present AND a.name NOT ILIKE :anywhere ESCAPE '!'
        UNION ALL SELECT 'vm', m.id, m.name, 'VM at ' || a, a
        FROM vm m, unnest(m.ip_addresses) a WHERE m.present
        UNION ALL SELECT 'vm', m.id, m.name, 'VM ' || m.dns_name, m.dns_name
        FROM vm m WHERE m.present AND m.name NOT ILIKE :anywhere ESCAPE '!'
        UNION ALL SELECT 'vm', m.id, m.name, 'VM in ' || m.folder, m.folder
        FROM vm m WHERE m.present AND m.name NOT ILIKE :anywhere ESCAPE '!'
        UNION ALL SELECT 'volume', v.id, v.name, 'Volume connected to ' || c.host_group, c.host_group
        FROM volume v JOIN (SELECT DISTINCT volume_id, host_group FROM connection WHERE present AND host_group IS NOT NULL) c
            ON c.volume_id = v.id WHERE v.present AND v.name NOT ILIKE :anywhere ESCAPE '!'
        {_OF_LABELS}
        UNION ALL SELECT 'source', s.id, s.name, 'Source at ' || s.address, s.name FROM source s
    ) things
    WHERE searched ILIKE :anywhere ESCAPE '!'
    ORDER BY kind, id, searched ILIKE :at_start ESCAPE '!' DESC, length(searched), context) found
    ORDER BY searched ILIKE :at_start ESCAPE '!' DESC, length(name), name, id LIMIT :limit
"""


def search(connection: Connection, text: str, *, limit: int = 20) -> tuple[SearchHit, ...]:
    """Things whose name holds `text`, without regard to case: names that begin with it first.

    A volume is found by its serial and its host groups, too, a datastore by the devices (naa.…, eui.…) or the NFS export that it lies on,
    a VM by the files and raw devices of its virtual disks, its addresses, DNS name and folder, a host by its cluster, an array by its pods,
    and whatever has labels by their values.
    """
    literal = escaped(text)
    parameters = {"anywhere": f"%{literal}%", "at_start": f"{literal}%", "limit": limit}
    rows = connection.execute(sql(_SEARCH), parameters)
    return tuple(SearchHit(EntityRef(RefKind(kind), thing_id, name), context) for kind, thing_id, name, context in rows)
