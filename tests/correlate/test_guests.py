"""Guests in the ledger: what they push becomes the outermost layer of their disks, late or early, and of no other disk."""

from datetime import timedelta

import pytest
from sqlalchemy import text
from tests.correlate.correlated import IOPS, START, Environment, begin

from gavel.admin.guests import make_guest_token
from gavel.correlate.run import GRACE, MINUTE
from gavel.db.engine import transaction
from gavel.db.write.guest_matches import tie_disk
from gavel.domain.scope import ScopeKind
from gavel.ingest.guests import Push, read_line_protocol, store_pushes

GUEST = "all_guest_time"
SECOND = timedelta(seconds=1)
# The virtual disk has 1,500 µs.
AT_GUEST_US = 2_100


class Guest:
    """The operating system of vm-1, whose clock runs `behind` ours; it pushes its one disk every 10 s from START − 3 min on."""

    def __init__(self, environment: Environment, *, behind: timedelta = timedelta(0), has_stamps: bool = True) -> None:
        self.environment, self.behind, self.has_stamps = environment, behind, has_stamps
        self.token = make_guest_token(environment.engine, "site", (), START).token
        self.pushed_s = -180

    def push_until(self, minutes: float) -> None:
        """Everything since the push before, each reading as it was taken: they come one by one, or all late."""
        while self.pushed_s <= minutes * 60:
            self._push()
            self.pushed_s += 10

    def _push(self) -> None:
        at, done = START + self.pushed_s * SECOND, (self.pushed_s + 180) * IOPS
        stamp = f" {round((at - self.behind).timestamp() * 1e9)}" if self.has_stamps else ""
        line = (
            f"gavel_disk,host=db01,name=sda reads={done}i,writes=0i,read_time_100ns={done * AT_GUEST_US * 10}i{stamp}"
        )
        received_us = round((at + 0.2 * SECOND).timestamp() * 1e6)
        push = Push(self.token, "192.0.2.9", received_us, read_line_protocol(line.encode(), "ns"))
        with transaction(self.environment.engine) as connection:
            store_pushes(connection, [push], at)

    def tie(self) -> None:
        with transaction(self.environment.engine) as connection:
            guest_disk, vm_disk = (
                connection.execute(text(sql)).scalar_one()
                for sql in (
                    "SELECT id FROM guest_disk",
                    "SELECT k.id FROM vm_disk k JOIN vm m ON m.id = k.vm_id WHERE m.key = 'vm-1' AND k.instance = 'scsi0:0'",
                )
            )
            tie_disk(connection, guest_disk, vm_disk)


def tied(environment: Environment, **more: object) -> Guest:
    """Known before anything is written."""
    guest = Guest(environment, **more)  # type: ignore[arg-type]
    guest.push_until(-2.9)
    guest.tie()
    begin(environment)
    return guest


def guest_us(environment: Environment, kind: ScopeKind) -> dict[int, float]:
    """By minute after START, of rows with a guest layer: per I/O of the row."""
    rows = environment.rows(kind, f"read_ops, {GUEST}")
    return {minute: time / ops for minute, ops, time in rows if time is not None and minute >= 0}


def test_guest_that_pushes_is_the_outermost_layer_of_its_disk_and_of_all_that_holds_it(
    environment: Environment,
) -> None:
    guest = tied(environment)
    guest.push_until(1.5)
    environment.both(START, 1)
    environment.correlate(START + timedelta(seconds=95))
    for kind in set(ScopeKind) - {ScopeKind.HOST_DEVICE}:
        assert guest_us(environment, kind) == {0: pytest.approx(600, abs=5)}, kind
    # Every other disk of the environment has none, rather than 0.
    disks = "SELECT count(DISTINCT entity_id) FROM ledger_leaf_1m WHERE all_guest_time IS NOT NULL"
    assert environment.count(disks) == 1


def test_guest_that_pushes_late_writes_its_minutes_again_once_no_more_is_to_be_expected(
    environment: Environment,
) -> None:
    guest = tied(environment)
    guest.push_until(-0.5)
    environment.both(START, 1)
    environment.correlate(START + timedelta(seconds=65))
    assert guest_us(environment, ScopeKind.VM_DISK) == {}
    guest.push_until(0.5)
    assert environment.correlate(START + timedelta(seconds=70)) == 0
    guest.push_until(1.5)
    assert environment.correlate(START + timedelta(seconds=100)) == 0
    assert environment.correlate(START + MINUTE + GRACE + timedelta(seconds=1)) > 0
    assert guest_us(environment, ScopeKind.VM_DISK)[0] == pytest.approx(600, abs=5)
    assert environment.count("SELECT count(*) FROM dirty_minute") == 0
    assert environment.count("SELECT count(*) FROM dirty_window WHERE kind LIKE 'correlate%'") == 0


def test_guest_whose_disk_is_tied_later_has_its_last_hours_written_again(environment: Environment) -> None:
    guest = Guest(environment)
    begin(environment)
    guest.push_until(1.5)
    environment.both(START, 1)
    environment.correlate(START + timedelta(seconds=95))
    assert guest_us(environment, ScopeKind.VM) == {}
    guest.tie()
    assert environment.correlate(START + MINUTE + GRACE + timedelta(seconds=31)) > 0
    assert guest_us(environment, ScopeKind.VM)[0] == pytest.approx(600, abs=5)


@pytest.mark.parametrize("behind_s", [-30, 40])
def test_guest_clock_is_taken_out_and_its_doubt_is_in_the_data_quality(environment: Environment, behind_s: int) -> None:
    """What it did from minute 0 on was slow: by its own stamps that was in another minute."""
    guest = tied(environment, behind=timedelta(seconds=behind_s))
    guest.push_until(1.5)
    environment.both(START, 1)
    environment.correlate(START + timedelta(seconds=95))
    assert guest_us(environment, ScopeKind.VM_DISK)[0] == pytest.approx(600, abs=5)
    ((error_s,),) = [row[1:] for row in environment.rows(ScopeKind.VM_DISK, "offset_error_s") if row[0] == 0 and row[1]]
    assert error_s == pytest.approx(min(max(behind_s + 0.2, 0) / 2, 5) if behind_s > 0 else 1, abs=0.01)


def test_guest_without_stamps_is_quality_c(environment: Environment) -> None:
    guest = tied(environment, has_stamps=False)
    guest.push_until(1.5)
    environment.both(START, 1)
    environment.correlate(START + timedelta(seconds=95))
    assert guest_us(environment, ScopeKind.VM_DISK)[0] == pytest.approx(600, abs=5)
    rows = environment.rows(ScopeKind.VM_DISK, f"reasons, quality_reasons, {GUEST}")
    ((reasons, quality),) = [row[1:3] for row in rows if row[0] == 0 and row[3]]
    assert reasons & 4096
    assert quality & 32
