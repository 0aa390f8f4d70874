"""How often a minute is written while its samples come: whole in time, and once more when everything that has a say in it is there."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import text
from tests.correlate.conftest import Preparation
from tests.correlate.correlated import START, Environment
from tests.db.environments import batch, naa, serials

from gavel.correlate import run
from gavel.correlate.run import GRACE, MINUTE
from gavel.db.engine import transaction
from gavel.db.write.samples import advance_watermark, write_samples
from gavel.domain.samples import SampleBatch
from gavel.domain.source import Stream

SECOND = timedelta(seconds=1)
TICK_S, GRAIN_S = 3, 20
HOSTS = ("esx-1", "esx-2")
DATASTORE = naa(serials(0x9714)[0])
MINUTES = 5
# Read so long after they ended: the samples of each host, the second one's with another pass, and of each array.
HOST_S, ARRAY_S = (4, 14), (5, 12)


@dataclass(frozen=True)
class Written:
    """A minute after START, so many s after its end."""

    minute: int
    after_s: int
    is_early: bool


class Site:
    """Two hosts of one vCenter and two arrays, polled as time goes by; the correlate step looks every three seconds."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.rng = np.random.default_rng(7)
        self.written: list[Written] = []

    def go(self, until_s: int, *, since_s: int = 0, silent: tuple[str, ...] = ()) -> None:
        """In s after START. silent: of these hosts and arrays ("array", "peer") nothing comes."""
        for at_s in range(since_s + 1, until_s + 1):
            self._poll(at_s, silent)
            if at_s % TICK_S == 0:
                self.look(at_s)

    def look(self, at_s: int) -> int:
        found = self.environment.correlate(START + at_s * SECOND)
        # Every writing of a minute leaves a note to the rules of alerts.
        with transaction(self.environment.engine) as connection:
            notes = connection.execute(text("DELETE FROM written_minute RETURNING id, minute, is_whole")).all()
        first = round(START.timestamp()) // 60
        for _, at, is_whole in sorted(notes):
            self.written.append(Written(at - first, at_s - 60 * (at - first + 1), not is_whole))
        return found

    def whole(self, minute: int) -> list[int]:
        """When it was written as a whole, in s after its end."""
        return [one.after_s for one in self.written if one.minute == minute and not one.is_early]

    def _poll(self, at_s: int, silent: tuple[str, ...]) -> None:
        for host, delay_s in zip(HOSTS, HOST_S, strict=True):
            if (at_s - delay_s) % GRAIN_S == 0 and at_s > delay_s and host not in silent:
                self._host(host, START + (at_s - delay_s) * SECOND)
        for name, delay_s in zip(("array", "peer"), ARRAY_S, strict=True):
            if (at_s - delay_s) % 30 == 0 and at_s > delay_s and name not in silent:
                self._array(name, START + (at_s - delay_s) * SECOND)

    def _host(self, host: str, end: datetime) -> None:
        ops, us = int(self.rng.integers(20, 40_000)), int(self.rng.integers(700, 20_000))
        common = {"read_ops": ops, "write_ops": 0, "read_bytes": ops * 4096, "write_bytes": 0}
        times = {"read_gavg_us": us, "read_davg_us": 600, "read_kavg_us": us - 600, "read_qavg_us": 0}
        vcenter = self.environment.vcenter
        device = batch(Stream.HOST_DEVICE, f"{host}/{DATASTORE}", [end], **common, **times, queue_depth=32, precision=1)
        self.store(vcenter, device, end)
        disk = {"read_latency_us": us, "read_outstanding": ops % 50}
        vm = "vm-1" if host == HOSTS[0] else "vm-2"
        self.store(vcenter, batch(Stream.VM_DISK, f"{vm}/scsi0:0", [end], **common, **disk, precision=1), end)

    def _array(self, name: str, end: datetime) -> None:
        source, key = {"array": (self.environment.array, "id-v0"), "peer": (self.environment.peer, "peer-5")}[name]
        numbers = {"read_ops": int(self.rng.integers(20, 40_000)), "write_ops": 0, "mirrored_write_ops": 0}
        times = {"read_service_us": 300, "read_queue_us": 60, "read_qos_us": 40, "read_san_us": 50}
        self.store(source, batch(Stream.ARRAY_VOLUME, key, [end], 30, **numbers, **times), end)
        if name == "array":
            self.store(source, batch(Stream.ARRAY_DIRECTORY, "dir-1", [end], 30, read_ops=0, write_ops=0), end)

    def store(self, source: int, samples: SampleBatch, end: datetime) -> None:
        with transaction(self.environment.engine) as connection:
            found = write_samples(connection, source, samples)
            advance_watermark(connection, source, samples.stream, end, complete_until=found.complete_until)


@pytest.fixture
def site(environment: Environment, begun: Preparation) -> Site:
    return Site(environment)


