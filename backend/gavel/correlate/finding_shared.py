"""Evidence of what is shared: queues and volumes whose VMs wait longer than before, and paths of devices."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Literal

from gavel.analysis.severity import ELEVATED_US
from gavel.correlate.finding_loads import EvidenceWindow
from gavel.db.engine import Connection
from gavel.db.queries import finding_shared as shared
from gavel.db.queries.finding_inventory import device_owners
from gavel.domain.scope import ScopeKind
from gavel.findings.evidence_shared import PathBalance, PathShare, SharedObject
from gavel.findings.model import ObjectRef
from gavel.findings.rules.paths_unbalanced import LEAST_IOPS, TIMES_MEAN
from gavel.findings.vendor_advice import ROUND_ROBIN

PATH_WINDOW = timedelta(hours=1)


def shared_objects(connection: Connection, window: EvidenceWindow) -> Iterator[SharedObject]:
    """Queues, then volumes."""
    queues = shared.slower_queues(connection, window.from_at, window.to_at, added_us=ELEVATED_US)
    yield from _objects(connection, window, ScopeKind.HOST_DEVICE, "queue", queues)
    volumes = shared.slower_volumes(connection, window.from_at, window.to_at, added_us=ELEVATED_US)
    yield from _objects(connection, window, ScopeKind.VOLUME, "volume", volumes)


def _objects(
    connection: Connection,
    window: EvidenceWindow,
    kind: ScopeKind,
    where: Literal["queue", "volume"],
    slower: list[shared.SlowerRow],
) -> Iterator[SharedObject]:
    if not slower:
        return
    loads = shared.shared_loads(connection, kind, slower, window.from_at, window.to_at)
    rows = shared.shared_rows(connection, kind, [one.id for one in slower])
    for one in slower:
        row = rows.get(one.id)
        if row is None or len(loads[one.id]) < 2:
            continue
        yield SharedObject(
            source_id=row.source_id,
            object=row.object,
            where=where,
            host=row.host,
            carried=row.carried,
            us=one.us,
            normal_us=one.normal_us,
            loads=tuple(loads[one.id]),
            from_at=window.from_at,
            to_at=window.to_at,
            normal_from_at=one.normal_from_at,
            normal_to_at=one.normal_to_at,
        )


def path_balances(connection: Connection, window: EvidenceWindow) -> Iterator[PathBalance]:
    """By device and host."""
    from_at = window.to_at - PATH_WINDOW
    rows = shared.path_shares(
        connection, from_at, window.to_at, policy=ROUND_ROBIN, least_iops=LEAST_IOPS, times_mean=TIMES_MEAN
    )
    if not rows:
        return
    owners = device_owners(connection, sorted({(row.source_id, row.canonical_name) for row in rows}))
    by_device: Mapping[int, list[shared.PathShareRow]] = defaultdict(list)
    for row in rows:
        by_device[row.device_id].append(row)
    for device_id, own in by_device.items():
        first = own[0]
        owner = owners.get((first.source_id, first.canonical_name))
        yield PathBalance(
            source_id=first.source_id,
            object=ObjectRef("device", device_id, first.canonical_name) if owner is None else owner.object,
            host=first.host,
            canonical_name=first.canonical_name,
            path_policy=first.path_policy,
            paths=tuple(PathShare(row.name, row.adapter, row.target, row.iops, row.samples) for row in own),
            from_at=from_at,
            to_at=window.to_at,
        )
