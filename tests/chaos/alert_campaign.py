"""A seeded campaign against alerts: kill -9 of worker, scheduler and database between any two steps, then the accounts."""

import json
import random
import signal
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from tests.alerting.plain_machine import Plain
from tests.alerting.receivers import HttpReceiver, http_receiver
from tests.alerting.signing import is_signed
from tests.alerting.use.alert_scene import SECRET
from tests.chaos.alert_environment import RULES, founded, kind_of_rule
from tests.chaos.alert_plan import clock_beside
from tests.chaos.alert_processes import Processes
from tests.product.running import signalled, tell

from gavel.alerting.machine.readings import Code
from gavel.alerting.machine.states import AlertState
from gavel.alerting.rules.plain import rule_of
from gavel.db.locks import lock_key

# Told and judged may be so far behind before the clock waits: less than any state lasts.
MOST_BEHIND_MIN = 3
STUCK_S = 240
_STEP_S = 0.5
_TELL_EVERY = 100
# Whom a kill is for, and how often of all.
VICTIMS = {
    "worker judging": 28, "worker telling": 16, "worker delivering": 18, "worker writing minutes": 8, "worker, all of it": 8,
    "scheduler": 10, "database": 8, "database, one session": 4,
}  # fmt: skip
_LEASES = {
    "worker judging": "alerts", "worker telling": "notify", "worker delivering": "deliver/1", "worker writing minutes": "correlate",
}  # fmt: skip
_HOLDER = """
    SELECT split_part(h.application_name, ' ', 3)::int, h.pid FROM pg_locks l JOIN pg_stat_activity h ON h.pid = l.pid
    WHERE l.locktype = 'advisory' AND l.granted AND (l.classid::bigint << 32 | l.objid::bigint) = %s
        AND h.application_name LIKE 'gavel worker %%'
"""
_UNTOLD = """
    SELECT min(since) FROM (
        SELECT a.since_at AS since FROM alert a LEFT JOIN alert_said s ON s.alert_id = a.id
        WHERE a.fired_at IS NOT NULL AND (s.status IS NULL OR (a.ended_at IS NOT NULL) <> (s.status = 'resolved'))
        UNION ALL SELECT created_at FROM notification WHERE state = 'pending'
        UNION ALL SELECT to_timestamp(minute * 60) FROM written_minute
    ) behind
"""


@dataclass
class Report:
    """What was done and what became of it."""

    kills: Counter[str] = field(default_factory=Counter)
    minutes: int = 0
    seconds: float = 0.0
    transitions: int = 0
    alerts: int = 0
    events: int = 0
    requests: int = 0
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        done = ", ".join(f"{n} × {name}" for name, n in self.kills.most_common())
        lines = [
            f"kills        {self.kills.total()}: {done}",
            f"minutes      {self.minutes} of the ledger in {self.seconds:.0f} s",
            f"transitions  {self.transitions} of {self.alerts} alerts: none lost, doubled or out of order",
            f"events       {self.events} ids, each received, in order; {self.requests - self.events} came again under their id",
        ]
        return "\n  ".join(lines if not self.problems else [*lines[:2], *self.problems[:20]])


