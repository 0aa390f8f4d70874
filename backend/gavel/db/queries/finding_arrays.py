"""What rules of findings ask of arrays as a whole: their newest samples, what their hours were like, and whose I/O grew."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.db.series import packed
from gavel.db.series.catalog import EPOCH, HOUR, SAMPLE_ROLLS, SAMPLES
from gavel.domain.source import Stream
from gavel.domain.streams import directions_of
from gavel.findings.evidence_arrays import ArraySample, GrownVolume, UsualArrayLoad
from gavel.findings.model import ObjectRef

HISTORY = timedelta(days=30)
HIGH = 0.95
_MOST_VOLUMES = 10
# So much of an hour has to be measured for it to count.
_LEAST_COVERED_S = 1800
_DIRECTIONS = directions_of(Stream.ARRAY_WIDE)


def _summed(terms: str) -> str:
    """Over all directions `{d}`; NULL adds nothing."""
    return " + ".join(f"coalesce({terms.format(d=direction)}, 0)" for direction in _DIRECTIONS)


_OPS = _summed("s.{d}_ops")
# A sample without these says nothing of the I/O: it is no idle one.
_COUNTED = "s.read_ops IS NOT NULL AND s.write_ops IS NOT NULL"
_SAMPLE_NAMES = ("interval_s", *(f"{d}_{part}" for d in _DIRECTIONS for part in ("ops", "service_us", "queue_us")))


def _per_io(part: str) -> str:
    time = _summed(f"s.{{d}}_{part}_us::float8 * s.{{d}}_ops")
    timed = _summed(f"CASE WHEN s.{{d}}_{part}_us IS NOT NULL THEN s.{{d}}_ops END")
    return f"({time}) / nullif({timed}, 0)"


_WIDE = packed.rows(SAMPLES[Stream.ARRAY_WIDE], _SAMPLE_NAMES, of="entity_id = a.id")
_SAMPLES = f"""
    SELECT a.id, a.source_id, a.name, s.interval_s, ({_OPS})::float8 / s.interval_s AS iops, {_per_io("service")} AS service_us,
        {_per_io("queue")} AS queue_us
    FROM storage_array a JOIN source c ON c.id = a.source_id AND c.enabled, LATERAL {_WIDE} s
    WHERE a.present AND s.ts > :lo AND s.interval_s > 0 AND {_COUNTED} ORDER BY a.id, s.ts
"""
_HOURS = next(roll for roll in SAMPLE_ROLLS[Stream.ARRAY_WIDE] if roll.width == HOUR)
_HOUR_NAMES = (
    "covered_s",
    *(f"{d}_ops" for d in _DIRECTIONS),
    *(f"{d}_{part}_us_{end}" for d in _DIRECTIONS for part in ("service", "queue") for end in ("sum", "ops")),
)


def _hourly(part: str) -> str:
    return f"({_summed(f's.{{d}}_{part}_us_sum')}) / nullif({_summed(f's.{{d}}_{part}_us_ops')}, 0)"


_WIDE_HOURS = packed.rows(_HOURS, _HOUR_NAMES, of=packed.of_any("CAST(:ids AS int[])"))
_COUNTED_HOURS = f"""
    hour AS (
        SELECT s.entity_id AS id, s.bucket, ({_OPS})::float8 / s.covered_s AS iops, {_hourly("service")} AS service_us,
            {_hourly("queue")} AS queue_us
        FROM {_WIDE_HOURS} s WHERE s.covered_s >= :least_s)
"""
_HOURS_OF_ARRAYS = f"""
    WITH {_COUNTED_HOURS}
    SELECT id, count(*) AS hours FROM hour WHERE queue_us IS NOT NULL AND service_us IS NOT NULL GROUP BY id
"""
_USUAL = f"""
    WITH {_COUNTED_HOURS}
    SELECT id, count(*) AS hours, min(bucket) AS from_at, percentile_cont(:high) WITHIN GROUP (ORDER BY queue_us) AS high_queue_us,
        percentile_cont(0.5) WITHIN GROUP (ORDER BY iops) AS iops, percentile_cont(0.5) WITHIN GROUP (ORDER BY service_us) AS service_us
    FROM hour WHERE queue_us IS NOT NULL AND service_us IS NOT NULL GROUP BY id
