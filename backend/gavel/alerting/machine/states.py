"""What becomes of every (rule, object): inactive → pending → firing → recovering → resolved, with no data as a state of its own.

Pure: time is the minute that the numbers are about, never a clock, and what a step knows stands in `Memory`. So the same minutes give the
same transitions however often the program stops in between, and a minute that comes twice changes nothing.

- Only minutes with data count: `for` is that many breaching minutes, recovery that many clear ones. Missing ones hold everything as it is
  until `no_data_after`, and what was counted before so long a hole does not count any more.
- A minute that comes after a later one of its object, or too old to be news, never moves a state; a breach in it is a *late* one.
- A minute of the future is refused: it would make everything up to then look late. If the clock was ahead and is put right, the minutes
  up to where it had been are judged again.
- Who fires `FLAP_FIRES` times within `FLAP_WINDOW_MIN` flaps, and has to be clear for `FLAP_CLEAR_MIN` before it is over.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt

from gavel.alerting.machine.readings import Code, Ints, Readings, RuleTable, breaches, codes, first_values

LATE_AFTER_MIN = 15
AHEAD_MIN = 2
FLAP_FIRES = 3
FLAP_WINDOW_MIN = 60
FLAP_CLEAR_MIN = 30
# How many minutes back it is known whether a minute was judged.
_REMEMBERED_MIN = 64
_NEVER = -1


class AlertState(IntEnum):
    INACTIVE = 0
    PENDING = 1
    FIRING = 2
    RECOVERING = 3
    RESOLVED = 4
    NO_DATA = 5


# One (rule, object). streak: breaching minutes while pending, clear ones while recovering. missing: minutes without data up to now.
# is_open: fired and not resolved. incident, sequence: of the last transition. fires, fires_from: for flapping.
ROW = np.dtype(
    [
        ("rule_id", "i8"), ("object_id", "i8"), ("state", "i1"), ("is_open", "?"), ("streak", "i4"), ("missing", "i4"),
        ("incident", "i8"), ("sequence", "i4"), ("since_minute", "i8"), ("started_minute", "i8"), ("fires", "i4"),
        ("fires_from", "i8"),
    ]
)  # fmt: skip
# One object: the last minute that moved states, and a bit for each of the 64 minutes up to it: whether it was judged with data.
OBJECT = np.dtype([("object_id", "i8"), ("minute", "i8"), ("judged", "u8")])
# One change. incident and sequence are its name: never used twice, without holes, in the order of things.
TRANSITION = np.dtype(
    [
        ("rule_id", "i8"), ("object_id", "i8"), ("incident", "i8"), ("sequence", "i4"), ("before", "i1"), ("after", "i1"),
        ("minute", "i8"), ("started_minute", "i8"), ("value", "f8"), ("lower", "f8"),
    ]
)  # fmt: skip
# A breach found by backfill, named by its first three fields: for the timeline only.
LATE = np.dtype([("rule_id", "i8"), ("object_id", "i8"), ("minute", "i8"), ("value", "f8"), ("lower", "f8")])
# A live minute in which an incident's rule was breached.
BREACHING = np.dtype([("incident", "i8"), ("minute", "i8"), ("value", "f8"), ("lower", "f8")])
Table = npt.NDArray[np.void]


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What has to survive a restart, written in the same transaction as the transitions. rows, objects: ordered by their ids.

    Rows that are inactive and have no recent past are not kept.
    """

    rows: Table
    objects: Table
    next_incident: int

    @classmethod
    def blank(cls) -> "Memory":
        return cls(rows=np.empty(0, ROW), objects=np.empty(0, OBJECT), next_incident=1)

    def dump(self) -> dict[str, Any]:
        """As JSON takes it."""
        return {"rows": self.rows.tolist(), "objects": self.objects.tolist(), "next_incident": self.next_incident}

    @classmethod
    def load(cls, dumped: Mapping[str, Any]) -> "Memory":
        """What `dump` gave, also through JSON. KeyError, TypeError or ValueError for anything else."""
        rows = np.array([tuple(row) for row in dumped["rows"]], dtype=ROW)
        objects = np.array([tuple(row) for row in dumped["objects"]], dtype=OBJECT)
        return cls(rows=rows, objects=objects, next_incident=int(dumped["next_incident"]))


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What one step found. transitions: `TRANSITION`s by rule and object; breaching: `BREACHING`s; late: `LATE`s; refused: readings from
    the future."""

    memory: Memory
    transitions: Table
    breaching: Table
    late: Table
    refused: int


def step(memory: Memory, table: RuleTable, readings: Readings, now_minute: int) -> Step:
    """Judges one minute of some objects. Rows of objects or rules that are not among these stay as they are."""
    order = np.argsort(readings.object_id)
    if np.any(np.diff(readings.object_id[order]) == 0):
        raise ValueError("an object has one minute per step; give its other minutes in steps of their own")
    known = _recalled(memory.objects, readings.object_id, now_minute)
    future = readings.minute > now_minute + AHEAD_MIN
    live = ~future & (readings.minute > known["minute"]) & (readings.minute >= now_minute - LATE_AFTER_MIN)
    late = ~future & ~live & readings.present & ~_was_evaluated(known, readings.minute)
    rule, thing = breaches(table, readings)
    moved = _advance(memory, table, readings, known, live, rule[live[thing]], thing[live[thing]])
    objects = _remembered(memory.objects, known, readings, live, late)
    found = late[thing]
    return Step(
        memory=Memory(rows=moved.rows, objects=objects, next_incident=moved.following),
        transitions=moved.transitions,
        breaching=moved.breaching,
        late=_late(table, readings, rule[found], thing[found]),
        refused=int(future.sum()),
    )


def retire(memory: Memory, rule_ids: Ints, minute: int) -> Step:
    """Ends everything of rules that are gone or changed: open incidents are resolved, the rest is forgotten."""
    gone = np.isin(memory.rows["rule_id"], rule_ids)
    ended = memory.rows[gone & memory.rows["is_open"]].copy()
    before = ended["state"].copy()
    ended["state"], ended["sequence"] = AlertState.RESOLVED, ended["sequence"] + 1
    nothing = np.full(len(ended), np.nan)
    transitions = _transitions(ended, before, np.full(len(ended), minute), nothing, nothing)
    rest = Memory(rows=memory.rows[~gone], objects=memory.objects, next_incident=memory.next_incident)
    return Step(
        memory=rest, transitions=transitions, breaching=np.empty(0, BREACHING), late=np.empty(0, LATE), refused=0
    )


# --- which minutes are new --------------------------------------------------------------------------------------------


def _recalled(objects: Table, object_id: Ints, now_minute: int) -> Table:
    """(n,) OBJECTs as remembered; blank for objects not seen before and for what a clock that was ahead has left behind."""
    result = np.zeros(len(object_id), OBJECT)
    result["object_id"], result["minute"] = object_id, _NEVER
    place, here = _find(objects["object_id"], object_id)
    trusted = here.copy()
    trusted[here] = objects["minute"][place[here]] <= now_minute + AHEAD_MIN
    result[trusted] = objects[place[trusted]]
    return result


def _was_evaluated(stored: Table, minute: Ints) -> npt.NDArray[np.bool_]:
    age = stored["minute"] - minute
    inside = (age >= 0) & (age < _REMEMBERED_MIN)
    bit = stored["judged"] >> np.where(inside, age, 0).astype(np.uint64) & np.uint64(1)
    result: npt.NDArray[np.bool_] = inside & (bit == 1)
    return result


def _remembered(
    objects: Table, stored: Table, readings: Readings, live: npt.NDArray[np.bool_], late: npt.NDArray[np.bool_]
) -> Table:
    """All objects, those that this step evaluated marked."""
    new = stored.copy()
    gap = np.clip(readings.minute - stored["minute"], 0, _REMEMBERED_MIN)
    kept = np.where(gap < _REMEMBERED_MIN, stored["judged"] << (gap % _REMEMBERED_MIN).astype(np.uint64), np.uint64(0))
    new["judged"] = np.where(live, kept | readings.present.astype(np.uint64), stored["judged"])
    new["minute"] = np.where(live, readings.minute, stored["minute"])
    age = stored["minute"] - readings.minute
    marked = late & (age >= 0) & (age < _REMEMBERED_MIN)
    new["judged"][marked] |= np.uint64(1) << age[marked].astype(np.uint64)
    changed = new[live | marked]
    others = objects[~np.isin(objects["object_id"], changed["object_id"])]
    joined = np.concatenate([others, changed])
    return joined[np.argsort(joined["object_id"])]


def _late(table: RuleTable, readings: Readings, rule: Ints, thing: Ints) -> Table:
    result = np.empty(len(rule), LATE)
    result["rule_id"], result["object_id"] = table.rule_id[rule], readings.object_id[thing]
    result["minute"] = readings.minute[thing]
    result["value"], result["lower"] = first_values(table, readings, rule, thing)
    return result


# --- what becomes of them ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class _Advanced:
    """All rows after the live minutes, what moved, what breached, and the next incident's number."""

    rows: Table
    transitions: Table
    breaching: Table
    following: int


