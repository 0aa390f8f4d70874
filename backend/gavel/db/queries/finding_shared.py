"""What rules of findings ask of queues, volumes and paths that are shared: who has more I/O than before, and how even paths are used."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.queries.causes import sum_of
from gavel.db.series import ledger_columns, packed
from gavel.db.series.catalog import LEDGER, LEDGER_LEAVES, SAMPLES, RawSeries
from gavel.domain.inventory import DOWN_STATES
from gavel.domain.scope import ScopeKind, scope_key
from gavel.domain.source import Stream
from gavel.findings.evidence_shared import LEAST_QUIET_MINUTES, QUIET_BEFORE, SharedLoad
from gavel.findings.model import ObjectRef

# Those with most added I/O-time; more at once are no work of single VMs.
_MOST_OBJECTS = 100
_MOST_VMS = 40
_NEAR = 0.99

_OPS, _BYTES = sum_of(["read_ops", "write_ops"]), sum_of(["read_bytes", "write_bytes"])
_LATENCY = sum_of([f"all_{name}_time" for name in ledger_columns.SPAN_NAMES.values()])


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowerRow:
    """A device or volume whose wait per I/O rose, in µs, with the quiet time that it is compared with."""

    id: int
    us: float
    normal_us: float
    normal_from_at: datetime
    normal_to_at: datetime


def _slower(series: RawSeries, wait: str) -> str:
    """Windows of the reference are given one by one: PostgreSQL then opens the partitions of these hours only."""

    def rows(of: str, window: int | str = "") -> str:
        edges = {edge: f"CAST(:{edge}{window} AS timestamptz)" for edge in ("lo", "hi")}
        return packed.rows(series, packed.named_in(series, wait, _OPS), of=of, **edges)

    windows = " UNION ALL ".join(
        f"""SELECT n.id, CAST(:lo{w} AS timestamptz) AS lo, CAST(:hi{w} AS timestamptz) AS hi, sum({wait})::float8 / sum({_OPS}) AS us
        FROM now n JOIN LATERAL {rows("entity_id = :base + n.id", w)} l ON l.ts < :hi{w}
        GROUP BY 1 HAVING count(*) FILTER (WHERE {_OPS} > 0) >= :least"""
        for w in range(len(QUIET_BEFORE))
    )
    return f"""
        WITH now AS MATERIALIZED (
            SELECT l.entity_id - :base AS id, sum({_OPS})::float8 AS ops, sum({wait})::float8 / sum({_OPS}) AS us
            FROM {rows("entity_id >= :base AND entity_id < :end")} l WHERE l.ts < :hi
            GROUP BY 1 HAVING count(*) FILTER (WHERE {wait} > :near * :added * {_OPS}) >= :least),
        before AS (SELECT DISTINCT ON (id) * FROM ({windows}) w ORDER BY id, us, hi DESC)
        SELECT n.id, n.us, b.us AS normal_us, b.lo, b.hi FROM now n JOIN before b USING (id)
        WHERE n.us - b.us > :near * :added ORDER BY (n.us - b.us) * n.ops DESC, n.id LIMIT :most
    """


def slower_queues(connection: Connection, from_at: datetime, to_at: datetime, *, added_us: float) -> list[SlowerRow]:
    """Devices of hosts whose kernel time per I/O in [from_at, to_at) is so much above that of a quiet time of the day before."""
    query = _slower(LEDGER_LEAVES, "coalesce(all_kernel_time, 0)")
    return _slower_rows(connection, query, ScopeKind.HOST_DEVICE, (from_at, to_at), added_us)


def slower_volumes(connection: Connection, from_at: datetime, to_at: datetime, *, added_us: float) -> list[SlowerRow]:
    """The same of volumes: time in the array. What the fabric adds is not of the volume."""
    query = _slower(LEDGER, "coalesce(all_array_time, 0)")
    return _slower_rows(connection, query, ScopeKind.VOLUME, (from_at, to_at), added_us)


def _slower_rows(
    connection: Connection, query: str, kind: ScopeKind, window: tuple[datetime, datetime], added_us: float
) -> list[SlowerRow]:
    lo, hi = window
    given: dict[str, object] = {
        "base": scope_key(kind, 0),
        "end": scope_key(ScopeKind(kind + 1), 0),
        "lo": lo,
        "hi": hi,
    }
    given |= {"near": _NEAR, "added": added_us, "least": LEAST_QUIET_MINUTES, "most": _MOST_OBJECTS}
    for n, before in enumerate(QUIET_BEFORE):
        given |= {f"hi{n}": hi - before, f"lo{n}": lo - before}
    return [
        SlowerRow(id=row.id, us=row.us, normal_us=row.normal_us, normal_from_at=row.lo, normal_to_at=row.hi)
        for row in connection.execute(text(query), given)
    ]


# Only datastores of one extent: of several the share of one is not counted.
_ONE_EXTENT = "(SELECT count(*) FROM datastore_extent y WHERE y.datastore_id = x.datastore_id) = 1"
_DISKS_OF_QUEUES = f"""
    SELECT a.id, d.host_id, k.id AS disk_id, k.vm_id FROM asked a JOIN host_device d ON d.id = a.id,
    LATERAL (
        SELECT k.id, k.vm_id FROM datastore_extent x JOIN vm_disk k ON k.datastore_id = x.datastore_id AND k.device_name IS NULL
        WHERE x.canonical_name = d.canonical_name AND k.present AND {_ONE_EXTENT}
        UNION ALL SELECT k.id, k.vm_id FROM vm_disk k WHERE k.source_id = d.source_id AND k.device_name = d.canonical_name AND k.present) k
