"""One event is one message; what is quiet stays quiet; and nothing is over that was never said to be."""

from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gavel.alerting.machine.grouping import REPEAT_AFTER, Incident, LastSent, MessageGroup, after, arrays_down, plan
from gavel.alerting.machine.silences import Maintenance, Matcher, Quiet, Repeat, Silence
from gavel.alerting.render.message import Status
from gavel.alerting.rules.model import AlertSeverity, Subject
from gavel.domain.errors import SettingsError
from gavel.domain.io_path import Layer

AT = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
NOTHING = Quiet()


def incident(number: int, status: Status = Status.FIRING, array: str | None = "fa-1", **changes: object) -> Incident:
    labels = {"object": f"ds-{number}", **({"array": array} if array else {})}
    made = Incident(
        incident_id=f"inc-{number}", rule_key="kernel_queueing", subject=Subject.DATASTORE, object_id=number, layer=Layer.KERNEL,
        severity=AlertSeverity.WARNING, status=status, excess_outstanding=float(number), labels=labels,
    )  # fmt: skip
    return replace(made, **changes)  # type: ignore[arg-type]


def over(one: Incident) -> Incident:
    return replace(one, status=Status.RESOLVED)


def told(*groups: MessageGroup) -> list[tuple[Status, list[str]]]:
    return [(group.status, [one.incident_id for one in group.incidents]) for group in groups]


def test_a_dedupe_key_is_of_rule_object_and_layer() -> None:
    one = incident(1)
    assert (
        one.dedupe_key == replace(one, incident_id="inc-9", excess_outstanding=5.0, status=Status.RESOLVED).dedupe_key
    )
    others = [
        replace(one, rule_key="x"),
        replace(one, object_id=2),
        replace(one, layer=None),
        replace(one, subject=Subject.VM),
    ]
    assert len({one.dedupe_key, *(other.dedupe_key for other in others)}) == 5
    assert len(one.dedupe_key) == 64


def test_what_one_array_has_is_one_message_and_the_worst_comes_first() -> None:
    some = [
        incident(1),
        incident(2),
        incident(3, array="fa-2"),
        incident(4, array=None),
        incident(5, severity=AlertSeverity.CRITICAL),
    ]
    groups = plan(some, {}, NOTHING, AT)
    assert told(*groups) == [
        (Status.FIRING, ["inc-5", "inc-2", "inc-1"]), (Status.FIRING, ["inc-4"]), (Status.FIRING, ["inc-3"]),
    ]  # fmt: skip
    assert len(plan(some, {}, NOTHING, AT, apart=True)) == 5


def test_more_than_twenty_objects_are_one_summary_wherever_they_are() -> None:
    some = [incident(number, array=f"fa-{number % 3}") for number in range(21)]
    (group,) = plan(some, {}, NOTHING, AT, apart=True)
    assert group.is_summary
    assert group.incidents[0].incident_id == "inc-20"
    assert len(plan(some[:20], {}, NOTHING, AT)) == 3


def test_a_message_is_over_when_everything_in_it_is() -> None:
    some = [incident(1), incident(2)]
    (fired,) = groups = plan(some, {}, NOTHING, AT)
    said = after(groups, {}, AT)
    assert plan([over(some[0]), some[1]], said, NOTHING, AT) == ()
    (ended,) = plan([over(one) for one in some], said, NOTHING, AT)
    assert (ended.status, ended.key) == (Status.RESOLVED, fired.key)


def test_what_is_over_is_said_before_the_same_fires_anew() -> None:
    """Both have one key: the end would else end what has just begun."""
    first = incident(1)
    said = after(plan([first], {}, NOTHING, AT), {}, AT)
    again = replace(first, incident_id="inc-1-again")
    assert told(*plan([over(first), again], said, NOTHING, AT)) == [
        (Status.RESOLVED, ["inc-1"]),
        (Status.FIRING, ["inc-1-again"]),
    ]


def test_a_message_has_no_data_when_nothing_in_it_fires_any_more() -> None:
    """Where a channel changes its message, the one without data would hide the others."""
    both = [incident(1), incident(2)]
    groups = plan(both, {}, NOTHING, AT)
    said = after(groups, {}, AT)
    lost = [replace(both[0], status=Status.NO_DATA), both[1]]
    assert plan(lost, said, NOTHING, AT) == ()
    ended = [lost[0], over(both[1])]
    found = plan(ended, said, NOTHING, AT)
    assert told(*found) == [(Status.NO_DATA, ["inc-1"])]
    assert [group.key for group in found] == [groups[0].key]


def test_what_was_never_said_is_not_said_to_be_over_or_without_data() -> None:
    assert plan([incident(1, Status.RESOLVED), incident(2, Status.NO_DATA)], {}, NOTHING, AT) == ()


def test_an_array_down_mutes_its_volumes_and_not_itself() -> None:
    down = incident(9, subject=Subject.SOURCE, array_down="fa-1")
    some = [incident(1), incident(2, array="fa-2"), down]
    quiet = Quiet(arrays_down=arrays_down(some))
    assert told(*plan(some, {}, quiet, AT)) == [(Status.FIRING, ["inc-9"]), (Status.FIRING, ["inc-2"])]
    assert quiet.reason(some[0].labels, AT) == "array fa-1 is down"
    assert arrays_down([over(down)]) == frozenset()


