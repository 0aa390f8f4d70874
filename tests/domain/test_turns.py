"""Who is asked for a stream's samples, when, and how that is learned."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.domain.source import Watermark
from gavel.domain.turns import SETTLE_S, Newest, Turn, is_waited_for, next_at, settled, turn

STEP = timedelta(seconds=20)
START = datetime(2026, 11, 26, 12, 0, tzinfo=UTC)
START_US = round(START.timestamp() * 1e6)
NAMES = ("host-1", "host-2", "host-3")


def newest(*behind_s: float | None, offsets_s: tuple[float, ...] = (0, 0, 0)) -> Newest:
    """Three hosts whose newest whole sample ended so long before START, by their own clocks; None of nobody knows."""
    whole = [0 if one is None else START_US - round(one * 1e6) for one in behind_s]
    return Newest(
        np.array(whole, dtype=np.int64), np.array(offsets_s[: len(whole)], dtype=np.float64), NAMES[: len(whole)]
    )


def at(seconds: float) -> datetime:
    return START + timedelta(seconds=seconds)


def asked(taken: Turn | None, names: tuple[str, ...] = (*NAMES, "host-9")) -> set[str]:
    if taken is None:
        return set()
    return {name for name in names if taken.asks is None or taken.asks(name)}


def test_nobody_is_asked_before_a_sample_has_ended_and_settled() -> None:
    assert turn(newest(0, 0, 0), STEP, 4, at(23.9), START) is None
    assert asked(turn(newest(0, 0, 0), STEP, 4, at(24), START)) == {*NAMES, "host-9"}


def test_each_host_is_asked_by_its_own_clock() -> None:
    """The first one's clock is 5 s ahead and ends its sample 5 s before ours says so; the last one's is 3 s behind."""
    hosts = newest(0, 0, 0, offsets_s=(5, 0, -3))
    early = turn(hosts, STEP, 4, at(19), START)
    assert early is not None
    # Who is not known is asked with the first sample that is new to all.
    assert asked(early) == {"host-1", "host-9"}
    later = newest(-20, 0, 0, offsets_s=(5, 0, -3))
    assert asked(turn(later, STEP, 4, at(24), at(20))) == {"host-2"}
    assert asked(turn(newest(-20, -20, 0, offsets_s=(5, 0, -3)), STEP, 4, at(27), at(20))) == {"host-3"}


def test_what_is_asked_for_begins_where_the_furthest_behind_of_those_who_are_due_stands() -> None:
    found = turn(newest(0, 3, 2), STEP, 4, at(25), START)
    assert found is not None
    assert found.since == at(-3)


def test_who_has_nothing_when_it_is_due_is_asked_again_for_a_while_and_then_with_the_others_only() -> None:
    silent = newest(0, -20, -20)  # the others have the sample
    assert asked(turn(silent, STEP, 4, at(27), at(20))) == {"host-1"}
    assert turn(silent, STEP, 4, at(34), at(20)) is None
    assert asked(turn(silent, STEP, 4, at(44), at(20))) == {*NAMES, "host-9"}


def test_a_source_without_parts_is_asked_when_more_than_a_few_are_due() -> None:
    def volumes(late: int) -> Newest:
        ended = np.full(100, START_US + 20_000_000)
        ended[:late] = START_US
        return Newest(ended, np.zeros(100))

    assert turn(volumes(9), STEP, 0, at(21), at(20)) is None
    found = turn(volumes(10), STEP, 0, at(21), at(20))
    assert found is not None
    assert found.asks is None


def test_after_an_outage_nobody_is_waited_for() -> None:
    assert is_waited_for(newest(0, 0, 0), STEP, 4, at(10))
    assert is_waited_for(newest(0, None, 0), STEP, 4, at(33))
    assert not is_waited_for(newest(0, None, 0), STEP, 4, at(300))
    assert not is_waited_for(newest(None, None, None), STEP, 4, at(0))


offsets = st.floats(-30, 30)


@given(st.lists(st.tuples(st.floats(0, 100), offsets), min_size=1, max_size=3), st.floats(0, 15), st.floats(0, 200))
def test_the_next_poll_is_ahead_within_one_step_and_asks_somebody(
    hosts: list[tuple[float, float]], settle_s: float, now_s: float
) -> None:
    known = newest(*(behind for behind, _ in hosts), offsets_s=tuple(offset for _, offset in hosts))
    planned = next_at(known, STEP, settle_s, at(now_s))
    assert at(now_s) < planned <= at(now_s) + STEP
    if planned < at(now_s) + STEP and planned > at(now_s) + timedelta(seconds=3):
        assert turn(known, STEP, settle_s, planned + timedelta(milliseconds=1), START) is not None


@dataclass
class Polled:
    """late_s: of each sample of the last half, how long after it was whole it was stored. wasted: how many of the questions about a host
    brought nothing. missing: samples that were never stored although later ones of the host were."""

    late_s: list[float] = field(default_factory=list)
    wasted: int = 0
    missing: int = 0


def polled(whole_after_s: float, minutes: int, stalls: Callable[[float], float] = lambda _: 0.0) -> Polled:
    """Three hosts, of clocks 5, 0 and −3 s ahead, whose samples are whole so long after their end, followed for so many minutes by ticks of
    1 s. stalls: how long a poll at a second takes."""
    ahead = np.array([5.0, 0.0, -3.0])
    hosts, mark, until = newest(0, 0, 0, offsets_s=tuple(ahead)), Watermark(START), START
    found, now, planned, stored = Polled(), START, START, [set[float]() for _ in NAMES]
    while now < START + timedelta(minutes=minutes):
        settle_s = SETTLE_S if mark.settle_s is None else mark.settle_s
        taken = turn(hosts, STEP, settle_s, now, until) if now >= planned else None
        if taken is None and now >= planned and not is_waited_for(hosts, STEP, settle_s, now):
            taken = of_everybody(hosts)
        if taken is not None:
            now += timedelta(seconds=stalls((now - START).total_seconds()))
            whole_us = hosts.whole_us.copy()
            for number in np.flatnonzero([taken.asks is None or taken.asks(name) for name in NAMES]):
                ended_s = (now.timestamp() - whole_after_s + ahead[number]) // 20 * 20
                brought = set(np.arange(taken.since.timestamp() // 20 * 20 + 20, ended_s + 1, 20)) - stored[number]
                stored[number] |= brought
                whole_us[number] = max(whole_us[number], round(ended_s * 1e6))
                found.wasted += not brought
                if now > START + timedelta(minutes=minutes / 2):
                    found.late_s += [now.timestamp() - whole_after_s - (end - ahead[number]) for end in brought]
            after = replace(hosts, whole_us=whole_us)
            settle_s, earlier_at = settled(taken, hosts, after, mark, now)
            mark = replace(mark, settle_s=settle_s, earlier_at=earlier_at)
            hosts, until = after, max(until, datetime.fromtimestamp(whole_us.max() / 1e6, UTC))
        if now >= planned:
            planned = next_at(hosts, STEP, settle_s, now)
        now += timedelta(seconds=1)
    # What lies before the newest sample of a host is not asked for again.
    found.missing = sum(
        len(set(np.arange(START.timestamp() + 20, max(mine, default=0.0), 20)) - mine) for mine in stored
    )
    return found


def of_everybody(hosts: Newest) -> Turn:
    """As ingest reads where nobody is waited for."""
    nobody = np.zeros(len(hosts.whole_us), dtype=np.bool_)
    since = datetime.fromtimestamp(hosts.whole_us.min() / 1e6, UTC)
    return Turn(due=nobody, is_first_try=nobody, since=since, is_newest=True, asks=None)


@pytest.mark.parametrize("whole_after_s", [0.2, 2.5, 6.0, 8.0, 12.0])
def test_samples_are_read_soon_after_they_are_whole_and_asked_for_about_once(whole_after_s: float) -> None:
    minutes = 40
    found = polled(whole_after_s, minutes)
    assert found.missing == 0
    assert max(found.late_s) < 4
    assert found.wasted <= 0.1 * 3 * 3 * minutes


@given(st.lists(st.floats(0, 50), min_size=1, max_size=10), st.sampled_from([0.2, 6.0, 12.0]))
def test_no_sample_is_left_out_however_long_polls_take(stalls_s: list[float], whole_after_s: float) -> None:
    """One host's sample is due while another's was missed for so long that it is not asked for alone any more."""
    found = polled(whole_after_s, 20, lambda at_s: stalls_s[int(at_s) // 2 % len(stalls_s)])
    assert found.missing == 0


def test_what_was_learned_stays_within_limits_when_a_source_stops_filling_its_samples() -> None:
    known, hosts, now = Watermark(START), newest(0, 0, 0), START
    for _ in range(30):
        now += STEP
        taken = turn(newest(0, 0, 0), STEP, 0, at(20), START)
        assert taken is not None
        settle_s, earlier_at = settled(taken, hosts, hosts, known, now)
        known = replace(known, settle_s=settle_s, earlier_at=earlier_at)
    assert known.settle_s == 15
