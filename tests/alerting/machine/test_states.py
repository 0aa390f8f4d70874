"""The laws of the state machine: every change once and in order, whatever comes twice, late, never, or from a clock gone wrong."""

import json
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from tests.alerting.plain_machine import Plain

from gavel.alerting.machine import states as machine
from gavel.alerting.machine.readings import Code, Readings, RuleTable, breaches, codes, rule_table
from gavel.alerting.machine.states import AlertState, Memory, Step, retire, step
from gavel.alerting.rules.file import default_rules
from gavel.alerting.rules.model import Compared, Condition, Quantity, Rule, RuleMeasure, Scope, Subject
from gavel.domain.io_path import Layer, Quality

TOTAL = RuleMeasure(Quantity.LATENCY)
KERNEL = RuleMeasure(Quantity.LATENCY, Layer.KERNEL)
MEASURES = (TOTAL, KERNEL)
START = 29_000_000
VALUES = {Code.UNKNOWN: np.nan, Code.CLEAR: 100.0, Code.HOLD: 400.0, Code.BREACH: 600.0}


def a_rule(**changes: object) -> Rule:
    settings_: dict[str, object] = {
        "key": "slow", "name": "Slow", "scope": Scope(Subject.DATASTORE),
        "conditions": (Condition(TOTAL, 500.0, 300.0),), "for_min": 0, "keep_firing_min": 2, "no_data_after_min": 3,
    }  # fmt: skip
    return Rule(**(settings_ | changes))  # type: ignore[arg-type]


def table(*rules: Rule, objects: int = 1) -> RuleTable:
    return rule_table(dict(enumerate(rules, 1)), MEASURES, np.ones((len(rules), objects), dtype=bool))


def readings(
    objects: list[int], minutes: list[int], numbers: list[float], *, ops: float = 1000.0, quality: int = 0
) -> Readings:
    value = np.tile(np.array(numbers), (len(MEASURES), 1))
    return Readings(
        object_id=np.array(objects),
        minute=np.array(minutes),
        present=~np.isnan(value[0]),
        quality=np.full(len(objects), quality, dtype=np.int8),
        value=value,
        lower=value,
        ops=np.full(value.shape, ops),
    )


@dataclass
class Story:
    """One object under one rule, minute by minute."""

    rules: RuleTable
    memory: Memory = field(default_factory=Memory.blank)

    def tell(self, minute: int, code: Code, *, now: int | None = None, **more: float) -> Step:
        found = step(self.memory, self.rules, readings([7], [minute], [VALUES[code]], **more), now or minute)  # type: ignore[arg-type]
        self.memory = found.memory
        return found

    def states(self, said: str, first: int = START) -> list[str]:
        """`said`: a letter per minute (u, c, h, b). Returns the states gone to, by name."""
        by_letter = {code.name[0].lower(): code for code in Code}
        steps = [self.tell(first + offset, by_letter[letter]) for offset, letter in enumerate(said)]
        return [AlertState(row["after"]).name for one in steps for row in one.transitions]


@pytest.mark.parametrize(
    ("for_min", "said", "states"),
    [
        (0, "b", ["FIRING"]),
        (1, "b", ["FIRING"]),
        (3, "bb", ["PENDING"]),
        (3, "bbb", ["PENDING", "FIRING"]),
        (3, "bbcb", ["PENDING", "INACTIVE", "PENDING"]),
        (3, "bbhb", ["PENDING", "INACTIVE", "PENDING"]),
        (3, "bbub", ["PENDING", "FIRING"]),  # two minutes, a hole, the third
        (3, "bbuuub", ["PENDING", "NO_DATA", "PENDING"]),  # a hole that long ends what was counted
        (3, "bbuuuc", ["PENDING", "NO_DATA", "INACTIVE"]),
        (0, "bcc", ["FIRING", "RECOVERING", "RESOLVED"]),
        (0, "bchc", ["FIRING", "RECOVERING"]),
        (0, "bchcc", ["FIRING", "RECOVERING", "RESOLVED"]),
        (0, "bhhhh", ["FIRING"]),
        (0, "bcbcc", ["FIRING", "RECOVERING", "FIRING", "RECOVERING", "RESOLVED"]),
        (0, "buuuuuu", ["FIRING", "NO_DATA"]),
        (0, "buuuucc", ["FIRING", "NO_DATA", "RECOVERING", "RESOLVED"]),
        (0, "buuuh", ["FIRING", "NO_DATA", "FIRING"]),
        (0, "bcuuuuu", ["FIRING", "RECOVERING", "NO_DATA"]),
        (0, "bccb", ["FIRING", "RECOVERING", "RESOLVED", "FIRING"]),
        (0, "chuhc", []),
    ],
)
def test_minutes_lead_from_state_to_state(for_min: int, said: str, states: list[str]) -> None:
    assert Story(table(a_rule(for_min=for_min))).states(said) == states