"""
_DISKS_OF_VOLUMES = f"""
    SELECT a.id, NULL::int AS host_id, k.id AS disk_id, k.vm_id FROM asked a JOIN volume v ON v.id = a.id,
    LATERAL (
        SELECT k.id, k.vm_id FROM datastore_extent x JOIN vm_disk k ON k.datastore_id = x.datastore_id AND k.device_name IS NULL
        WHERE x.volume_serial = v.serial AND k.present AND {_ONE_EXTENT}
        UNION ALL SELECT k.id, k.vm_id FROM vm_disk k WHERE k.volume_serial = v.serial AND k.present) k
"""


def _loads(disks: str) -> str:
    """Where a VM was before anything was read, it is taken to have been where it was seen first."""

    def rows(lo: str, hi: str) -> str:
        of, edges = (
            f"entity_id = {scope_key(ScopeKind.VM_DISK, 0)} + d.disk_id",
            (f"CAST(:{at} AS timestamptz)" for at in (lo, hi)),
        )
        names = packed.named_in(LEDGER_LEAVES, _OPS, _BYTES, _LATENCY)
        return packed.rows(LEDGER_LEAVES, names, of=of, **dict(zip(("lo", "hi"), edges, strict=True)))

    sums = f"sum({_OPS})::float8 AS ops, sum({_BYTES})::float8 AS bytes, sum({_LATENCY})::float8 AS time"
    minutes = f"count(DISTINCT l.ts) FILTER (WHERE {_OPS} > 0) AS minutes"
    part = f"""
        SELECT d.id, d.vm_id, {{0}} AS is_now, {sums}, {minutes} FROM disk d JOIN asked a USING (id)
        JOIN LATERAL {{1}}
        LEFT JOIN stay s ON s.vm_id = d.vm_id AND s.host_id = d.host_id AND l.ts >= s.lo AND l.ts < s.hi
        WHERE d.host_id IS NULL OR s.vm_id IS NOT NULL GROUP BY 1, 2
    """
    return f"""
        WITH asked AS (SELECT * FROM unnest(CAST(:ids AS int[]), CAST(:los AS timestamptz[]), CAST(:his AS timestamptz[])) a (id, lo, hi)),
        disk AS MATERIALIZED (SELECT DISTINCT * FROM ({disks}) q),
        stay AS MATERIALIZED (
            SELECT vm_id, host_id, coalesce(valid_to, 'infinity') AS hi,
                CASE row_number() OVER (PARTITION BY vm_id ORDER BY valid_from) WHEN 1 THEN '-infinity' ELSE valid_from END AS lo
            FROM vm_placement WHERE vm_id IN (SELECT vm_id FROM disk)),
        part AS ({part.format("true", f"{rows('lo', 'hi')} l ON l.ts < :hi")}
            UNION ALL {part.format("false", f"{rows('oldest', 'lo')} l ON l.ts >= a.lo AND l.ts < a.hi AND l.ts < :lo")})
        SELECT n.id, n.vm_id, m.name, n.ops, n.bytes, n.time, n.minutes, b.ops AS normal_ops, b.bytes AS normal_bytes, b.time AS normal_time
        FROM part n JOIN vm m ON m.id = n.vm_id LEFT JOIN part b ON b.id = n.id AND b.vm_id = n.vm_id AND NOT b.is_now
        WHERE n.is_now AND n.ops > 0 ORDER BY n.id, n.ops DESC, n.vm_id
    """


def shared_loads(
    connection: Connection, kind: ScopeKind, objects: Sequence[SlowerRow], from_at: datetime, to_at: datetime
) -> dict[int, list[SharedLoad]]:
    """By object the VMs with I/O in [from_at, to_at), the busiest first, beside the object's own quiet time."""
    if not objects:
        return {}
    query = _loads(_DISKS_OF_QUEUES if kind is ScopeKind.HOST_DEVICE else _DISKS_OF_VOLUMES)
    given = {
        "ids": [one.id for one in objects],
        "los": [one.normal_from_at for one in objects],
        "his": [one.normal_to_at for one in objects],
        "lo": from_at,
        "hi": to_at,
        "oldest": min(one.normal_from_at for one in objects),
    }
    seconds = (to_at - from_at).total_seconds()
    loads: dict[int, list[SharedLoad]] = {one.id: [] for one in objects}
    for row in connection.execute(text(query), given):
        own, normal_ops = loads[row.id], row.normal_ops or 0.0
        if len(own) < _MOST_VMS:
            own.append(
                SharedLoad(
                    vm=ObjectRef("vm", row.vm_id, row.name),
                    iops=row.ops / seconds,
                    bytes_per_s=row.bytes / seconds,
                    us=row.time / row.ops if row.time > 0 else None,
                    minutes=row.minutes,
                    normal_iops=normal_ops / seconds,
                    normal_bytes_per_s=(row.normal_bytes or 0.0) / seconds,
                    normal_us=row.normal_time / normal_ops if normal_ops > 0 and row.normal_time > 0 else None,
                )
            )
    return loads