def _advance(
    memory: Memory,
    table: RuleTable,
    readings: Readings,
    stored: Table,
    live: npt.NDArray[np.bool_],
    rule: Ints,
    thing: Ints,
) -> _Advanced:
    kept_rule, kept_thing, touched = _places(memory.rows, table, readings, live)
    wide = len(readings.object_id)
    pair = _distinct(np.concatenate([rule * wide + thing, kept_rule * wide + kept_thing]))
    rule, thing = np.divmod(pair, max(wide, 1))
    old = np.zeros(len(pair), ROW)
    old["rule_id"], old["object_id"] = table.rule_id[rule], readings.object_id[thing]
    here = np.searchsorted(pair, kept_rule * wide + kept_thing)
    old[here] = memory.rows[touched]
    minute = readings.minute[thing]
    gap = np.where(stored["minute"][thing] == _NEVER, 0, minute - stored["minute"][thing] - 1)
    gone = ~table.applies[rule, thing]
    code = np.where(gone, np.int8(Code.CLEAR), codes(table, readings, rule, thing))
    new, following = _moved(old, code, gap, minute, _Waits(table, rule, gone), memory.next_incident)
    changed = new["state"] != old["state"]
    value, lower = first_values(table, readings, rule, thing)
    transitions = _transitions(new[changed], old["state"][changed], minute[changed], value[changed], lower[changed])
    breached = code == Code.BREACH
    breaching = np.empty(int(breached.sum()), BREACHING)
    breaching["incident"], breaching["minute"] = new["incident"][breached], minute[breached]
    breaching["value"], breaching["lower"] = value[breached], lower[breached]
    recent = (new["fires"] > 0) & (np.abs(minute - new["fires_from"]) <= FLAP_WINDOW_MIN)
    idle = (new["state"] == AlertState.INACTIVE) | (new["state"] == AlertState.RESOLVED)
    untouched = np.ones(len(memory.rows), dtype=bool)
    untouched[touched] = False
    rows = np.concatenate([memory.rows[untouched], new[~idle | recent]])
    ordered = rows[np.lexsort((rows["object_id"], rows["rule_id"]))]
    return _Advanced(rows=ordered, transitions=transitions, breaching=breaching, following=following)