def test_too_few_ios_or_too_poor_a_quality_is_no_data_and_never_a_recovery() -> None:
    story = Story(table(a_rule(min_quality=Quality.B)))
    story.states("b")
    after = [story.tell(START + 1 + i, Code.CLEAR, ops=29) for i in range(2)]
    after += [story.tell(START + 3 + i, Code.CLEAR, quality=2) for i in range(2)]
    assert [AlertState(row["after"]).name for one in after for row in one.transitions] == ["NO_DATA"]
    assert len(story.tell(START + 9, Code.BREACH, ops=29).transitions) == 0


def test_every_condition_has_to_hold_and_the_lower_bound_is_what_counts() -> None:
    both = a_rule(conditions=(Condition(TOTAL, 500.0), Condition(KERNEL, 200.0, compared=Compared.ESTIMATE)))
    rules = table(both, objects=4)
    value = np.array([[600.0, 600, 600, 600], [300, 300, 100, np.nan]])
    lower = np.array([[550.0, 450, 550, 550], [0, 0, 0, np.nan]])
    minutes = np.full(4, START)
    numbers = Readings(
        object_id=np.arange(4),
        minute=minutes,
        present=np.ones(4, dtype=bool),
        quality=np.zeros(4, dtype=np.int8),
        value=value,
        lower=lower,
        ops=np.full((2, 4), 50.0),
    )
    assert breaches(rules, numbers)[1].tolist() == [0]
    found = codes(rules, numbers, np.zeros(4, dtype=np.int64), np.arange(4))
    assert found.tolist() == [Code.BREACH, Code.CLEAR, Code.CLEAR, Code.UNKNOWN]


def test_the_kernel_rule_that_ships_fires_after_five_minutes_of_surely_too_much_kernel() -> None:
    kernel = next(one for one in default_rules() if one.key == "kernel_queueing")
    measures = tuple(condition.measure for condition in kernel.conditions)
    rules = rule_table({4: kernel}, measures, np.ones((1, 3), dtype=bool))
    memory, fired = Memory.blank(), []
    for offset in range(6):
        # Surely 0.31 ms and 25 %; surely 0.29 ms only; 0.31 ms but surely only 19 %.
        lower = np.array([[310.0, 290.0, 310.0], [0.25, 0.25, 0.19]])
        minutes, present = np.full(3, START + offset), np.ones(3, dtype=bool)
        numbers = Readings(
            object_id=np.arange(3),
            minute=minutes,
            present=present,
            quality=np.ones(3, dtype=np.int8),
            value=2 * lower,
            lower=lower,
            ops=np.full((2, 3), 3e4),
        )
        found = step(memory, rules, numbers, START + offset)
        memory = found.memory
        fired += [(int(row["object_id"]), offset, AlertState(row["after"]).name) for row in found.transitions]
    assert fired == [(0, 0, "PENDING"), (0, 4, "FIRING")]


def test_a_late_breach_goes_to_the_timeline_once_and_moves_nothing() -> None:
    story = Story(table(a_rule()))
    story.tell(START, Code.CLEAR)
    story.tell(START + 1, Code.UNKNOWN)
    story.tell(START + 2, Code.CLEAR)
    late = story.tell(START + 1, Code.BREACH, now=START + 2)
    assert (late.late["minute"].tolist(), len(late.transitions)) == ([START + 1], 0)
    assert len(story.tell(START + 1, Code.BREACH, now=START + 2).late) == 0


def test_what_is_too_old_to_be_news_pages_nobody() -> None:
    story = Story(table(a_rule()))
    old = story.tell(START, Code.BREACH, now=START + machine.LATE_AFTER_MIN + 1)
    assert (len(old.late), len(old.transitions)) == (1, 0)