"""
_VOLUME_OPS = ("interval_s", *(f"{d}_ops" for d in _DIRECTIONS))
_RATE = f"sum({_OPS}) FILTER (WHERE {{of}})::float8 / nullif(sum(s.interval_s) FILTER (WHERE {{of}} AND {_COUNTED}), 0)"
_GROWN = f"""
    SELECT * FROM (
        SELECT g.*, row_number() OVER (PARTITION BY array_id ORDER BY iops - coalesce(iops_before, 0) DESC, id) AS place FROM (
            SELECT a.id AS array_id, v.id, v.name, {_RATE.format(of="s.ts > :middle")} AS iops,
                {_RATE.format(of="s.ts <= :middle")} AS iops_before
            FROM storage_array a JOIN volume v ON v.source_id = a.source_id AND v.present,
            LATERAL {packed.rows(SAMPLES[Stream.ARRAY_VOLUME], _VOLUME_OPS, of="entity_id = v.id")} s
            WHERE a.id = ANY(CAST(:ids AS int[])) AND s.ts > :lo GROUP BY a.id, v.id) g
        WHERE iops > coalesce(iops_before, 0)) p
    WHERE place <= :most ORDER BY array_id, place
"""


@dataclass(frozen=True, slots=True)
class ArraySamples:
    """Of one array, oldest first."""

    source_id: int
    array: ObjectRef
    samples: tuple[ArraySample, ...]


def array_samples(connection: Connection, from_at: datetime, to_at: datetime) -> list[ArraySamples]:
    """Of all arrays that are polled, samples that end in (from_at, to_at]."""
    arrays: dict[int, tuple[int, str]] = {}
    samples: Mapping[int, list[ArraySample]] = defaultdict(list)
    for row in connection.execute(text(_SAMPLES), {"lo": from_at, "hi": to_at}):
        arrays[row.id] = (row.source_id, row.name)
        samples[row.id].append(ArraySample(row.interval_s, row.iops, row.service_us, row.queue_us))
    return [
        ArraySamples(source_id, ObjectRef("array", array_id, name), tuple(samples[array_id]))
        for array_id, (source_id, name) in arrays.items()
    ]


def usual_loads(connection: Connection, ids: Sequence[int], before: datetime) -> dict[int, UsualArrayLoad]:
    """By array, of the whole hours of the 30 days that ended by then."""
    given = _hours_before(ids, before) | {"high": HIGH}
    return {
        row.id: UsualArrayLoad(
            hours=row.hours,
            high_queue_us=row.high_queue_us,
            iops=row.iops,
            service_us=row.service_us,
            from_at=row.from_at,
        )
        for row in connection.execute(text(_USUAL), given)
    }


def hours_of_arrays(connection: Connection, ids: Sequence[int], before: datetime) -> dict[int, int]:
    """How many hours `usual_loads` counts; arrays without any are absent."""
    rows = connection.execute(text(_HOURS_OF_ARRAYS), _hours_before(ids, before))
    return {row.id: row.hours for row in rows}


def _hours_before(ids: Sequence[int], before: datetime) -> dict[str, object]:
    return {
        "ids": list(ids),
        "lo": before - HISTORY,
        "hi": before - HOUR + (_HOURS.origin - EPOCH),
        "least_s": _LEAST_COVERED_S,
    }


def grown_volumes(
    connection: Connection, ids: Sequence[int], from_at: datetime, to_at: datetime
) -> dict[int, tuple[GrownVolume, ...]]:
    """By array, volumes with more I/O in (from_at, to_at] than in the hour before, that with most added first; one that was not measured
    then, such as a new one, with all of its I/O."""
    found: Mapping[int, list[GrownVolume]] = defaultdict(list)
    given = {"ids": list(ids), "lo": from_at - HOUR, "middle": from_at, "hi": to_at, "most": _MOST_VOLUMES}
    for row in connection.execute(text(_GROWN), given):
        found[row.array_id].append(GrownVolume(ObjectRef("volume", row.id, row.name), row.iops, row.iops_before))
    return {array_id: tuple(volumes) for array_id, volumes in found.items()}
