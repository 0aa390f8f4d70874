"""One entry of `jobs` as fio wrote it, checked and in Gavel's units: fio 3 has nanoseconds, fio 2 microseconds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from gavel.collectors.load_figures import LoadWay
from gavel.collectors.load_file import BEYOND_MEASURE, LoadFileError

WAYS: Final = ("read", "write", "mixed")
_US_PER_NS = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True)
class FioWay(LoadWay):
    """One direction of one entry, with at least one I/O. bins: I/Os by µs, of json+ only.

    percentiles_us: by percent, as fio worked them out; of completion latency unless `is_whole`.
    """

    way: str
    ops: int
    timed: float
    ops_per_s: float
    runtime_s: float
    percentiles_us: Mapping[float, float]
    bins: Mapping[float, int]
    is_whole: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class FioJob:
    """options: those of the job over the global ones. elapsed_s: since fio was started, when this was written."""

    name: str
    group: int
    options: Mapping[str, str]
    starts_at_ms: float | None
    elapsed_s: float | None
    error: int
    ways: Sequence[FioWay]
    trims: int


@dataclass(frozen=True, slots=True)
class FioField:
    """Where a value stands, for messages."""

    file: str
    path: str

    def of(self, name: str) -> "FioField":
        return FioField(self.file, f"{self.path}.{name}")

    def refuse(self, what: str) -> LoadFileError:
        return LoadFileError(self.file, f"{self.path} {what}. Is it fio's own output? Import the file as fio wrote it.")


def read_job(entry: object, options: Mapping[str, str], field: FioField) -> FioJob:
    """Raises LoadFileError, which names the field."""
    job = mapping(entry, field)
    own = texts(job.get("job options", {}), field.of("job options"))
    ways = [read_way(job[way], way, field.of(way)) for way in WAYS if way in job]
    counted = [way for way in ways if way is not None]
    if len(counted) > 1:
        # unified_rw_reporting=both repeats reads and writes.
        counted = [way for way in counted if way.way != "mixed"]
    trim = mapping(job.get("trim", {}), field.of("trim"))
    return FioJob(
        name=str(job.get("jobname", "")),
        group=int(number(job.get("groupid", 0), field.of("groupid"))),
        options={**options, **own},
        starts_at_ms=optional(job.get("job_start"), field.of("job_start")),
        elapsed_s=optional(job.get("elapsed"), field.of("elapsed")),
        error=int(number(job.get("error", 0), field.of("error"), least=-math.inf)),
        ways=counted,
        trims=int(number(trim.get("total_ios", 0), field.of("trim.total_ios"))),
    )


def read_way(value: object, way: str, field: FioField) -> FioWay | None:
    """None where it had no I/O."""
    of = mapping(value, field)
    is_ns = "lat_ns" in of
    unit, suffix = (_US_PER_NS, "_ns") if is_ns else (1.0, "")
    latency = mapping(of.get(f"lat{suffix}", {}), field.of(f"lat{suffix}"))
    completion = mapping(of.get(f"clat{suffix}", {}), field.of(f"clat{suffix}"))
    runtime_s = number(of.get("runtime", 0), field.of("runtime")) / 1000
    ops_per_s = number(of.get("iops", 0), field.of("iops"))
    timed = int(number(latency.get("N", 0), field.of(f"lat{suffix}.N")))
    ops = int(number(of.get("total_ios", timed or ops_per_s * runtime_s), field.of("total_ios")))
    if ops == 0:
        return None
    if "mean" not in latency or latency.get("N") == 0:
        raise field.refuse("has I/Os and no latency (lat mean): was fio run with disable_lat=1? Run it without")
    bandwidth = of["bw_bytes"] if "bw_bytes" in of else number(of.get("bw", 0), field.of("bw")) * 1024
    holder, is_whole = (latency, True) if "percentile" in latency or "bins" in latency else (completion, False)
    inside = field.of(f"{'lat' if is_whole else 'clat'}{suffix}")
    return FioWay(
        way=way,
        ops=ops,
        timed=timed or ops,
        ops_per_s=ops_per_s,
        bytes_per_s=number(bandwidth, field.of("bw_bytes")),
        runtime_s=runtime_s,
        mean_us=number(latency["mean"], field.of(f"lat{suffix}.mean")) * unit,
        max_us=number(latency.get("max", 0), field.of(f"lat{suffix}.max")) * unit,
        percentiles_us={
            percent: us * unit for percent, us in _numbered(holder.get("percentile", {}), inside.of("percentile"))
        },
        bins={us * unit: int(count) for us, count in _numbered(holder.get("bins", {}), inside.of("bins"))},
        is_whole=is_whole,
    )


def _numbered(pairs_by_name: object, field: FioField) -> list[tuple[float, float]]:
    """Names that are numbers, and their values."""
    pairs = []
    for name, value in mapping(pairs_by_name, field).items():
        try:
            pairs.append((float(name), number(value, field.of(name))))
        except ValueError as error:
            raise field.refuse(f"has {name!r} where a number is expected") from error
    return pairs


def mapping(value: object, field: FioField) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise field.refuse("is no JSON object")
    return value


def texts(value: object, field: FioField) -> Mapping[str, str]:
    return {name: str(value) for name, value in mapping(value, field).items()}


def number(value: object, field: FioField, *, least: float = 0.0) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not max(least, -BEYOND_MEASURE) <= value < BEYOND_MEASURE
    ):
        raise field.refuse(f"is {value!r}, no usable number")
    return float(value)


def optional(value: object, field: FioField) -> float | None:
    return None if value is None else number(value, field)
