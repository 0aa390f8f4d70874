"""Means over time on both databases: over the minutes in which something was measured, also where only roll-ups are left of these."""

from dataclasses import replace

import numpy as np
import pytest
from tests.db.conftest import Store
from tests.db.ledgers import ledger_rows
from tests.db.write.test_ledger import HOUR, MINUTE, NOW, grid, keys_of, minutes_from, read, write

from gavel.db.queries import ledger_pieces as questions
from gavel.db.queries.ledger import LedgerSeries
from gavel.domain.scope import ScopeKind


def with_holes(store: Store, count: int = 20) -> int:
    """A key of whose first minutes 5…9 and 12, 13 lack their ops, and 3…9 their outstanding I/Os."""
    (key,) = keys_of(ScopeKind.DATASTORE, 1)
    rows, notes = ledger_rows(count)
    ops, outstanding_s = np.full((count, 3), 600.0), np.full(count, 120.0)
    ops[5:10], ops[12:14], outstanding_s[3:10] = np.nan, np.nan, np.nan
    notes = replace(notes, outstanding_s=outstanding_s)
    write(store, grid([key], minutes_from(HOUR, count)), replace(rows, ops=ops), notes)
    store.roll(NOW)
    return key


def told(found: LedgerSeries) -> tuple[int, int, int]:
    return int(found.minutes[0]), int(found.ops_minutes[0]), int(found.outstanding_minutes[0])


@pytest.mark.parametrize(("worthwhile", "resolution"), [(10**9, "1m"), (0, "5m")])
def test_means_over_time_are_over_the_minutes_in_which_something_was_measured(
    store: Store, monkeypatch: pytest.MonkeyPatch, worthwhile: int, resolution: str
) -> None:
    key = with_holes(store)
    monkeypatch.setattr(questions, "_WORTHWHILE", worthwhile)
    found = read(store, [key], HOUR, HOUR + 20 * MINUTE, None)
    assert (found.resolution, told(found)) == (resolution, (20, 13, 13))
    assert found.wall_s[0] == 13 * 60
    assert found.outstanding_ios[0] == pytest.approx(2.0)
    by_bucket = read(store, [key], HOUR, HOUR + 20 * MINUTE, 5 * MINUTE)
    assert by_bucket.ops_minutes.tolist() == [5, 0, 3, 5]
    assert by_bucket.outstanding_minutes.tolist() == [3, 0, 5, 5]
    assert np.isnan(by_bucket.outstanding_ios[1])


def test_an_hour_knows_it_as_well_as_its_minutes(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    key = with_holes(store, 130)
    monkeypatch.setattr(questions, "_WORTHWHILE", 0)
    found = read(store, [key], HOUR, HOUR + 120 * MINUTE, 60 * MINUTE)
    assert (found.resolution, found.ops_minutes.tolist(), found.outstanding_minutes.tolist()) == (
        "1h",
        [53, 60],
        [53, 60],
    )


@pytest.mark.parametrize("kept", ["nothing", "other minutes"])
def test_a_bucket_whose_measured_minutes_were_not_kept_counts_all_of_them(
    plain: Store, monkeypatch: pytest.MonkeyPatch, kept: str
) -> None:
    """As it was rolled up before they were kept; what is kept of some of its minutes only is no answer."""
    key = with_holes(plain)
    if kept == "nothing":
        plain.run("DELETE FROM ledger_measured_5m")
    else:
        plain.run("UPDATE ledger_measured_5m SET minutes = 2, ops_minutes = 1, outstanding_minutes = 1")
    monkeypatch.setattr(questions, "_WORTHWHILE", 0)
    assert told(read(plain, [key], HOUR, HOUR + 20 * MINUTE, None)) == (20, 15, 15)