@dataclass(frozen=True, slots=True)
class SharedRow:
    """A device of a host, or a volume (host None). carried: the only datastore on it."""

    source_id: int
    object: ObjectRef
    host: ObjectRef | None
    carried: ObjectRef | None


_ON_DEVICES = """
    SELECT d.id, d.source_id, 'device' AS kind, d.canonical_name AS name, h.id AS host_id, h.name AS host, s.id AS store_id, s.name AS store
    FROM host_device d JOIN source c ON c.id = d.source_id AND c.enabled JOIN esxi_host h ON h.id = d.host_id AND h.present
    LEFT JOIN LATERAL (
        SELECT min(t.id) AS id, min(t.name) AS name FROM datastore_extent x JOIN datastore t ON t.id = x.datastore_id AND t.present
        WHERE x.canonical_name = d.canonical_name AND t.source_id = d.source_id HAVING count(*) = 1) s ON true
    WHERE d.present AND d.id = ANY(CAST(:ids AS int[]))
"""
_ON_VOLUMES = """
    SELECT v.id, v.source_id, 'volume' AS kind, v.name, NULL::int AS host_id, NULL::text AS host, s.id AS store_id, s.name AS store
    FROM volume v JOIN source c ON c.id = v.source_id AND c.enabled
    LEFT JOIN LATERAL (
        SELECT min(t.id) AS id, min(t.name) AS name FROM datastore_extent x JOIN datastore t ON t.id = x.datastore_id AND t.present
        WHERE x.volume_serial = v.serial HAVING count(DISTINCT t.id) = 1) s ON true
    WHERE v.present AND v.id = ANY(CAST(:ids AS int[]))
"""