def test_a_clock_ahead_does_not_deafen_the_machine() -> None:
    story = Story(table(a_rule()))
    assert story.tell(START + 120, Code.BREACH, now=START).refused == 1
    story.tell(START + 120, Code.CLEAR, now=START + 120)  # the local clock itself was two hours ahead
    assert [AlertState(row["after"]) for row in story.tell(START + 1, Code.BREACH).transitions] == [AlertState.FIRING]


def test_who_fires_again_and_again_stays_firing_until_it_is_quiet_for_long() -> None:
    story = Story(table(a_rule(keep_firing_min=1)))
    assert story.states("bcbcbc" + "bc" * 5).count("RESOLVED") == 2
    assert "RESOLVED" not in story.states("c" * (machine.FLAP_CLEAR_MIN - 2), START + 16)
    assert story.states("cc", START + 16 + machine.FLAP_CLEAR_MIN - 2) == ["RESOLVED"]


def test_an_object_that_leaves_the_scope_and_a_rule_that_goes_end_their_incidents() -> None:
    story = Story(table(a_rule()))
    story.states("b")
    story.rules = rule_table({1: a_rule()}, MEASURES, np.zeros((1, 1), dtype=bool))
    assert [AlertState(row["after"]) for row in story.tell(START + 1, Code.BREACH).transitions] == [AlertState.RESOLVED]

    story = Story(table(a_rule()))
    story.states("b")
    gone = retire(story.memory, np.array([1]), START + 1)
    assert [(AlertState(row["before"]), AlertState(row["after"])) for row in gone.transitions] == [
        (AlertState.FIRING, AlertState.RESOLVED)
    ]
    assert len(gone.memory.rows) == 0


def test_an_object_twice_in_one_step_is_refused() -> None:
    with pytest.raises(ValueError, match="one minute per step"):
        step(Memory.blank(), table(a_rule(), objects=2), readings([7, 7], [START, START + 1], [1.0, 2.0]), START + 1)


# --- against a machine so simple that it can be read ------------------------------------------------------------------

RULES = (a_rule(), a_rule(for_min=3, keep_firing_min=0), a_rule(for_min=2, keep_firing_min=4, no_data_after_min=2))
OBJECTS = (11, 12, 40)