def test_minute_is_written_whole_in_time_and_once_more_when_all_that_has_a_say_in_it_is_there(site: Site) -> None:
    """What stands after the second writing is what a third one writes."""
    site.go(60 * MINUTES + 45)
    for minute in range(1, MINUTES - 1):
        first, second = site.whole(minute)
        # The last poll that brings something of it is 14 s after its end.
        assert first <= 14 + TICK_S
        # What has a say in it ends within 63 s after it; the next sample of an array is read 12 s after 90 s.
        assert second <= 102 + TICK_S
    assert site.environment.count("SELECT count(*) FROM recalculated_minute") == 0
    inner = [START + n * MINUTE for n in range(1, MINUTES - 1)]
    before = ledger(site.environment, inner)
    assert before
    for begins in inner:
        with site.environment.engine.begin() as connection:
            connection.execute(text("INSERT INTO dirty_minute (minute) VALUES (:at)"), {"at": begins})
        assert site.look(60 * MINUTES + 45) == 1
    assert ledger(site.environment, inner) == before


def ledger(environment: Environment, minutes: list[datetime]) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    with environment.engine.connect() as connection:
        for table in ("ledger_leaf_1m", "ledger_1m"):
            query = text(f"SELECT * FROM {table} WHERE ts = ANY(:minutes) ORDER BY entity_id, ts")
            found += [tuple(row) for row in connection.execute(query, {"minutes": minutes})]
    return found


def test_host_that_falls_silent_costs_a_minute_one_sample_of_delay_and_no_more(site: Site) -> None:
    site.go(150)
    first_s = site.whole(1)[0]
    site.go(60 * MINUTES + 60, since_s=150, silent=HOSTS[1:])
    for minute in range(2, MINUTES - 1):
        times = site.whole(minute)
        assert len(times) == 2
        assert times[0] <= first_s + GRAIN_S
        assert times[1] <= GRACE.total_seconds() + TICK_S


def test_source_that_is_silent_has_rows_without_it_early_and_whole_minutes_after_the_grace(site: Site) -> None:
    site.go(60 * 4, silent=("peer",))
    for minute in range(1, 2):
        early = [one.after_s for one in site.written if one.minute == minute and one.is_early]
        assert early
        assert early[-1] <= 14 + TICK_S
        assert site.whole(minute)[0] in range(120, 120 + TICK_S)
        assert len(site.whole(minute)) == 1
    assert site.environment.count("SELECT count(*) FROM recalculated_minute") == 0


def test_what_comes_to_a_minute_older_than_the_grace_is_written_at_once(site: Site) -> None:
    site.look(120)
    site.environment.both(START, 5)
    site.look(60 * 7)
    site.written.clear()
    late = START + 90 * SECOND
    device = f"{HOSTS[0]}/{naa(serials(0x9714)[1])}"
    site.store(site.environment.vcenter, batch(Stream.HOST_DEVICE, device, [late], read_ops=1, write_ops=0), late)
    assert site.look(60 * 7) > 0
    assert {one.minute for one in site.written} == {0, 1}
    noted = f"SELECT count(*) FROM recalculated_minute WHERE minute >= '{START}'"
    assert site.environment.count(noted) == 2


def test_look_that_found_nothing_is_not_repeated_until_something_has_come(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.go(60 * 3)
    with counted(monkeypatch, "_load_snapshot") as looks:
        held = site.environment.count("SELECT count(*) FROM dirty_minute")
        assert held > 0
        site.look(181)
        before = len(looks)
        site.look(182)
        site.look(183)
        assert len(looks) == before
        site._host(HOSTS[0], START + 180 * SECOND)
        site.look(184)
        assert len(looks) > before
        # However little comes: what was waited for long enough is due.
        assert site.look(180 + 120 + TICK_S) > 0
    assert site.environment.count("SELECT count(*) FROM dirty_minute") == 0


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch, name: str) -> Iterator[list[object]]:
    calls: list[object] = []
    original = getattr(run, name)

    def counting(*given: object) -> object:
        calls.append(given)
        return original(*given)

    with monkeypatch.context() as patched:
        patched.setattr(run, name, counting)
        yield calls


@pytest.mark.usefixtures("begun")
def test_minutes_without_any_sample_are_not_attributed(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment.correlate(START + 20 * MINUTE)
    with counted(monkeypatch, "attributed") as calls:
        assert environment.correlate(START + 25 * MINUTE) > 0
    assert calls == []


@pytest.mark.usefixtures("begun")
def test_present_and_past_environment_are_built_once_while_they_take_turns(environment: Environment) -> None:
    with transaction(environment.engine) as connection:
        connection.execute(text("UPDATE vm_placement SET valid_from = :at"), {"at": START - 10 * MINUTE})
    spans = [run.Span(at - MINUTE, at) for at in (START - 60 * MINUTE, START)]
    with environment.engine.connect() as connection:
        first = [run._environment(connection, span) for span in spans]
        assert first[0] is not first[1]
        for _ in range(3):
            for span, known in zip(spans, first, strict=True):
                assert run._environment(connection, span) is known
