"""An imported capture narrows the minutes that it covers, counts nothing twice, and leaves nothing behind when it is removed."""

import io
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NoReturn

import numpy as np
import pytest
from sqlalchemy import text
from tests.collectors.imports.esxtop.twin import Device, Load, Machine, Twin
from tests.correlate.conftest import Preparation
from tests.correlate.correlated import SERIAL, START, Environment
from tests.db.environments import batch, naa

from gavel.correlate.captures import forget_import, proposed_hosts, tie_import
from gavel.db.engine import reading, transaction
from gavel.db.errors import NotFoundError, StorageError
from gavel.db.queries.imports import FileImport, covering_captures, host_id_by_name, list_imports, load_import
from gavel.db.queries.refs import RefKind
from gavel.diagnosis.explain import diagnosis
from gavel.diagnosis.sentences import StatementKind
from gavel.domain.errors import SettingsError
from gavel.domain.imports import ImportOptions, ImportState, OffsetOrigin
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream
from gavel.ingest import imports as ingest_imports
from gavel.ingest.imports import import_file

MINUTES = 6
NAME = naa(SERIAL[0])
# DAVG 0.62, KAVG 0.31, of which QAVG 0.30: GAVG 0.93 ms, which vCenter shows as 1 ms and 0 or 1 ms.
READ = (0.62, 0.31, 0.30)
NOW = START + timedelta(minutes=MINUTES + 8)


def rates(seed: int = 5) -> list[int]:
    """Reads per second in steps of 5 s, from a minute before START until a minute after."""
    return [int(each) for each in np.random.default_rng(seed).uniform(600, 1800, (MINUTES + 2) * 12)]


