"""Rows below one header: times and wanted numbers, kept in one flat array while they are read."""

import math
import re
from array import array

import numpy as np

from gavel.collectors.imports.esxtop.cells import RowPicker
from gavel.collectors.imports.esxtop.columns import CounterNature, ObjectKind
from gavel.collectors.imports.esxtop.errors import EsxtopRowError
from gavel.collectors.imports.esxtop.header import PlannedCell, ReadPlan
from gavel.collectors.imports.esxtop.lines import TextLine
from gavel.collectors.imports.esxtop.times import Float64Array, TimeZone, is_day_first, parse_stamp

_NUMBER = re.compile(rb"\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?\s*")
_DECIMAL_COMMA = re.compile(rb"\s*[+-]?\d+,\d+\s*")
_USUAL_DECIMALS = 2


class SegmentRows:
    """Collects the rows of one segment. `decimals`: the most that a latency was written with."""

    def __init__(self, plan: ReadPlan, zone: TimeZone, header_line: int, separator: bytes) -> None:
        self.zone = zone
        self.header_line = header_line
        self.stamps_s: list[float] = []
        self.lines: list[int] = []
        self.decimals = 0
        self.day_first = False
        self._separator = separator
        self._values = array("d")
        self._follow(plan)

    def _follow(self, plan: ReadPlan) -> None:
        self.plan = plan
        self.wanted: tuple[PlannedCell, ...] = (*plan.cells, *plan.duplicates)
        self._picker = RowPicker(plan.columns, [0, *(cell.position for cell in self.wanted)], self._separator)
        self._latencies = [at for at, cell in enumerate(self.wanted) if cell.counter.nature is CounterNature.LATENCY]

    def leave_out(self, kind: ObjectKind) -> int:
        """From now on, and of the rows so far. How many numbers were in them."""
        kept = [at for at, cell in enumerate(self.wanted) if cell.key[0] is not kind]
        values = array("d")
        values.frombytes(np.ascontiguousarray(self.table()[:, kept]).data.cast("B"))
        left_out = len(self._values) - len(values)
        self._values = values
        self._follow(self.plan.without(kind))
        return left_out

    def add(self, line: TextLine) -> None:
        """Raises EsxtopRowError, and then keeps nothing of the row."""
        if not line.complete and not line.data.endswith((b'"', b'"' + self._separator)):
            raise EsxtopRowError("the line ends within a cell")
        stamp, *cells = self._picker.pick(line.data)
        if not self.stamps_s and is_day_first(stamp):
            self.day_first = True
        at_s = parse_stamp(stamp, day_first=self.day_first)
        numbers = self._numbers(cells, plain=b"_" not in line.data)
        if self.decimals < _USUAL_DECIMALS:
            self.decimals = max([self.decimals, *(_decimals(cells[at]) for at in self._latencies)])
        self.stamps_s.append(at_s)
        self.lines.append(line.number)
        self._values.extend(numbers)

    def _numbers(self, cells: list[bytes], *, plain: bool) -> list[float]:
        """`plain`: no cell holds what Python takes for a part of a number and nothing else does."""
        if plain:
            try:
                numbers = [float(cell) for cell in cells]
            except ValueError:
                pass
            else:
                if math.isfinite(sum(numbers)):
                    return numbers
        return [self._number(cell, at) for at, cell in enumerate(cells)]

    def _number(self, cell: bytes, at: int) -> float:
        """A blank cell is none."""
        if not cell.strip():
            return math.nan
        number = float(cell) if _NUMBER.fullmatch(cell) else math.nan
        if math.isfinite(number):
            return number
        wanted = self.wanted[at]
        text = repr(cell[:40].decode("utf-8", "replace"))
        hint = ": decimals after a comma, as spreadsheets save them" if _DECIMAL_COMMA.fullmatch(cell) else ""
        raise EsxtopRowError(f"{text} is no number{hint}", f"{wanted.key[1]}: {wanted.counter.written}")

    def table(self) -> Float64Array:
        """(rows, wanted cells) as written in the file."""
        return np.frombuffer(self._values, dtype=np.float64).reshape(len(self.stamps_s), len(self.wanted))


def _decimals(cell: bytes) -> int:
    _, point, decimals = cell.strip().partition(b".")
    return len(decimals) if point else 0