def shared_rows(connection: Connection, kind: ScopeKind, ids: Sequence[int]) -> dict[int, SharedRow]:
    """By id, those that are there."""
    query = _ON_DEVICES if kind is ScopeKind.HOST_DEVICE else _ON_VOLUMES
    return {
        row.id: SharedRow(
            row.source_id,
            ObjectRef(row.kind, row.id, row.name),
            None if row.host_id is None else ObjectRef("host", row.host_id, row.host),
            None if row.store_id is None else ObjectRef("datastore", row.store_id, row.store),
        )
        for row in connection.execute(text(query), {"ids": list(ids)})
    }


@dataclass(frozen=True, slots=True)
class PathShareRow:
    """A path of a device that one of its paths takes much of. samples: with any number, of five minutes."""

    device_id: int
    source_id: int
    canonical_name: str
    path_policy: str
    host: ObjectRef
    name: str
    adapter: str | None
    target: str | None
    iops: float
    samples: int


# Devices that were busy in the newest minutes, and of three active paths at least: of two none can have twice the mean.
_BUSY = packed.rows(
    LEDGER_LEAVES,
    ("read_ops", "write_ops"),
    of="entity_id >= :base AND entity_id < :end",
    lo="CAST(:busy_lo AS timestamptz)",
)
_OF_PATH = packed.rows(SAMPLES[Stream.PATH], ("interval_s", "read_ops", "write_ops"), of="entity_id = a.id")
_PATH_SHARES = f"""
    WITH busy AS MATERIALIZED (
        SELECT l.entity_id - :base AS id FROM {_BUSY} l WHERE l.ts < :hi
        GROUP BY 1 HAVING sum({_OPS}) >= :busy_ops),
    active AS (
        SELECT p.id, p.host_device_id, p.name, p.target, p.hba_id, count(*) OVER (PARTITION BY p.host_device_id) AS paths
        FROM busy b JOIN host_device d ON d.id = b.id AND d.present AND d.path_policy LIKE :policy
        JOIN path p ON p.host_device_id = d.id AND p.present AND p.state <> ALL(:down) AND p.is_optimized IS NOT FALSE),
    used AS (
        SELECT a.*, u.iops, u.samples, sum(u.iops) OVER w AS all_iops, max(u.iops) OVER w AS most FROM active a, LATERAL (
            SELECT coalesce((sum(s.read_ops) + sum(s.write_ops))::float8 / nullif(sum(s.interval_s), 0), 0) AS iops,
                count(coalesce(s.read_ops, s.write_ops)) AS samples
            FROM {_OF_PATH} s WHERE s.ts > :lo) u
        WHERE a.paths > 2 WINDOW w AS (PARTITION BY a.host_device_id))
    SELECT d.id, d.source_id, d.canonical_name, d.path_policy, h.id AS host_id, h.name AS host, u.name, b.device AS adapter, u.target,
        u.iops, u.samples
    FROM used u JOIN host_device d ON d.id = u.host_device_id JOIN source c ON c.id = d.source_id AND c.enabled
    JOIN esxi_host h ON h.id = d.host_id AND h.present LEFT JOIN hba b ON b.id = u.hba_id
    WHERE u.all_iops >= :near * :least AND u.most > :near * :times * u.all_iops / u.paths
    ORDER BY d.source_id, d.canonical_name, h.name, d.id, u.name, u.id
"""


def path_shares(
    connection: Connection, from_at: datetime, to_at: datetime, *, policy: str, least_iops: float, times_mean: float
) -> list[PathShareRow]:
    """Active paths of devices with this policy of which one carries so many times the mean, over samples that end in (from_at, to_at]."""
    busy = timedelta(minutes=10)
    given = {
        "base": scope_key(ScopeKind.HOST_DEVICE, 0),
        "end": scope_key(ScopeKind(ScopeKind.HOST_DEVICE + 1), 0),
        "lo": from_at,
        "hi": to_at,
        "busy_lo": to_at - busy,
        "busy_ops": least_iops * busy.total_seconds() / 5,
        "policy": f"{policy}%",
        "down": list(DOWN_STATES),
        "near": _NEAR,
        "least": least_iops,
        "times": times_mean,
    }
    return [
        PathShareRow(
            row.id, row.source_id, row.canonical_name, row.path_policy, ObjectRef("host", row.host_id, row.host), row.name, row.adapter,
            row.target, row.iops, row.samples,
        )
        for row in connection.execute(text(_PATH_SHARES), given)
    ]  # fmt: skip
