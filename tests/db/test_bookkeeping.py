"""Sources and the account of their collection: runs, gaps, clocks, tokens."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.db.conftest import Store
from tests.db.environments import array_inventory, host_inventory

from gavel.db.engine import reading, transaction
from gavel.db.errors import NameTakenError, NotFoundError
from gavel.db.queries.clocks import newest_clocks, newest_own_clock, record_clocks
from gavel.db.queries.gaps import GapState, gaps, narrow_gap, note_gap, pending_gaps, settle_gap
from gavel.db.queries.runs import SourceRun, record_run, runs
from gavel.db.queries.sources import (
    change_source,
    remove_source,
    source,
    source_by_name,
    source_health,
    sources,
    store_secrets,
)
from gavel.db.queries.tokens import TokenKind, add_token, revoke_tokens, token, tokens, use_token
from gavel.domain.errors import ErrorKind
from gavel.domain.source import ClockReading, SourceKind, Stream

NOW = datetime.now(UTC).replace(microsecond=0)
MINUTE = timedelta(minutes=1)


def run(source_id: int, ago: timedelta, error: ErrorKind | None = None, **more: object) -> SourceRun:
    return SourceRun(source_id, "path", "live", NOW - ago, 0.5, error_kind=error, **more)  # type: ignore[arg-type]


def test_a_source_is_changed_by_what_is_given_and_keeps_the_rest(store: Store) -> None:
    source_id = store.source(name="one of its kind")
    with transaction(store.engine) as connection:
        change_source(connection, source_id, enabled=False, settings={"poll_interval_s": 60})
        store_secrets(connection, source_id, b"\0sealed", "key-1")
        row = source_by_name(connection, "one of its kind")
    assert (row.enabled, dict(row.settings), row.address, row.kind) == (
        False,
        {"poll_interval_s": 60},
        "192.0.2.1",
        SourceKind.FLASHARRAY,
    )
    assert (row.secrets_encrypted, row.secrets_key_id) == (b"\0sealed", "key-1")
    with reading(store.engine) as connection:
        assert source_id in {each.id for each in sources(connection)}
        assert source_id not in {each.id for each in sources(connection, enabled_only=True)}


def test_a_name_is_taken_once_and_the_transaction_goes_on(store: Store) -> None:
    taken, other = store.source(name="taken"), store.source(name="other")
    with pytest.raises(NameTakenError, match="'taken'"):
        store.source(name="taken")
    with transaction(store.engine) as connection:
        with pytest.raises(NameTakenError):
            change_source(connection, other, name="taken")
        change_source(connection, other, name="another")
        assert source_by_name(connection, "another").id == other
    assert taken != other


def test_a_removed_source_takes_its_account_and_environment_along(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    with transaction(store.engine) as connection:
        record_run(connection, run(source_id, MINUTE))
        note_gap(connection, source_id, Stream.PATH, NOW - MINUTE, NOW, reason="down", now=NOW)
    with transaction(store.engine) as connection:
        remove_source(connection, source_id)
        with pytest.raises(NotFoundError):
            source(connection, source_id)
        with pytest.raises(NotFoundError):
            remove_source(connection, source_id)
    for table in ("vm", "path", "gap", "collection_run"):
        assert store.value(f"SELECT count(*) FROM {table} WHERE source_id = :id", id=source_id) == 0, table


def test_runs_come_newest_first_as_they_were_recorded(store: Store) -> None:
    source_id = store.source()
    told = run(
        source_id, MINUTE, ErrorKind.TIMEOUT, error_message="too slow", lag_s=1.5, unknown_keys=2, bytes_received=2**40
    )
    with transaction(store.engine) as connection:
        record_run(connection, run(source_id, 2 * MINUTE))
        record_run(connection, SourceRun(source_id, "inventory", "inventory", NOW, 1.0))
        run_id = record_run(connection, told)
        found = runs(connection, source_id, stream="path")
        assert len(runs(connection, source_id, limit=1)) == 1
    assert (found[0].id, found[0].error_kind, found[0].error_message) == (run_id, ErrorKind.TIMEOUT, "too slow")
    assert (found[0].lag_s, found[0].unknown_keys, found[0].bytes_received, found[1].error_kind) == (
        1.5,
        2,
        2**40,
        None,
    )


def test_health_tells_lag_on_the_sources_own_clock_and_since_when_it_fails(store: Store) -> None:
    source_id = store.with_environment(host_inventory(), NOW)
    with transaction(store.engine) as connection:
        record_clocks(connection, source_id, [ClockReading(None, 3.0, 0.1, NOW)])
        for ago, error in ((4, ErrorKind.TIMEOUT), (3, None), (2, ErrorKind.TIMEOUT), (1, ErrorKind.AUTHENTICATION)):
            record_run(connection, run(source_id, ago * MINUTE, error, new_samples=150))
        note_gap(connection, source_id, Stream.PATH, NOW - MINUTE, NOW, reason="down", now=NOW)
    store.advance(source_id, Stream.PATH, NOW - 10 * timedelta(seconds=1))
    with reading(store.engine) as connection:
        (health,) = source_health(connection, NOW, source_id)
        assert source_id in {each.source.id for each in source_health(connection, NOW)}
    (stream,) = health.streams
    assert (stream.stream, stream.lag_s, stream.samples_per_s, stream.open_gaps) == (Stream.PATH, 13.0, 2.0, 1)
    assert (health.failing_since, health.version) == (NOW - 2 * MINUTE, "8.0.3 build 24022510")
    assert health.newest_run is not None
    assert health.newest_run.error_kind is ErrorKind.AUTHENTICATION
    assert (health.entities["vm"], health.entities["datastore"], health.open_gaps) == (2, 9, 1)


def test_an_array_without_directories_has_no_stream_of_them_and_one_that_lost_them_is_not_late(store: Store) -> None:
    with_files = array_inventory(tag=0x5A01)
    source_id = store.with_environment(with_files, NOW - 9 * MINUTE)
    with transaction(store.engine) as connection:
        for stream in (Stream.ARRAY_VOLUME, Stream.ARRAY_DIRECTORY):
            record_run(connection, SourceRun(source_id, stream, "live", NOW - MINUTE, 0.5))
    store.advance(source_id, Stream.ARRAY_VOLUME, NOW)
    assert streams_of(store, source_id) == {Stream.ARRAY_VOLUME: NOW, Stream.ARRAY_DIRECTORY: None}
    store.advance(source_id, Stream.ARRAY_DIRECTORY, NOW - 8 * MINUTE)
    store.take(source_id, replace(with_files, directories=()), NOW)
    assert streams_of(store, source_id) == {Stream.ARRAY_VOLUME: NOW}
    with transaction(store.engine) as connection:
        note_gap(connection, source_id, Stream.ARRAY_DIRECTORY, NOW - 9 * MINUTE, NOW, reason="down", now=NOW)
    assert Stream.ARRAY_DIRECTORY in streams_of(store, source_id)


def streams_of(store: Store, source_id: int) -> dict[Stream, datetime | None]:
    with reading(store.engine) as connection:
        (health,) = source_health(connection, NOW, source_id)
    return {each.stream: each.until_at for each in health.streams}


def test_a_source_never_polled_has_no_streams_and_is_not_failing(store: Store) -> None:
    source_id = store.source()
    with reading(store.engine) as connection:
        (health,) = source_health(connection, NOW, source_id)
    assert (health.streams, health.newest_run, health.failing_since, health.version) == ((), None, None, None)


def test_a_gap_is_noted_once_and_settled_with_its_reason(store: Store) -> None:
    source_id = store.source()
    with transaction(store.engine) as connection:
        first = note_gap(connection, source_id, Stream.PATH, NOW - 9 * MINUTE, NOW - 5 * MINUTE, reason="down", now=NOW)
        again = note_gap(connection, source_id, Stream.PATH, NOW - 9 * MINUTE, NOW - 5 * MINUTE, reason="down", now=NOW)
        newer = note_gap(connection, source_id, Stream.PATH, NOW - 2 * MINUTE, NOW, reason="down", now=NOW)
        one = note_gap(connection, source_id, Stream.PATH, NOW - 2 * MINUTE, NOW, reason="-1", now=NOW, entity_key="h")
        assert (first, len({first, newer, one})) == (again, 3)
        assert [gap.id for gap in pending_gaps(connection, source_id, Stream.PATH)] == [newer, one, first]
        narrow_gap(connection, first, NOW - 9 * MINUTE, NOW - 7 * MINUTE)
        settle_gap(connection, first, GapState.EXPLAINED, NOW, reason="expired at the source")
        settle_gap(connection, newer, GapState.RECOVERED, NOW)
        found = gaps(connection, (source_id,), NOW - 10 * MINUTE, NOW)
        assert [(gap.id, gap.state, gap.reason) for gap in found] == [
            (first, GapState.EXPLAINED, "expired at the source"), (one, GapState.PENDING_BACKFILL, "-1"),
        ]  # fmt: skip
        assert gaps(connection, (source_id,), NOW - 7 * MINUTE, NOW - 2 * MINUTE) == ()
        with pytest.raises(NotFoundError):
            settle_gap(connection, 2**31 - 1, GapState.EXPLAINED, NOW)


def test_the_newest_reading_of_every_clock_is_told_the_sources_own_first(store: Store) -> None:
    source_id = store.source()
    readings = [ClockReading(None, float(n), 0.1, NOW + n * MINUTE) for n in range(3)]
    with transaction(store.engine) as connection:
        assert newest_clocks(connection, source_id) == ()
        record_clocks(connection, source_id, [*readings, ClockReading("esx", -4.0, 0.5, NOW)])
        record_clocks(connection, source_id, [])
        assert newest_clocks(connection, source_id) == (readings[2], ClockReading("esx", -4.0, 0.5, NOW))
        assert newest_own_clock(connection, source_id, until=NOW + MINUTE) == readings[1]
        assert newest_own_clock(connection, source_id, until=NOW - MINUTE) is None


def test_a_setup_token_works_once_and_not_after_its_end(plain: Store) -> None:
    with transaction(plain.engine) as connection:
        add_token(connection, TokenKind.SETUP, b"hash", NOW, expires_at=NOW + MINUTE)
        add_token(connection, TokenKind.ADMIN, b"admin", NOW)
        assert not use_token(connection, b"hash", TokenKind.SETUP, NOW + MINUTE)
        assert not use_token(connection, b"hash", TokenKind.ADMIN, NOW)
        assert use_token(connection, b"hash", TokenKind.SETUP, NOW)
        assert not use_token(connection, b"hash", TokenKind.SETUP, NOW)
        assert token(connection, b"hash", NOW + MINUTE) is None
        found = token(connection, b"admin", NOW + timedelta(days=9))
        assert found is not None
        assert found.kind is TokenKind.ADMIN
        assert [each.used_at for each in tokens(connection, TokenKind.SETUP)] == [NOW]
        assert (revoke_tokens(connection, TokenKind.ADMIN), token(connection, b"admin", NOW)) == (1, None)