class Hostile(RuleBasedStateMachine):
    """Ticks for some objects, again, late, after restarts, with holes; then everything that came out is compared."""

    @initialize()
    def begin(self) -> None:
        self.memory = Memory.blank()
        self.now = START
        self.plain = {(r, o): Plain(one) for r, one in enumerate(RULES, 1) for o in OBJECTS}
        self.judged: dict[int, dict[int, Code]] = {thing: {} for thing in OBJECTS}
        self.expected: list[tuple[int, int, int, int, int]] = []
        self.got: list[tuple[int, int, int, int, int]] = []
        self.names: list[tuple[int, int, int, int]] = []
        self.expected_late: list[tuple[int, int, int]] = []
        self.late: list[tuple[int, int, int]] = []

    def feed(self, minutes: dict[int, tuple[int, Code]]) -> None:
        things = list(minutes)
        numbers = readings(things, [minutes[o][0] for o in things], [VALUES[minutes[o][1]] for o in things])
        found = step(self.memory, table(*RULES, objects=len(things)), numbers, self.now)
        self.memory = found.memory
        for row in found.transitions:
            self.got.append(tuple(int(row[name]) for name in ("rule_id", "object_id", "minute", "before", "after")))  # type: ignore[arg-type]
            self.names.append(tuple(int(row[name]) for name in ("incident", "sequence", "rule_id", "object_id")))  # type: ignore[arg-type]
        self.late += [(int(row["rule_id"]), int(row["object_id"]), int(row["minute"])) for row in found.late]

    @rule(hole=st.sampled_from([0, 0, 0, 0, 1, 4, 70]), said=st.lists(st.sampled_from(list(Code)), min_size=3, max_size=3),
          subset=st.sets(st.sampled_from(OBJECTS), min_size=1))  # fmt: skip
    def the_next_minute(self, hole: int, said: list[Code], subset: set[int]) -> None:
        self.now += 1 + hole
        minutes = {thing: (self.now, code) for thing, code in zip(OBJECTS, said, strict=True) if thing in subset}
        for thing, (minute, code) in minutes.items():
            self.judged[thing][minute] = code
            for number in range(1, len(RULES) + 1):
                if change := self.plain[number, thing].minute(minute, code):
                    self.expected.append((number, thing, minute, int(change[0]), int(change[1])))
        self.feed(minutes)

    @rule(times=st.integers(2, 12), code=st.sampled_from(list(Code)))
    def the_same_for_a_while(self, times: int, code: Code) -> None:
        for _ in range(times):
            self.the_next_minute(0, [code] * 3, set(OBJECTS))

    @precondition(lambda self: any(self.judged.values()))
    @rule(data=st.data())
    def a_tick_again(self, data: st.DataObject) -> None:
        thing = data.draw(st.sampled_from([thing for thing in OBJECTS if self.judged[thing]]))
        minute = data.draw(st.sampled_from(sorted(self.judged[thing])[-60:]))
        if self.judged[thing][minute] is Code.UNKNOWN or max(self.judged[thing]) - minute >= 64:
            return
        self.feed({thing: (minute, self.judged[thing][minute])})

    @precondition(lambda self: any(self.judged.values()))
    @rule(data=st.data(), back=st.integers(1, 200), code=st.sampled_from([Code.CLEAR, Code.BREACH]))
    def a_late_minute(self, data: st.DataObject, back: int, code: Code) -> None:
        thing = data.draw(st.sampled_from([thing for thing in OBJECTS if self.judged[thing]]))
        minute = max(self.judged[thing]) - back
        if self.judged[thing].get(minute, Code.UNKNOWN) is not Code.UNKNOWN:
            return
        self.judged[thing][minute] = code
        if code is Code.BREACH:
            self.expected_late += [(number, thing, minute) for number in range(1, len(RULES) + 1)]
        self.feed({thing: (minute, code)})

    @rule(ahead=st.integers(60, 10_000), first=st.sampled_from(list(Code)), then=st.sampled_from(list(Code)))
    def the_clock_is_ahead_and_put_right(self, ahead: int, first: Code, then: Code) -> None:
        right = self.now
        self.now += ahead
        self.the_next_minute(0, [first] * 3, set(OBJECTS))
        self.now = right
        self.judged = {thing: {} for thing in OBJECTS}
        for plain in self.plain.values():
            plain.last = None
        self.the_next_minute(0, [then] * 3, set(OBJECTS))

    @rule(ahead=st.integers(machine.AHEAD_MIN + 1, 10_000), code=st.sampled_from(list(Code)))
    def a_minute_of_the_future(self, ahead: int, code: Code) -> None:
        self.feed(dict.fromkeys(OBJECTS, (self.now + ahead, code)))

    @rule()
    def a_restart(self) -> None:
        self.memory = Memory.load(json.loads(json.dumps(self.memory.dump())))

    @invariant()
    def nothing_is_lost_doubled_or_out_of_order(self) -> None:
        assert sorted(map(self.spoken, self.got)) == sorted(map(self.spoken, self.expected))
        assert sorted(self.late) == sorted(self.expected_late)
        assert len(self.names) == len({name[:2] for name in self.names})
        last: dict[tuple[int, int], tuple[int, int]] = {}
        for incident, sequence, *pair in self.names:
            before = last.get((pair[0], pair[1]), (0, 0))
            assert (incident == before[0] and sequence == before[1] + 1) or (incident > before[0] and sequence == 1)
            last[pair[0], pair[1]] = (incident, sequence)

    @staticmethod
    def spoken(change: tuple[int, int, int, int, int]) -> tuple[int, ...]:
        """Resolved long ago and inactive are the same past."""
        *where, before, after = change
        return (*where, AlertState.INACTIVE if before == AlertState.RESOLVED else before, after)

    @invariant()
    def memory_is_ordered_and_small(self) -> None:
        rows = self.memory.rows
        pairs = list(zip(rows["rule_id"].tolist(), rows["object_id"].tolist(), strict=True))
        assert pairs == sorted(set(pairs))
        assert self.memory.objects["object_id"].tolist() == sorted(o for o in OBJECTS if self.judged[o])


Hostile.TestCase.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
TestTheMachineUnderHostileConditions = Hostile.TestCase