def silence(**changes: object) -> Silence:
    given_ = {
        "silence_id": "s1", "matchers": (Matcher("object", "ds-*"), Matcher("array", "fa-2", negated=True)), "from_at": AT,
        "until_at": AT + timedelta(hours=1), "reason": "disk replaced", "by": "Ada",
    }  # fmt: skip
    return Silence(**(given_ | changes))  # type: ignore[arg-type]


def test_a_silence_holds_back_until_it_ends_and_then_what_still_fires_is_said() -> None:
    quiet = Quiet((silence(),))
    some = [incident(1), incident(2, array="fa-2")]
    assert told(*plan(some, {}, quiet, AT)) == [(Status.FIRING, ["inc-2"])]
    assert "Ada" in (quiet.reason(some[0].labels, AT) or "")
    assert told(*plan(some[:1], {}, quiet, AT + timedelta(hours=1))) == [(Status.FIRING, ["inc-1"])]


def test_the_end_is_said_even_in_a_silence() -> None:
    said = {"inc-1": LastSent(Status.FIRING, "key", AT)}
    assert told(*plan([over(incident(1))], said, Quiet((silence(),)), AT)) == [(Status.RESOLVED, ["inc-1"])]


def test_who_acknowledges_hears_of_the_end_only() -> None:
    mine = incident(1, is_acknowledged=True)
    said = {"inc-1": LastSent(Status.FIRING, "key", AT)}
    assert plan([mine], said, NOTHING, AT + 2 * REPEAT_AFTER) == ()
    assert plan([replace(mine, status=Status.NO_DATA)], said, NOTHING, AT) == ()
    assert told(*plan([over(mine)], said, NOTHING, AT)) == [(Status.RESOLVED, ["inc-1"])]


def test_what_goes_on_is_repeated_in_its_own_message() -> None:
    said = {"inc-1": LastSent(Status.FIRING, "key", AT)}
    assert plan([incident(1)], said, NOTHING, AT + REPEAT_AFTER - timedelta(seconds=1)) == ()
    (again,) = plan([incident(1)], said, NOTHING, AT + REPEAT_AFTER)
    assert again.key == "key"


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        ({"matchers": ()}, "at least one matcher"),
        ({"until_at": AT}, "after its start"),
        ({"reason": " "}, "a reason"),
        ({"by": ""}, "a name"),
    ],
)
def test_a_silence_that_says_too_little_is_refused(changes: dict[str, object], answer: str) -> None:
    with pytest.raises(SettingsError, match=answer):
        silence(**changes)


