"""Rows of the ledger and the notes beside them, column by column: every field is an array with one entry per row."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerRows:
    """n rows of sums: reads, writes and all along axis 1; segments (9) or spans of layers (10) along axis 2. Every field is additive.

    `*_time` is I/O-time in µs × ops, `*_lower` and `*_upper` its bounds, `*_ops` the ops whose time is in it (0 = not measured);
    `outermost_lower` is the lower bound of the outermost boundary, in I/O-time too.
    """

    ops: Floats
    bytes: Floats
    segment_time: Floats
    segment_lower: Floats
    segment_upper: Floats
    segment_ops: Floats
    span_time: Floats
    span_lower: Floats
    span_upper: Floats
    span_ops: Floats
    outermost_lower: Floats

    def __len__(self) -> int:
        return len(self.ops)


Flags = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """n rows; NaN where unknown. Over time and place: flags by OR, the worst (max) or the sum, as said.

    reasons: flags of `diagnosis.Reason` (OR). quality_reasons: flags of `quality.QualityReason` (OR).
    disagreement_us: how far measurements contradict each other (max). offset_error_s: of the worst clock (max).
    missing_s: seconds that no sample covers (sum). device_ops: ops of all VMs on the devices (sum), for the share of a VM.
    array_ops: the row's part of what the array counted (sum); match_ratio = ops ÷ array_ops.
    outstanding_s: I/Os that the virtual disks held, × seconds (sum). queue_depth: effective depth D (max over time, sum over devices).
    """

    reasons: Flags
    quality_reasons: Flags
    disagreement_us: Floats
    offset_error_s: Floats
    missing_s: Floats
    device_ops: Floats
    array_ops: Floats
    outstanding_s: Floats
    queue_depth: Floats

    def __len__(self) -> int:
        return len(self.reasons)


Columns = TypeVar("Columns", LedgerRows, Notes)


def picked(columns: Columns, rows: npt.NDArray[np.int64]) -> Columns:
    """The rows at these positions, in their order."""
    return type(columns)(**{field.name: getattr(columns, field.name)[rows] for field in fields(columns)})


def joined(parts: Sequence[Columns]) -> Columns:
    """All rows of the parts; at least one part."""
    names = [field.name for field in fields(parts[0])]
    return type(parts[0])(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})
