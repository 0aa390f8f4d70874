"""Reals of 12 binary digits, half the bytes in a columnstore: within 0.025 % of themselves, whole numbers to 4,096 as they are.

Estimates go to the nearest, lower bounds down and upper bounds up, so that a range never shrinks; again it changes nothing.
"""

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from gavel.db.copying import Numbers
from gavel.db.series.codes import CodeRounding, rounding_of

_DIGITS = 12
_OF_REAL = 24
_STEP = np.uint32(1 << (_OF_REAL - _DIGITS))
_KEPT = np.uint32(0xFFFF_FFFF) << np.uint32(_OF_REAL - _DIGITS)
_ADDED = {
    CodeRounding.NEAREST: _STEP >> np.uint32(1),
    CodeRounding.DOWN: np.uint32(0),
    CodeRounding.UP: _STEP - np.uint32(1),
}
_OTHER_SIDE_OF_ZERO = {CodeRounding.DOWN: CodeRounding.UP, CodeRounding.UP: CodeRounding.DOWN}


def shortened(columns: Mapping[str, Numbers]) -> dict[str, Numbers]:
    """Columns by name, those of reals (float32, NaN where not measured) shortened as their names ask for."""
    return {name: _if_real(column, rounding_of(name)) for name, column in columns.items()}


def _if_real(column: Numbers, rounding: CodeRounding) -> Numbers:
    return shorten(column.astype(np.float32, copy=False), rounding) if column.dtype == np.float32 else column


def shorten(column: npt.NDArray[np.float32], rounding: CodeRounding) -> npt.NDArray[np.float32]:
    """Digits of a real are its lowest bits, whatever its size: adding to them carries into what is above, as counting does."""
    bits = column.view(np.uint32)
    away = (bits + _ADDED[rounding]) & _KEPT
    if rounding in _OTHER_SIDE_OF_ZERO and (column < 0).any():
        away = np.where(column < 0, (bits + _ADDED[_OTHER_SIDE_OF_ZERO[rounding]]) & _KEPT, away)
    return np.where(np.isfinite(column), away.view(np.float32), column)