def maintenance(**changes: object) -> Maintenance:
    given_ = {
        "window_id": "m1", "name": "Patch night", "first_day": date(2026, 10, 20), "starts": time(22), "lasts": timedelta(hours=6),
        "zone": "Europe/Berlin",
    }  # fmt: skip
    return Maintenance(**(given_ | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("window", "on", "off"),
    [
        (maintenance(), ["2026-10-20T20:00", "2026-10-21T01:59"], ["2026-10-20T19:59", "2026-10-21T02:00", "2026-10-21T20:00"]),
        (maintenance(repeat=Repeat.DAILY), ["2026-10-21T20:00", "2027-01-01T21:00", "2027-01-02T02:59"],
         ["2027-01-01T20:59", "2027-01-02T03:00", "2026-10-19T21:00"]),
        # Saturday 24 October 22:00, summer time, for six hours: the clocks go back in between, and it is still six hours.
        (maintenance(repeat=Repeat.WEEKLY, weekdays=frozenset({5})), ["2026-10-24T20:00", "2026-10-25T01:59", "2026-10-31T21:00"],
         ["2026-10-24T19:59", "2026-10-25T02:00", "2026-10-31T20:59", "2026-10-25T21:00"]),
        (maintenance(repeat=Repeat.DAILY, last_day=date(2026, 10, 21)), ["2026-10-21T20:00", "2026-10-22T01:00"], ["2026-10-22T20:00"]),
        (maintenance(lasts=timedelta(days=3)), ["2026-10-23T19:59"], ["2026-10-23T20:00"]),
        # 02:30 does not exist on 29 March and exists twice on 25 October: it is once an hour after 01:30, and the first of two.
        (maintenance(first_day=date(2026, 3, 29), starts=time(2, 30), lasts=timedelta(hours=1)),
         ["2026-03-29T01:30", "2026-03-29T02:29"], ["2026-03-29T01:29", "2026-03-29T02:30"]),
        (maintenance(first_day=date(2026, 10, 25), starts=time(2, 30), lasts=timedelta(hours=1)),
         ["2026-10-25T00:30", "2026-10-25T01:29"], ["2026-10-25T00:29", "2026-10-25T01:30"]),
        # A day of 23 hours and one of 25: a daily window of a whole day overlaps or leaves an hour.
        (maintenance(first_day=date(2026, 3, 28), starts=time(0), lasts=timedelta(days=1), repeat=Repeat.DAILY,
                     last_day=date(2026, 3, 29)), ["2026-03-27T23:00", "2026-03-29T22:59"], ["2026-03-27T22:59", "2026-03-29T23:00"]),
        (maintenance(first_day=date(2026, 10, 25), starts=time(0), lasts=timedelta(days=1), repeat=Repeat.DAILY),
         ["2026-10-24T22:00", "2026-10-25T21:59", "2026-10-25T23:00"], ["2026-10-24T21:59", "2026-10-25T22:30"]),
        # Midnight of UTC inside, a month that ends, a year that ends, and a leap day.
        (maintenance(first_day=date(2026, 4, 30), starts=time(23), lasts=timedelta(hours=4)),
         ["2026-04-30T21:00", "2026-05-01T00:59"], ["2026-04-30T20:59", "2026-05-01T01:00"]),
        (maintenance(first_day=date(2026, 12, 31), starts=time(23), lasts=timedelta(hours=4)),
         ["2026-12-31T22:00", "2027-01-01T01:59"], ["2026-12-31T21:59", "2027-01-01T02:00"]),
        (maintenance(first_day=date(2028, 2, 29), starts=time(0), lasts=timedelta(days=1)),
         ["2028-02-28T23:00", "2028-02-29T22:59"], ["2028-02-28T22:59", "2028-02-29T23:00"]),
        (maintenance(first_day=date(2028, 2, 22), repeat=Repeat.WEEKLY, weekdays=frozenset({1}), zone="America/New_York"),
         ["2028-02-23T03:00", "2028-03-01T03:00", "2028-03-15T02:00"], ["2028-03-01T02:59", "2028-03-01T09:00", "2028-03-15T08:00"]),
    ],
)  # fmt: skip
def test_maintenance_goes_by_the_clock_on_the_wall(window: Maintenance, on: list[str], off: list[str]) -> None:
    assert [window.is_on(datetime.fromisoformat(f"{text}:00+00:00")) for text in on] == [True] * len(on)
    assert [window.is_on(datetime.fromisoformat(f"{text}:00+00:00")) for text in off] == [False] * len(off)


def test_maintenance_is_for_what_it_names() -> None:
    at = datetime(2026, 10, 20, 21, tzinfo=UTC)
    quiet = Quiet(maintenance=(maintenance(matchers=(Matcher("array", "fa-1"),)),))
    assert quiet.reason({"array": "fa-1"}, at) == "maintenance: Patch night"
    assert quiet.reason({"array": "fa-2"}, at) is None


@pytest.mark.parametrize(
    "changes", [{"zone": "Berlin"}, {"zone": "../etc/passwd"}, {"lasts": timedelta(days=8)}, {"lasts": timedelta()},
                {"repeat": Repeat.WEEKLY}, {"weekdays": frozenset({1})}, {"repeat": Repeat.WEEKLY, "weekdays": frozenset({7})}],
)  # fmt: skip
def test_maintenance_that_makes_no_sense_is_refused(changes: dict[str, object]) -> None:
    with pytest.raises(SettingsError):
        maintenance(**changes)


@settings(max_examples=60)
@given(st.lists(st.lists(st.tuples(st.integers(0, 24), st.sampled_from(list(Status)), st.booleans(), st.booleans()), max_size=30),
                max_size=8), st.booleans())  # fmt: skip
def test_every_incident_fires_before_it_is_over_and_is_said_once(
    rounds: list[list[tuple[int, Status, bool, bool]]], apart: bool
) -> None:
    state: dict[int, Incident] = {}
    said: dict[str, LastSent] = {}
    quiet = Quiet((silence(matchers=(Matcher("array", "fa-9"),), until_at=AT + timedelta(days=9)),))
    for number, changes in enumerate(rounds):
        at = AT + timedelta(minutes=number)
        for name, status, silenced, acknowledged in changes:
            if name not in state or state[name].status is not Status.RESOLVED:
                state[name] = incident(
                    name, status, "fa-9" if silenced else f"fa-{name % 4}", is_acknowledged=acknowledged
                )
        groups = plan(list(state.values()), said, quiet, at, apart=apart)
        spoken = [one.incident_id for group in groups for one in group.incidents]
        assert len(spoken) == len(set(spoken))
        for group in groups:
            for one in group.incidents:
                last = said.get(one.incident_id)
                assert one.status is group.status
                assert group.status is Status.FIRING or last is not None
                assert last is None or (last.status is not group.status and last.group_key == group.key)
                assert one.status is Status.RESOLVED or one.labels["array"] != "fa-9"
        said = after(groups, said, at)
        assert plan(list(state.values()), said, quiet, at, apart=apart) == ()
    ended = [replace(one, status=Status.RESOLVED) for one in state.values()]
    said = after(plan(ended, said, quiet, AT, apart=apart), said, AT)
    assert {last.status for last in said.values()} <= {Status.RESOLVED}
