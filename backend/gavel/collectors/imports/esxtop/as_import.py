"""A capture as it is kept: its rows per device, path, adapter, world, virtual disk and NFS volume, and a report of the file."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import IO

import numpy as np

from gavel.collectors.imports.esxtop.as_json import capture_json
from gavel.collectors.imports.esxtop.capture import EsxtopCapture, ObjectSeries
from gavel.collectors.imports.esxtop.checks import is_consistent, self_checks
from gavel.collectors.imports.esxtop.columns import ObjectKind
from gavel.collectors.imports.esxtop.parse import read_capture
from gavel.collectors.imports.esxtop.summary import summarize
from gavel.domain.imports import CapturedObject, ImportedCapture, ImportOptions

# What counts the I/Os of each is a column that default captures have, too.
_IDLE_WITHOUT = {ObjectKind.WORLD: ("commands_per_s",), ObjectKind.PATH: ("reads_per_s", "writes_per_s")}


def read_import(stream: IO[bytes], file: str, options: ImportOptions) -> ImportedCapture:
    """Raises EsxtopFileError."""
    capture = read_capture(stream, file=file, bias_minutes=options.utc_bias_minutes)
    checks = self_checks(capture)
    first = float((capture.ended_at_s - capture.step_s)[capture.has_rates].min())
    return ImportedCapture(
        host_name=capture.host,
        starts_at=datetime.fromtimestamp(first, UTC),
        ends_at=datetime.fromtimestamp(float(capture.ended_at_s.max()), UTC),
        ended_us=np.round(np.sort(capture.ended_at_s, kind="stable") * 1e6).astype(np.int64),
        length_us=np.round(capture.step_s[np.argsort(capture.ended_at_s, kind="stable")] * 1e6).astype(np.int64),
        half_us=capture.latency_half_us,
        is_consistent=is_consistent(checks),
        objects=tuple(_objects(capture)),
        report=capture_json(capture, checks, summarize(capture)),
    )


def _objects(capture: EsxtopCapture) -> Iterator[CapturedObject]:
    """Rows in order of time. Worlds and paths without I/O are most of a capture and say nothing."""
    order = np.argsort(capture.ended_at_s, kind="stable")
    for each in capture.objects:
        if (each.kind is ObjectKind.VIRTUAL_DISK and each.part is None) or _is_idle(each):
            continue
        yield CapturedObject(
            kind=each.kind.value,
            name=each.name,
            parent=each.parent,
            part=each.part,
            vm_name=capture.world_vms.get(each.part or "") if each.kind is ObjectKind.WORLD else each.parent,
            columns={name: column[order] for name, column in each.columns.items()},
        )


def _is_idle(series: ObjectSeries) -> bool:
    counters = _IDLE_WITHOUT.get(series.kind)
    if counters is None:
        return False
    rates = [rate for name in counters if (rate := series.column(name)) is not None]
    return not any((np.nan_to_num(rate) > 0).any() for rate in rates)
