"""The grade of a row, A to D, with its reasons in words (attribution.md §5)."""

from dataclasses import dataclass
from enum import IntFlag

import numpy as np
import numpy.typing as npt

from gavel.analysis.intervals import Bools, Floats
from gavel.domain.io_path import Grade


class GradeReason(IntFlag):
    """Why a row is not an A."""

    NONE = 0
    MILLISECONDS = 1
    COVERAGE_OFF_5 = 2
    OFFSET_OVER_1_S = 4
    DISAGREEMENT = 8
    COVERAGE_OFF_10 = 16
    OFFSET_OVER_5_S = 32
    SAMPLE_MISSING = 64
    SMALL_SHARE = 128
    SIDE_MISSING = 256


# A row of a window is graded by its worst minute.
WORDS = {
    GradeReason.MILLISECONDS: "a boundary is measured in whole milliseconds",
    GradeReason.COVERAGE_OFF_5: "in some minute, host ops differ from array ops by more than 5 %",
    GradeReason.OFFSET_OVER_1_S: "clock offsets are known no better than 1 s",
    GradeReason.DISAGREEMENT: "measurements of this path contradict each other",
    GradeReason.COVERAGE_OFF_10: "in some minute, host ops differ from array ops by more than 10 %",
    GradeReason.OFFSET_OVER_5_S: "clock offsets are known no better than 5 s",
    GradeReason.SAMPLE_MISSING: "in some minute, a sample is missing",
    GradeReason.SMALL_SHARE: "less than a fifth of the device's I/Os are its own",
    GradeReason.SIDE_MISSING: "one side, hosts or array, is not measured",
}
_B = GradeReason.MILLISECONDS | GradeReason.COVERAGE_OFF_5 | GradeReason.OFFSET_OVER_1_S
_C = (
    GradeReason.DISAGREEMENT
    | GradeReason.COVERAGE_OFF_10
    | GradeReason.OFFSET_OVER_5_S
    | GradeReason.SAMPLE_MISSING
    | GradeReason.SMALL_SHARE
)


@dataclass(frozen=True, slots=True)
class Quality:
    """What a grade looks at, each (n,). coverage: host ÷ array ops; offset_error_s: of the worse clock; share: of the device's ops."""

    microseconds: Bools
    coverage: Floats
    offset_error_s: Floats
    sample_missing: Bools
    disagreement_us: Floats
    share: Floats
    side_missing: Bools


def grade_reasons(quality: Quality) -> npt.NDArray[np.int64]:
    """(n,) flags of `GradeReason`. An unknown offset or share counts as a bad one, an unknown coverage as a missing side."""
    off = np.abs(quality.coverage - 1.0)
    error = np.where(np.isnan(quality.offset_error_s), np.inf, quality.offset_error_s)
    unknown = np.isnan(quality.coverage)
    # 95 % is inside "95–105 %", also in floating point.
    slack = 1e-9
    flags = [
        (GradeReason.MILLISECONDS, ~quality.microseconds),
        (GradeReason.COVERAGE_OFF_5, (off > 0.05 + slack) & ~(off > 0.10 + slack)),
        (GradeReason.OFFSET_OVER_1_S, (error > 1) & (error <= 5)),
        (GradeReason.DISAGREEMENT, quality.disagreement_us > 0),
        (GradeReason.COVERAGE_OFF_10, off > 0.10 + slack),
        (GradeReason.OFFSET_OVER_5_S, error > 5),
        (GradeReason.SAMPLE_MISSING, quality.sample_missing),
        (GradeReason.SMALL_SHARE, ~(quality.share >= 0.2)),
        (GradeReason.SIDE_MISSING, quality.side_missing | unknown),
    ]
    result: npt.NDArray[np.int64] = np.sum(
        [np.where(rows, int(flag), 0) for flag, rows in flags], axis=0, dtype=np.int64
    )
    return result


def grades(reasons: npt.NDArray[np.int64]) -> npt.NDArray[np.str_]:
    """(n,) letters of `Grade`."""
    conditions = [(reasons & int(GradeReason.SIDE_MISSING)) > 0, (reasons & int(_C)) > 0, (reasons & int(_B)) > 0]
    letters: npt.NDArray[np.str_] = np.select(conditions, [Grade.D.value, Grade.C.value, Grade.B.value], Grade.A.value)
    return letters


def in_words(reasons: int) -> tuple[str, ...]:
    """The reasons of one row as sentences' beginnings, in the order of `GradeReason`."""
    return tuple(words for flag, words in WORDS.items() if reasons & flag)