def capture(
    seed: int = 5,
    *,
    host: str = "esx-1.example.com",
    ahead_s: int = 0,
    read: tuple[float, float, float] = READ,
    steps: int = 1,
    **more: Any,
) -> bytes:
    """steps: of 5 s in a row."""
    each = rates(seed)
    loads = [Load(reads=sum(each[n : n + steps]) // steps, read=read, active=1) for n in range(0, len(each), steps)]
    start = (START - timedelta(minutes=1) + timedelta(seconds=ahead_s)).replace(tzinfo=None)
    twin = Twin(
        devices=[Device(NAME, loads, {7001: 1.0})],
        machines=[Machine("db01", 7001, {"scsi0:0": (1000, 0, 0.95, 0)})],
        rows=len(loads) + 1,
        step_s=5.0 * steps,
        host=host,
        start=start,
        **more,
    )
    return twin.data()


def stored(environment: Environment, seed: int = 5, hosts: Sequence[str] = ("esx-1", "esx-2")) -> None:
    """Store the same load as vCenter and array report it: the first host has it, in whole milliseconds."""
    per_step = rates(seed)[12:-12]
    ops = [5 * sum(per_step[n : n + 4]) for n in range(0, len(per_step), 4)]
    ends = [START + timedelta(seconds=20 * n) for n in range(1, len(ops) + 1)]
    more: dict[str, Any] = {"write_ops": 0, "read_bytes": [each * 4096 for each in ops], "write_bytes": 0}
    times: dict[str, Any] = {"read_gavg_us": 1000, "read_davg_us": 1000, "read_kavg_us": 0, "read_qavg_us": 0}
    for host in hosts:
        mine = ops if host == hosts[0] else [1000] * len(ops)
        device = f"{host}/{NAME}"
        samples = batch(Stream.HOST_DEVICE, device, ends, read_ops=mine, **more, **times, queue_depth=32, precision=2)
        environment.write(environment.vcenter, samples, ends[-1])
    disk: dict[str, Any] = {"read_total_latency_us": 1000, "precision": 2}
    environment.write(
        environment.vcenter, batch(Stream.VM_DISK, "vm-1/scsi0:0", ends, read_ops=ops, **more, **disk), ends[-1]
    )
    environment.arrays(START, MINUTES)


def imported(environment: Environment, data: bytes, **choice: Any) -> FileImport:
    import_id = import_file(environment.engine, "esxtop", io.BytesIO(data), "c.csv", ImportOptions(), NOW)
    tie_import(environment.engine, import_id, NOW, **choice)
    with reading(environment.engine) as connection:
        return load_import(connection, import_id)


def leaves(environment: Environment) -> list[dict[str, Any]]:
    """Every row of the ledger, whole."""
    with reading(environment.engine) as connection:
        return [
            dict(row)
            for table in ("ledger_leaf_1m", "ledger_1m")
            for row in connection.execute(text(f"SELECT * FROM {table} ORDER BY entity_id, ts")).mappings()
        ]


def kernel_widths(environment: Environment, kind: ScopeKind = ScopeKind.HOST_DEVICE) -> list[float]:
    """µs of range per read of the kernel, of each minute of the busiest object of a kind."""
    rows = environment.rows(kind, "read_kernel_upper, read_kernel_lower, read_ops")
    return [(high - low) / ops for *_, high, low, ops in rows if ops and ops > 40_000]


def stored_and_correlated(environment: Environment) -> None:
    stored(environment)
    assert environment.correlate(NOW) > 0


@pytest.fixture
def prepared() -> Preparation:
    return stored_and_correlated


@pytest.fixture
def minutes(environment: Environment, prepared: Preparation) -> Environment:
    environment.clock.now = NOW
    return environment


def test_capture_narrows_the_minutes_that_it_covers_and_counts_nothing_twice(minutes: Environment) -> None:
    before, ops = kernel_widths(minutes), minutes.rows(ScopeKind.HOST_DEVICE, "read_ops, write_ops, read_bytes")
    found = imported(minutes, capture())
    assert (found.host, found.offset_s, found.offset_by) == ("esx-1", 0.0, OffsetOrigin.CORRELATION)
    assert found.narrows, found.note
    assert minutes.correlate(NOW) > 0
    after = kernel_widths(minutes)
    assert len(before) == len(after) == MINUTES
    assert min(before) > 400
    # The last minutes have samples at their edges that the capture covers, too.
    assert max(after) <= 25, after
    assert minutes.rows(ScopeKind.HOST_DEVICE, "read_ops, write_ops, read_bytes") == ops
    lower, upper = 310 - 12, 310 + 12
    rows = minutes.rows(ScopeKind.HOST_DEVICE, "read_kernel_lower, read_kernel_upper, read_ops")
    assert all(lower <= low / n <= 310 <= high / n <= upper for *_, low, high, n in rows if n and n > 40_000)


def test_removed_import_leaves_the_ledger_exactly_as_it_was(minutes: Environment) -> None:
    before = leaves(minutes)
    found = imported(minutes, capture())
    minutes.correlate(NOW)
    assert leaves(minutes) != before
    forget_import(minutes.engine, found.id, NOW)
    minutes.correlate(NOW)
    assert leaves(minutes) == before
    with reading(minutes.engine) as connection:
        assert list_imports(connection) == []
        assert connection.execute(text("SELECT count(*) FROM captured_hour")).scalar_one() == 0
    with pytest.raises(NotFoundError):
        forget_import(minutes.engine, found.id, NOW)


@pytest.mark.parametrize("ahead_s", [-40, 7, 3600])
def test_capture_of_a_clock_that_is_off_is_aligned_by_its_ios(minutes: Environment, ahead_s: int) -> None:
    found = imported(minutes, capture(ahead_s=ahead_s))
    assert found.narrows, found.note
    assert found.offset_s is not None
    assert found.offset_error_s is not None
    assert abs(found.offset_s - ahead_s) <= found.offset_error_s
    minutes.correlate(NOW)
    assert np.median(kernel_widths(minutes)) <= 25


def test_capture_of_another_load_has_no_say_even_where_somebody_gives_its_offset(minutes: Environment) -> None:
    before = leaves(minutes)
    other = imported(minutes, capture(seed=99))
    assert not other.narrows
    assert other.host == "esx-1"
    assert "Is it another host or another time?" in (other.note or "")
    minutes.correlate(NOW)
    assert leaves(minutes) == before
    tie_import(minutes.engine, other.id, NOW, offset_s=0.0)
    with reading(minutes.engine) as connection:
        given = load_import(connection, other.id)
    assert (given.narrows, given.offset_by) == (False, OffsetOrigin.GIVEN)
    assert "counts other I/Os" in (given.note or "")


def test_capture_without_a_usable_name_finds_its_host_by_its_ios(minutes: Environment) -> None:
    found = imported(minutes, capture(host="localhost.localdomain"))
    assert (found.host, found.narrows) == ("esx-1", True), found.note
    with reading(minutes.engine) as connection:
        names = [each.host.name for each in proposed_hosts(connection, found.id)]
    assert names == ["esx-1", "esx-2"]


def test_capture_proposals_end_with_hosts_that_have_no_samples(environment: Environment) -> None:
    stored(environment, hosts=("esx-2",))
    import_id = import_file(environment.engine, "esxtop", io.BytesIO(capture()), "c.csv", ImportOptions(), NOW)
    with reading(environment.engine) as connection:
        proposals = proposed_hosts(connection, import_id)
    assert [(each.host.name, each.offset is None) for each in proposals] == [("esx-2", False), ("esx-1", True)]


def test_capture_whose_rows_cannot_be_stored_leaves_no_import(
    environment: Environment, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> NoReturn:
        raise StorageError("The disk is full.")

    monkeypatch.setattr(ingest_imports, "save_capture", refuse)
    with pytest.raises(StorageError):
        import_file(environment.engine, "esxtop", io.BytesIO(capture()), "c.csv", ImportOptions(), NOW)
    with reading(environment.engine) as connection:
        assert list_imports(connection) == []


def test_capture_of_no_host_that_fits_asks_for_the_host(minutes: Environment) -> None:
    found = imported(minutes, capture(seed=99, host="localhost"))
    assert (found.host, found.narrows) == (None, False)
    assert "Choose the host" in (found.note or "")
    with reading(minutes.engine) as connection:
        host_id = host_id_by_name(connection, "esx-1.example.com")
    tie_import(minutes.engine, found.id, NOW, host_id=host_id)
    with reading(minutes.engine) as connection:
        assert load_import(connection, found.id).host == "esx-1"


def test_capture_without_directions_is_kept_and_has_no_say(minutes: Environment) -> None:
    found = imported(minutes, capture(with_all=False))
    assert not found.narrows
    assert "Captured without -a" in (found.note or "")


def test_capture_with_a_row_every_ten_seconds_has_no_say(minutes: Environment) -> None:
    found = imported(minutes, capture(steps=2))
    assert not found.narrows
    assert "The capture has a row every 10 s" in (found.note or "")


def test_capture_that_contradicts_itself_has_no_say(minutes: Environment) -> None:
    found = imported(minutes, capture().replace(b'"0.93"', b'"1.93"'))
    assert not found.narrows
    assert "contradict each other" in (found.note or "")


def test_capture_that_contradicts_the_counters_widens_instead_of_lying(minutes: Environment) -> None:
    found = imported(minutes, capture(read=(4.62, 0.31, 0.30)))
    assert found.narrows
    minutes.correlate(NOW)
    rows = minutes.rows(ScopeKind.HOST_DEVICE, "read_kernel_lower, read_kernel_upper, read_ops")
    assert all(low <= 310 * n <= high for *_, low, high, n in rows if n and n > 40_000)


def test_capture_older_than_the_samples_is_kept_and_says_so(minutes: Environment) -> None:
    later = NOW + timedelta(days=30)
    with reading(minutes.engine) as connection:
        before = connection.execute(text("SELECT count(*) FROM dirty_window")).scalar_one()
    import_id = import_file(minutes.engine, "esxtop", io.BytesIO(capture()), "c.csv", ImportOptions(), later)
    tie_import(minutes.engine, import_id, later)
    with reading(minutes.engine) as connection:
        found = load_import(connection, import_id)
        changes = connection.execute(text("SELECT count(*) FROM dirty_window")).scalar_one()
    assert (found.state, found.narrows, changes) == (ImportState.READY, False, before)
    assert "no longer kept" in (found.note or "")


def test_two_captures_of_the_same_minutes_count_nothing_twice(minutes: Environment) -> None:
    imported(minutes, capture())
    minutes.correlate(NOW)
    once = leaves(minutes)
    imported(minutes, capture())
    minutes.correlate(NOW)
    assert leaves(minutes) == once


def test_captures_that_cover_a_window_are_named(minutes: Environment) -> None:
    found = imported(minutes, capture())
    with reading(minutes.engine) as connection:
        device = connection.execute(
            text("SELECT device_id FROM captured_object WHERE device_id IS NOT NULL")
        ).scalar_one()

        def named(since: datetime, until: datetime) -> list[str]:
            return [each.file_name for each in covering_captures(connection, [device], since, until)]

        assert named(START, START + timedelta(minutes=1)) == ["c.csv"]
        assert named(START - timedelta(hours=2), START - timedelta(hours=1)) == []
        assert covering_captures(connection, [device + 1000], START, NOW) == ()
        minutes.correlate(NOW)
        host_id = host_id_by_name(connection, "esx-1")
        found_by = diagnosis(connection, RefKind.HOST, host_id, START, START + timedelta(minutes=MINUTES))
    caveats = [each.text for each in found_by.sentence.caveats if each.code is StatementKind.CAPTURED]
    assert caveats == ["Device latency narrowed by esxtop capture c.csv, where it covers the window"]
    assert found.matched_devices == found.devices == 1


def test_import_that_is_not_read_yet_cannot_be_tied(environment: Environment) -> None:
    with pytest.raises(NotFoundError):
        tie_import(environment.engine, 4711, NOW)
    with transaction(environment.engine) as connection:
        connection.execute(
            text(
                "INSERT INTO file_import (format, file_name, size_bytes, state, created_at, changed_at, options)"
                " VALUES ('esxtop', 'x', 1, 'uploading', now(), now(), '{}')"
            )
        )
        import_id = connection.execute(text("SELECT max(id) FROM file_import")).scalar_one()
    with pytest.raises(SettingsError, match="not read yet"):
        tie_import(environment.engine, import_id, NOW)
