"""QueryPerf: reads the request's specs straight from its XML and writes the answer as bytes.

No SDK object is made per metric or value: a query over a hundred hosts carries tens of thousands of series.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import numpy as np
from pyVmomi import vmodl

from gavel_lab.faults import FaultKind
from gavel_lab.quantise import MISSING
from gavel_lab.vcenter.counters import Catalogue
from gavel_lab.vcenter.host_options import MAX_QUERY_METRICS
from gavel_lab.vcenter.perf_families import FAMILIES, Family, readings, rows_of
from gavel_lab.vcenter.perf_filling import unfilled, without_newest
from gavel_lab.vcenter.perf_refusals import expands_instances, refuse, restricted
from gavel_lab.vcenter.perf_windows import INTERVALS, REAL_TIME_S, Range, Span, serves_real_time, span
from gavel_lab.vcenter.site import Site
from gavel_lab.vcenter.soap import FaultError, local_name, not_found
from gavel_lab.vcenter.tree import Node

MAX_VALUES = 20_000_000
_SAMPLES_PER_READING = 4_000  # of entities, each of which has dozens of rows: what is read at once is kept in memory


class Metric(NamedTuple):
    counter: int
    instance: str  # a name, "" for the aggregate, "*" for all


@dataclass(frozen=True)
class Spec:
    """One QuerySpec. `metrics` None means everything the entity has."""

    entity_type: str
    entity: str
    range: Range
    metrics: tuple[Metric, ...] | None
    is_csv: bool


@dataclass(frozen=True)
class Job:
    """A spec with its entity found and its samples known."""

    place: int
    spec: Spec
    node: Node
    span: Span


# --- the request ----------------------------------------------------------------------------------------------------


def parse_specs(element: Any) -> list[Spec]:
    """All querySpec elements of a call. Raises FaultError for a value that cannot be read."""
    specs = []
    for number, child in enumerate(one for one in element if local_name(one) == "querySpec"):
        try:
            specs.append(_parse_spec(child))
        except ValueError as error:
            raise invalid_argument(f"querySpec[{number}]", str(error)) from error
    return specs


def _parse_spec(element: Any) -> Spec:
    fields: dict[str, Any] = {}
    metrics: list[Metric] = []
    for child in element:
        name = local_name(child)
        if name == "metricId":
            metrics.append(_parse_metric(child))
        else:
            fields[name] = child
    entity = fields.get("entity")
    if entity is None:
        raise ValueError("entity is missing")
    wanted = Range(
        start=_instant(fields.get("startTime")),
        end=_instant(fields.get("endTime")),
        max_samples=_number(fields.get("maxSample")),
        interval_s=_number(fields.get("intervalId")) or REAL_TIME_S,
    )
    if wanted.interval_s not in INTERVALS:
        raise invalid_argument("querySpec.interval", f"{wanted.interval_s} is not an interval of this server")
    is_csv = _text(fields.get("format")) == "csv"
    return Spec(entity.get("type", ""), _text(entity), wanted, tuple(metrics) or None, is_csv)


def _parse_metric(element: Any) -> Metric:
    counter, instance = None, ""
    for child in element:
        name = local_name(child)
        if name == "counterId":
            counter = int(_text(child))
        elif name == "instance":
            instance = _text(child)
    if counter is None:
        raise ValueError("metricId without counterId")
    return Metric(counter, instance)


def _text(element: Any) -> str:
    return "" if element is None else (element.text or "").strip()


def _number(element: Any) -> int | None:
    return None if element is None else int(_text(element))


def _instant(element: Any) -> float | None:
    if element is None:
        return None
    parsed = datetime.fromisoformat(_text(element))
    return (parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)).timestamp()


def invalid_argument(name: str, reason: str = "") -> FaultError:
    text = f"A specified parameter was not correct: {name}"
    return FaultError(vmodl.fault.InvalidArgument(invalidProperty=name), f"{text}. {reason}" if reason else text)


# --- the answer -----------------------------------------------------------------------------------------------------


def answer(site: Site, catalogue: Catalogue, specs: Sequence[Spec], text: str) -> bytes:
    """The returnval elements, in the order of the request; entities that are no provider are left out.

    `text` is the request as faults look for their `match` in it.
    """
    refuse(site, specs, text)
    jobs = _jobs(site, catalogue, specs)
    missing = site.lab.faults.active(site.vcenter.name, FaultKind.MISSING_SAMPLES, text) is not None
    written: dict[int, bytes] = {}
    for members in _together(jobs):
        size = max(1, _SAMPLES_PER_READING // max(1, len(members[0].span.stamps)))
        for first in range(0, len(members), size):
            part = members[first : first + size]
            for job, series in zip(part, _series(site, catalogue, part), strict=True):
                late = unfilled(site, job.node.record, job.span, job.spec.range.interval_s)
                whole = [_without_late(catalogue, one, late) for one in series] if late else series
                written[job.place] = _entity(job, whole, missing=missing)
    return b"".join(written[place] for place in sorted(written))


def _together(jobs: Sequence[Job]) -> Iterable[list[Job]]:
    """Jobs that are read at once: of different entities of a kind, with as many samples and the same metrics, each by its host's clock."""
    groups: dict[Any, list[Job]] = defaultdict(list)
    asked: Counter[str] = Counter()
    for job in jobs:
        asked[job.node.moref] += 1
        spec = job.spec
        groups[job.node.type, len(job.span.stamps), spec.metrics, spec.range.interval_s, asked[job.node.moref]].append(
            job
        )
    return groups.values()