class _Waits:
    """How many minutes of each pair's rule; an object that left the rule's scope is over at once."""

    def __init__(self, table: RuleTable, rule: Ints, gone: npt.NDArray[np.bool_]) -> None:
        self.pending = table.for_min[rule]
        self.clear = np.where(gone, 0, table.keep_firing_min[rule])
        self.flapping = np.where(gone, 0, FLAP_CLEAR_MIN)
        self.missing = table.no_data_after_min[rule]


def _moved(
    old: Table, code: npt.NDArray[np.int8], gap: Ints, minute: Ints, waits: _Waits, following: int
) -> tuple[Table, int]:
    """Rows after one minute each, and the next incident's number."""
    new, state, is_open = old.copy(), old["state"], old["is_open"]
    breach, clear, unknown = code == Code.BREACH, code == Code.CLEAR, code == Code.UNKNOWN
    missed = old["missing"] + gap
    new["missing"] = np.where(unknown, missed + 1, 0)
    lapsed = missed >= waits.missing
    streak = np.where(lapsed, 0, old["streak"])

    starts = breach & ~is_open & (state != AlertState.PENDING)
    waiting = breach & ~is_open
    new["streak"] = np.where(starts, 1, np.where(waiting, streak + 1, old["streak"]))
    fires = waiting & (new["streak"] >= waits.pending)
    _begin(new, starts, minute, following)
    new["started_minute"] = np.where(waiting & lapsed, minute, new["started_minute"])
    _count_fires(new, fires, minute)

    recovers = is_open & clear
    held = is_open & (code == Code.HOLD) & (state == AlertState.RECOVERING)
    new["streak"] = np.where(recovers, np.where(state == AlertState.RECOVERING, streak, 0) + 1, new["streak"])
    new["streak"][held] = 0
    flaps = new["fires"] >= FLAP_FIRES
    enough = np.where(flaps, np.maximum(waits.clear, waits.flapping), waits.clear)
    over = recovers & (new["streak"] >= enough)
    lost = unknown & (is_open | (state == AlertState.PENDING)) & (new["missing"] >= waits.missing)
    quiet = ~is_open & ~breach & ~unknown & (state != AlertState.RESOLVED)

    new["state"] = np.select(
        [fires, waiting, over, recovers, held, is_open & ~unknown, lost, quiet],
        [
            AlertState.FIRING,
            AlertState.PENDING,
            AlertState.RESOLVED,
            AlertState.RECOVERING,
            AlertState.RECOVERING,
            AlertState.FIRING,
            AlertState.NO_DATA,
            AlertState.INACTIVE,
        ],
        state,
    )
    new["is_open"] = (is_open | fires) & ~over
    changed = new["state"] != state
    new["sequence"] += changed
    new["since_minute"] = np.where(changed, minute, old["since_minute"])
    return new, following + int(starts.sum())


