"""Which rule holds for which object in one minute: rules as columns, objects as columns, compared without a loop over either."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from gavel.alerting.rules.model import Compared, Rule, RuleMeasure
from gavel.domain.io_path import Quality

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]

QUALITIES = {quality: place for place, quality in enumerate(Quality)}
_MOST_CONDITIONS = 3
# Rules whose comparisons stay in the processor's cache together.
_AT_ONCE = 64


class Code(IntEnum):
    """What one minute says about one rule and object; of several conditions, the least."""

    UNKNOWN = 0  # no data, too few I/Os, or too poor a quality: neither a breach nor a recovery
    CLEAR = 1  # below the recovery threshold
    HOLD = 2  # between the two thresholds
    BREACH = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """One minute of each of n objects, by m measures.

    object_id: (n,) without doubles. minute: (n,) since 1970. present: (n,) whether that minute has data. quality: (n,) 0 (A) to 3 (D).
    value, lower, ops: (m, n) estimate and lower bound in the measure's unit, NaN where not measured; I/Os of the measure's direction.
    """

    object_id: Ints
    minute: Ints
    present: Bools
    quality: npt.NDArray[np.int8]
    value: Floats
    lower: Floats
    ops: Floats


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTable:
    """r rules as columns, ordered by id. applies: (r, n) the scope over the objects of the readings to come.

    measure, threshold, recovery: (r, 3) by condition; `measure` is a row of [value; lower; nothing], for unused conditions `nothing`.
    """

    rule_id: Ints
    applies: Bools
    measure: Ints
    threshold: Floats
    recovery: Floats
    ops_row: Ints
    min_ops: Floats
    worst_quality: npt.NDArray[np.int8]
    for_min: Ints
    keep_firing_min: Ints
    no_data_after_min: Ints

    def __post_init__(self) -> None:
        if np.any(np.diff(self.rule_id) <= 0):
            raise ValueError("the rules of a table have to be ordered by id, each once")


def rule_table(rules: Mapping[int, Rule], measures: Sequence[RuleMeasure], applies: Bools) -> RuleTable:
    """Rules by id, in the order of ids, over `measures` as the readings have them. KeyError when a rule's measure is not among them."""
    place = {measure: row for row, measure in enumerate(measures)}
    ordered = [rules[rule_id] for rule_id in sorted(rules)]
    unused = 2 * len(measures)
    measure = np.full((len(ordered), _MOST_CONDITIONS), unused, dtype=np.int64)
    threshold = np.full(measure.shape, -np.inf)
    recovery = np.full(measure.shape, -np.inf)
    for row, rule in enumerate(ordered):
        for slot, condition in enumerate(rule.conditions):
            offset = len(measures) if condition.compared is Compared.LOWER else 0
            measure[row, slot] = place[condition.measure] + offset
            threshold[row, slot], recovery[row, slot] = condition.at_least, condition.recovery
    return RuleTable(
        rule_id=np.array(sorted(rules), dtype=np.int64),
        applies=applies,
        measure=measure,
        threshold=threshold,
        recovery=recovery,
        ops_row=np.array([place[rule.conditions[0].measure] for rule in ordered], dtype=np.int64),
        min_ops=np.array([rule.min_ops for rule in ordered], dtype=np.float64),
        worst_quality=np.array([QUALITIES[rule.min_quality] for rule in ordered], dtype=np.int8),
        for_min=np.array([rule.for_min for rule in ordered], dtype=np.int64),
        keep_firing_min=np.array([rule.keep_firing_min for rule in ordered], dtype=np.int64),
        no_data_after_min=np.array([rule.no_data_after_min for rule in ordered], dtype=np.int64),
    )


def breaches(table: RuleTable, readings: Readings) -> tuple[Ints, Ints]:
    """Pairs (rule, object) as positions whose every condition holds, ordered by rule, then object."""
    numbers = _numbers(readings)
    able, kind = _able(table, readings)
    rules: list[Ints] = []
    objects: list[Ints] = []
    for start in range(0, len(table.rule_id), _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        held = table.applies[some] & able[kind[some]]
        for slot in range(_MOST_CONDITIONS):
            used = np.flatnonzero(table.threshold[some, slot] > -np.inf)
            if used.size:
                held[used] &= numbers[table.measure[some, slot][used]] >= table.threshold[some, slot][used, None]
        rule, thing = np.nonzero(held)
        rules.append(rule + start)
        objects.append(thing)
    nothing = [np.empty(0, dtype=np.int64)]
    return np.concatenate(rules or nothing), np.concatenate(objects or nothing)


def codes(table: RuleTable, readings: Readings, rule: Ints, thing: Ints) -> npt.NDArray[np.int8]:
    """(k,) `Code` of k pairs given as positions."""
    able, kind = _able(table, readings)
    numbers = _numbers(readings)[table.measure[rule], thing[:, None]]
    used = table.threshold[rule] > -np.inf
    each = np.where(numbers >= table.threshold[rule], Code.BREACH, Code.HOLD)
    each = np.where(numbers < table.recovery[rule], Code.CLEAR, each)
    each = np.where(np.isnan(numbers), Code.UNKNOWN, each)
    least = np.where(used, each, Code.BREACH).min(axis=1, initial=Code.BREACH)
    result: npt.NDArray[np.int8] = np.where(able[kind[rule], thing], least, Code.UNKNOWN).astype(np.int8)
    return result


def first_values(table: RuleTable, readings: Readings, rule: Ints, thing: Ints) -> tuple[Floats, Floats]:
    """Estimate and lower bound of the first condition's measure, of k pairs given as positions."""
    return readings.value[table.ops_row[rule], thing], readings.lower[table.ops_row[rule], thing]


def _numbers(readings: Readings) -> Floats:
    nothing = np.zeros((1, len(readings.object_id)))
    return np.concatenate([readings.value, readings.lower, nothing])


def _able(table: RuleTable, readings: Readings) -> tuple[Bools, Ints]:
    """(kinds, n) whether a minute may be evaluated, and (r,) which kind each rule is: most rules ask the same of it."""
    asked = np.column_stack([table.ops_row, table.min_ops, table.worst_quality]).astype(np.float64)
    kinds, kind = np.unique(asked, axis=0, return_inverse=True)
    enough = readings.ops[kinds[:, 0].astype(np.int64)] >= kinds[:, 1, None]
    able: Bools = readings.present & enough & (readings.quality <= kinds[:, 2, None])
    return able, kind.reshape(-1).astype(np.int64)