def _jobs(site: Site, catalogue: Catalogue, specs: Sequence[Spec]) -> list[Job]:
    jobs, values = [], 0
    for place, spec in enumerate(specs):
        node = site.node(spec.entity)
        if node is None:
            raise not_found(spec.entity_type, spec.entity)
        _check_metrics(catalogue, spec, place)
        if type(node.record) not in FAMILIES:
            continue
        if spec.range.interval_s == REAL_TIME_S and not serves_real_time(site, node.record):
            continue
        job = Job(place, spec, node, span(site, node.record, spec.range))
        values += len(job.span.stamps) * len(spec.metrics or catalogue.by_id)
        if values > MAX_VALUES:
            raise invalid_argument("querySpec.size", f"more than {MAX_VALUES:,} values; ask for fewer at a time")
        jobs.append(job)
    return jobs


def _check_metrics(catalogue: Catalogue, spec: Spec, place: int) -> None:
    for metric in spec.metrics or ():
        if metric.counter not in catalogue.by_id:
            raise invalid_argument(f"querySpec[{place}].metricId", f"there is no counter {metric.counter}")
    if spec.range.interval_s != REAL_TIME_S and len(spec.metrics or ()) > MAX_QUERY_METRICS:
        raise restricted()


class Series(NamedTuple):
    counter: int
    instance: str
    values: Sequence[int]


def _series(site: Site, catalogue: Catalogue, jobs: Sequence[Job]) -> list[list[Series]]:
    """The series of jobs that share their kind, metrics and number of samples."""
    found: list[list[Series]] = [[] for _ in jobs]
    if not len(jobs[0].span.stamps):
        return found
    records = [job.node.record for job in jobs]
    windows = np.stack([job.span.windows for job in jobs])
    expands = expands_instances(site)
    for family in FAMILIES[type(records[0])]:
        asked = _asked(catalogue, family, jobs[0].spec)
        if not asked:
            continue
        rows = readings(site, family, records, windows)
        named = [family.instances(site, record) for record in records]
        places = _places(
            [
                family.rows(site, record) if family.is_worst else len(names)
                for record, names in zip(records, named, strict=True)
            ]
        )
        for counter, instances in asked.items():
            show = family.counters[catalogue.by_id[counter].key]
            matrix = None if family.is_worst else show(rows).tolist()
            for series, names, own in zip(found, named, places, strict=True):
                shown = show(rows_of(rows, own)).tolist() if matrix is None else matrix[own]
                series.extend(_named(counter, names, shown, instances, expands=expands))
    return found