class Campaign:
    """`choose` is the one source of chance."""

    def __init__(self, processes: Processes, receiver: HttpReceiver, seed: int) -> None:
        self.processes, self.receiver = processes, receiver
        self.clock = clock_beside(processes.plan)
        self.report = Report()
        self._choose = random.Random(seed)
        self._plan = founded(processes, receiver, seed)
        self._ending = threading.Event()
        self._told = 0
        self._moved_at = time.monotonic()

    def run(self, transitions: int, kill_every_s: tuple[float, float], within_s: float = float("inf")) -> Report:
        """Kills until that many transitions were written, or the time is over; then everything that was found is told."""
        began = time.monotonic()
        self.processes.start_worker()
        self.processes.start_scheduler()
        walking = threading.Thread(target=self._walk)
        walking.start()
        try:
            while (written := self._count("SELECT count(*) FROM alert_transition")) < transitions:
                if time.monotonic() - began > within_s:
                    break
                self._tell_now_and_then(written)
                time.sleep(self._choose.uniform(*kill_every_s))
                self._kill()
        finally:
            self._ending.set()
            walking.join()
        self._rest()
        self.report.seconds = time.monotonic() - began
        self._settle_accounts()
        return self.report

    def _tell_now_and_then(self, written: int) -> None:
        if written - self._told >= _TELL_EVERY:
            self._told = written
            tell(f"{written} transitions, {self.report.kills.total()} kills")

    # --- the clock ----------------------------------------------------------------------------------------------------

    def _walk(self) -> None:
        """A minute forward whenever everything of some minutes ago has been judged and told."""
        while not self._ending.wait(_STEP_S):
            if self._behind_min() <= MOST_BEHIND_MIN:  # of what is written, and of what is to be written
                self.clock.forward(60)
                self._moved_at = time.monotonic()

    def _behind_min(self) -> float:
        try:
            untold = self._ask(_UNTOLD)[0][0]
            written = self._ask("SELECT until_at FROM correlated")
        except psycopg.Error:  # killed, and not back yet
            return float("inf")
        oldest = [written[0][0].timestamp() if written else self._plan.first * 60]
        behind_s: float = self.clock.at() - min(oldest if untold is None else [*oldest, untold.timestamp()])
        return behind_s / 60

    def _rest(self) -> None:
        """Nothing is owed any more and nobody works: so the accounts hold still."""
        until = time.monotonic() + STUCK_S
        while not self._nothing_owed() or not self._stopped():
            if time.monotonic() > until:
                raise AssertionError(f"not told within {STUCK_S} s: {self._ask(_UNTOLD)}\n{self.processes.said()}")
            time.sleep(0.2)

    def _stopped(self) -> bool:
        """Whether nothing came between the last look and the end; else they work on."""
        self.processes.kill("scheduler")
        self.processes.kill("worker")
        if self._nothing_owed():
            return True
        self.processes.start_worker()
        self.processes.start_scheduler()
        return False

    def _nothing_owed(self) -> bool:
        return self._ask(_UNTOLD)[0][0] is None

    def _must_move(self) -> None:
        if time.monotonic() - self._moved_at > STUCK_S:
            raise AssertionError(f"nothing has moved for {STUCK_S} s\n{self.processes.said()}")

    # --- killing ------------------------------------------------------------------------------------------------------

    def _kill(self) -> None:
        self._must_move()
        (victim,) = self._choose.choices(list(VICTIMS), list(VICTIMS.values()))
        lease = _LEASES.get(victim)
        if lease is not None:
            self.report.kills[victim] += self._kill_inside(lease)
        elif victim == "database, one session":
            self.report.kills[victim] += self._kill_session()
        else:
            self._kill_whole(victim.partition(",")[0])
            self.report.kills[victim] += 1

    def _kill_whole(self, name: str) -> None:
        """It stays down for a moment."""
        self.processes.kill(name)
        time.sleep(self._choose.uniform(0, 1))
        {
            "worker": self.processes.start_worker,
            "scheduler": self.processes.start_scheduler,
            "database": self.processes.start_database,
        }[name]()

    def _kill_inside(self, lease: str) -> bool:
        """The process that holds the lease, stopped at a random moment in its work and killed there."""
        until = time.monotonic() + 20
        while time.monotonic() < until:
            found = self._holder(lease)
            if found is None:
                time.sleep(0.003)
                continue
            time.sleep(self._choose.uniform(0, 0.08))
            if not signalled(found[0], signal.SIGSTOP):
                continue
            inside = self._holder(lease) == found
            signalled(found[0], signal.SIGKILL if inside else signal.SIGCONT)
            if inside:
                return True
        return False

    def _kill_session(self) -> bool:
        """A server process of the judging worker: PostgreSQL then ends all others too and recovers."""
        until = time.monotonic() + 20
        while time.monotonic() < until:
            if (found := self._holder("alerts")) is not None:
                return signalled(found[1], signal.SIGKILL)
            time.sleep(0.003)
        return False

    def _holder(self, lease: str) -> tuple[int, int] | None:
        """The worker's process and its session."""
        try:
            rows = self._ask(_HOLDER, lock_key(lease))
        except psycopg.Error:
            time.sleep(0.1)
            return None
        return (rows[0][0], rows[0][1]) if rows else None

    # --- accounts -----------------------------------------------------------------------------------------------------

    def _settle_accounts(self) -> None:
        report, problems = self.report, self.report.problems
        report.minutes = (
            self._count("SELECT extract(epoch FROM until_at)::bigint / 60 FROM correlated") - self._plan.first
        )
        report.alerts = self._count("SELECT count(*) FROM alert")
        problems += self._wrong_transitions()
        problems += self._wrong_messages()

    def _wrong_transitions(self) -> Iterator[str]:
        """Everything that was written against what a machine says that nothing ever happens to."""
        until = self._plan.first + self.report.minutes
        written: dict[int, list[tuple[int, str, str]]] = defaultdict(list)
        for store, minute, before, after in self._ask(
            "SELECT a.object_id, extract(epoch FROM t.minute_at)::bigint / 60, t.before, t.after FROM alert_transition t"
            " JOIN alert a ON a.id = t.alert_id ORDER BY t.alert_id, t.sequence"
        ):
            written[store].append((minute, _spoken(before), after))
        for place, store in enumerate(self._plan.stores):
            plain, expected = Plain(rule_of(kind_of_rule(place % len(RULES)))), []
            for minute in range(self._plan.first, until):
                slow = self._plan.is_slow(place, minute)
                if change := plain.minute(minute, Code.BREACH if slow else Code.CLEAR):
                    expected.append((minute, _spoken(change[0].name.lower()), change[1].name.lower()))
            expected = [one for one in expected if one[1:] != ("inactive", "inactive")]
            self.report.transitions += len(expected)
            if written[store] != expected:
                lost = [one for one in expected if one not in written[store]]
                more = [one for one in written[store] if one not in expected]
                yield f"store {place}: lost {lost[:3]}, not expected {more[:3]}, {len(written[store])} of {len(expected)} written"

    def _wrong_messages(self) -> Iterator[str]:
        arrived: dict[str, list[int]] = defaultdict(list)
        said: dict[str, Any] = {}
        for number, one in enumerate(self.receiver.received):
            body = json.loads(one.body)
            event_id, data = one.headers["webhook-id"], body["data"]
            arrived[event_id].append(number)
            if not is_signed(one.headers, one.body, SECRET):
                yield f"{event_id}: its signature is wrong"
            if data["event_id"] != event_id or said.setdefault(event_id, data) != data:
                yield f"{event_id}: another message came under the same id"
        rows = self._ask("SELECT event_id, status, state, alert_ids FROM notification ORDER BY id")
        self.report.events, self.report.requests = len(arrived), len(self.receiver.received)
        wanted = {event_id for event_id, _, _, _ in rows}
        yield from (f"{event_id} was received and never written" for event_id in arrived.keys() - wanted)
        yield from (f"{event_id} was never received" for event_id in wanted - arrived.keys())
        yield from (f"{event_id} is {state}" for event_id, _, state, _ in rows if state != "delivered")
        told: dict[int, list[tuple[int, str]]] = defaultdict(list)
        joint: set[int] = set()
        for event_id, status, _, alert_ids in rows:
            joint.update(alert_ids if len(alert_ids) > 1 else ())
            for alert_id in alert_ids:
                told[alert_id].append((min(arrived[event_id], default=-1), status))
        yield from self._wrong_orders(told, joint)

    def _wrong_orders(self, told: dict[int, list[tuple[int, str]]], joint: set[int]) -> Iterator[str]:
        """Of each alert once that it fires, then once that it is over; and of each store one alert after the other.

        What was told together with others is over in its message when the last of them is, which may be after it fired anew.
        """
        stores: dict[int, list[tuple[int, str]]] = defaultdict(list)
        for alert_id, store, is_over in self._ask(
            "SELECT id, object_id, ended_at IS NOT NULL FROM alert WHERE fired_at IS NOT NULL ORDER BY id"
        ):
            order = sorted(told[alert_id])
            if [status for _, status in order] != (["firing", "resolved"] if is_over else ["firing"]):
                yield f"alert {alert_id}: told {order}"
            stores[store] += order if alert_id not in joint else []
        for store, order in stores.items():
            if order != sorted(order):
                yield f"store {store}: told out of order, {order}"

    # --- asking -------------------------------------------------------------------------------------------------------

    def _ask(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        url = self.processes.database_url.replace("+psycopg", "")
        with psycopg.connect(url, connect_timeout=5, autocommit=True) as connection:
            return connection.execute(query.encode(), values or None).fetchall()

    def _count(self, query: str) -> int:
        until = time.monotonic() + 60
        while True:
            try:
                return int(self._ask(query)[0][0])
            except psycopg.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.2)


@contextmanager
def campaign(folder: Path, seed: int) -> Iterator[Campaign]:
    """Ready to run; leaves no process behind."""
    processes = Processes(folder)
    with http_receiver() as receiver:
        receiver.delay_s = 0.05
        try:
            processes.start_database()
            processes.start_broker()
            yield Campaign(processes, receiver, seed)
        finally:
            processes.end()


def _spoken(state: str) -> str:
    """Over long ago and inactive are the same past."""
    return AlertState.INACTIVE.name.lower() if state == AlertState.RESOLVED.name.lower() else state