def _begin(new: Table, starts: npt.NDArray[np.bool_], minute: Ints, following: int) -> None:
    new["incident"][starts] = following + np.arange(int(starts.sum()))
    new["sequence"][starts] = 0
    new["started_minute"][starts] = minute[starts]


def _count_fires(new: Table, fires: npt.NDArray[np.bool_], minute: Ints) -> None:
    elapsed = minute - new["fires_from"]
    again = fires & (new["fires"] > 0) & (elapsed >= 0) & (elapsed <= FLAP_WINDOW_MIN)
    first = fires & ~again
    new["fires"][again] += 1
    new["fires"][first] = 1
    new["fires_from"][first] = minute[first]


def _transitions(new: Table, before: Ints, minute: Ints, value: npt.ArrayLike, lower: npt.ArrayLike) -> Table:
    result = np.empty(len(new), TRANSITION)
    for name in ("rule_id", "object_id", "incident", "sequence", "started_minute"):
        result[name] = new[name]
    result["before"], result["after"], result["minute"] = before, new["state"], minute
    result["value"], result["lower"] = value, lower
    return result


# --- finding ----------------------------------------------------------------------------------------------------------


def _places(rows: Table, table: RuleTable, readings: Readings, live: npt.NDArray[np.bool_]) -> tuple[Ints, Ints, Ints]:
    """Positions (rule, object) of the remembered rows that this step evaluates, and which rows these are."""
    by_id = np.argsort(readings.object_id)
    rule, has_rule = _find(table.rule_id, rows["rule_id"])
    place, has_object = _find(readings.object_id[by_id], rows["object_id"])
    both = has_rule & has_object
    thing = np.zeros(len(rows), dtype=np.int64)
    thing[both] = by_id[place[both]]
    both[both] = live[thing[both]]
    return rule[both], thing[both], np.flatnonzero(both)


def _distinct(numbers: Ints) -> Ints:
    """Ordered, each once. Sorting beats NumPy's hashing `unique` by far here: both halves are in order already."""
    ordered = np.sort(numbers, kind="stable")
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered


def _find(ordered: Ints, wanted: Ints) -> tuple[Ints, npt.NDArray[np.bool_]]:
    """Positions of `wanted` in an ordered column, and whether each is there."""
    place = np.searchsorted(ordered, wanted)
    if not len(ordered):
        return place, np.zeros(len(wanted), dtype=bool)
    place = np.minimum(place, len(ordered) - 1)
    return place, ordered[place] == wanted