def _places(lengths: Sequence[int]) -> list[slice]:
    """Where stretches of the given lengths lie that follow one another."""
    ends = list(accumulate(lengths))
    return [slice(end - length, end) for end, length in zip(ends, lengths, strict=True)]


def _asked(catalogue: Catalogue, family: Family, spec: Spec) -> Mapping[int, frozenset[str]]:
    """Which of a family's counters are asked for, with the instances ("*" for all of them)."""
    real_time = spec.range.interval_s == REAL_TIME_S
    wanted: dict[int, set[str]] = defaultdict(set)
    metrics = spec.metrics if spec.metrics is not None else [Metric(number, "*") for number in catalogue.by_id]
    for metric in metrics:
        counter = catalogue.by_id[metric.counter]
        if counter.key in family.counters and family.is_kept(counter, real_time=real_time):
            wanted[metric.counter].add(metric.instance)
    return {number: frozenset(names) for number, names in wanted.items()}


def _named(
    counter: int, instances: Sequence[str], rows: Sequence[list[int]], asked: frozenset[str], *, expands: bool
) -> Iterator[Series]:
    every = expands and "*" in asked
    if "*" in asked and not expands and rows:
        yield Series(counter, "*", rows[0])
    for instance, row in zip(instances, rows, strict=True):
        if every or instance in asked:
            yield Series(counter, instance, row)


def _without_late(catalogue: Catalogue, one: Series, late: frozenset[str]) -> Series:
    return one._replace(values=without_newest(one.values)) if catalogue.by_id[one.counter].group in late else one


# --- writing --------------------------------------------------------------------------------------------------------


def _entity(job: Job, series: Sequence[Series], *, missing: bool) -> bytes:
    if missing:
        series = [one._replace(values=[MISSING] * len(one.values)) for one in series]
    write = _csv if job.spec.is_csv else _normal
    entity = f'<entity type="{escape(job.spec.entity_type or "ManagedEntity")}">{escape(job.node.moref)}</entity>'
    return write(entity, _stamps(job.span), job.spec.range.interval_s, series).encode()


def _stamps(part: Span) -> list[str]:
    return [f"{text}Z" for text in np.datetime_as_string(part.stamps.astype("datetime64[s]"))]


def _csv(entity: str, stamps: Sequence[str], interval_s: int, series: Sequence[Series]) -> str:
    pieces = ['<returnval xsi:type="PerfEntityMetricCSV">', entity, "<sampleInfoCSV>"]
    pieces.append(",".join(f"{interval_s},{stamp}" for stamp in stamps))
    pieces.append("</sampleInfoCSV>")
    pieces.extend(
        f"<value>{_identity(counter, instance)}<value>{','.join(map(str, values))}</value></value>"
        for counter, instance, values in series
    )
    pieces.append("</returnval>")
    return "".join(pieces)


def _normal(entity: str, stamps: Sequence[str], interval_s: int, series: Sequence[Series]) -> str:
    pieces = ['<returnval xsi:type="PerfEntityMetric">', entity]
    pieces.extend(
        f"<sampleInfo><timestamp>{stamp}</timestamp><interval>{interval_s}</interval></sampleInfo>" for stamp in stamps
    )
    pieces.extend(
        f'<value xsi:type="PerfMetricIntSeries">{_identity(counter, instance)}'
        f"<value>{'</value><value>'.join(map(str, values))}</value></value>"
        for counter, instance, values in series
    )
    pieces.append("</returnval>")
    return "".join(pieces)


@lru_cache(maxsize=500_000)  # a query asks for the same ones again and again
def _identity(counter: int, instance: str) -> str:
    return f"<id><counterId>{counter}</counterId><instance>{escape(instance)}</instance></id>"
