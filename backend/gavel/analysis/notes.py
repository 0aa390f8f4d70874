"""What stands beside a ledger row: how good its numbers are, and what a verdict on it has to say."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from gavel.analysis.intervals import Floats

Flags = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Notes:
    """n rows; NaN where unknown. Over time and place: flags by OR, the worst (max) or the sum, as said.

    reasons: flags of `verdict.Reason` (OR). grade_reasons: flags of `grade.GradeReason` (OR).
    disagreement_us: how far measurements contradict each other (max). offset_error_s: of the worst clock (max).
    missing_s: seconds that no sample covers (sum). device_ops: ops of all VMs on the devices (sum), for the share of a VM.
    array_ops: the row's part of what the array counted (sum); coverage = ops ÷ array_ops.
    outstanding_s: I/Os that the virtual disks held, × seconds (sum). queue_depth: effective depth D (max over time, sum over devices).
    """

    reasons: Flags
    grade_reasons: Flags
    disagreement_us: Floats
    offset_error_s: Floats
    missing_s: Floats
    device_ops: Floats
    array_ops: Floats
    outstanding_s: Floats
    queue_depth: Floats

    def __len__(self) -> int:
        return len(self.reasons)
