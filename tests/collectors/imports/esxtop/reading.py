"""Reads captures that tests hold in memory, and compares two of them."""

import io
from pathlib import Path
from typing import Any

import numpy as np
from tests.collectors.imports.esxtop.twin import Twin

from gavel.collectors.imports.esxtop.capture import EsxtopCapture, ObjectSeries
from gavel.collectors.imports.esxtop.columns import ObjectKind
from gavel.collectors.imports.esxtop.parse import read_capture

NAA = "naa.624a9370a934ae2e94a9486b00011010"


def read(source: Twin | bytes | str | Path, **options: Any) -> EsxtopCapture:
    if isinstance(source, Path):
        return read_capture(source, **options)
    data = source.data() if isinstance(source, Twin) else source.encode() if isinstance(source, str) else source
    return read_capture(io.BytesIO(data), file="capture.csv", **options)


def series(capture: EsxtopCapture, name: str, kind: ObjectKind = ObjectKind.DEVICE) -> ObjectSeries:
    return next(each for each in capture.of_kind(kind) if each.name == name)


def column(capture: EsxtopCapture, name: str, of: str = NAA, kind: ObjectKind = ObjectKind.DEVICE) -> list[float]:
    values = series(capture, of, kind).column(name)
    assert values is not None
    return [float(value) for value in values]


def codes(capture: EsxtopCapture) -> set[str]:
    return {warning.code for warning in capture.warnings}


def same_rows(one: EsxtopCapture, other: EsxtopCapture, rows: int) -> bool:
    """Whether the first rows of both are equal in every column of every object."""
    if not np.array_equal(one.ended_at_s[:rows], other.ended_at_s[:rows]):
        return False
    pairs = zip(one.objects, other.objects, strict=True)
    return all(
        mine.name == theirs.name
        and mine.columns.keys() == theirs.columns.keys()
        and all(
            np.array_equal(values[:rows], theirs.columns[name][:rows], equal_nan=True)
            for name, values in mine.columns.items()
        )
        for mine, theirs in pairs
    )
