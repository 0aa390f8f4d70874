"""Since when a diagnosis holds, or until when it did: the run of minutes that say the same as their window."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from gavel.db.engine import Connection
from gavel.db.queries.ledger import Detail, LedgerSeries, ledger
from gavel.db.series.catalog import EPOCH
from gavel.db.series.modes import Storage
from gavel.diagnosis.baselines import UsualOf, hours_at
from gavel.diagnosis.diagnose import MINUTE, DiagnosedRows, DiagnosisState, diagnose_rows, span_layers
from gavel.diagnosis.window import WindowSum
from gavel.domain.scope import ScopeKind, scope_key

REACH = timedelta(hours=24)
# By the minute only this far: most runs are short, and a day of minutes is dear. What began longer ago is told to five minutes.
FINE = timedelta(hours=1)
# Before a long window, for normal minutes to compare it with.
_BEFORE = timedelta(minutes=15)
COARSE = 5 * MINUTE
# Minutes that say nothing (none in the ledger, too few I/Os) do not end a run, unless more than this lie side by side.
LONGEST_SILENCE = 5 * MINUTE
# One minute that says something else may be a lull; after two of them a layer is not said to be named any more.
_LEAST_QUIET = 2
# Of lists only short windows are looked at by the minute.
SHORT = 10 * MINUTE


@dataclass(frozen=True, slots=True)
class Streak:
    """since_at: first minute of the run at the window's end, at most 24 h back; None when the newest minutes say something else.

    until_at: then the end of the last minute, of the window's last hour, that named what the window names; None where nothing is named.
    """

    since_at: datetime | None
    until_at: datetime | None


# Rows over time, with what each of them says.
Steps = tuple[LedgerSeries, DiagnosedRows]


@dataclass(frozen=True, slots=True)
class RecentMinutes:
    """Of one object up to the window's end. fine: the minutes of its last hour; coarse: five minutes each of the 24 h before, read only
    where the run of the window's diagnosis fills the hour."""

    fine: Steps
    coarse: Steps | None


def current_streak(connection: Connection, window_sum: WindowSum) -> tuple[Streak, RecentMinutes]:
    """A minute says the same when it names no layer either, or names the same layer, however certainly.

    Further back than an hour, five minutes together say something, not each of them.
    """
    to_at, wanted = window_sum.window.to_at, _named_spans(window_sum.diagnosed, 0)
    turn = fine_from(to_at)
    minutes = _by_step(connection, window_sum, turn, to_at, MINUTE)
    begun = _run_start(*minutes, wanted, MINUTE, to_at)
    if begun is None:
        left = _left_off(*minutes, wanted, range(len(minutes[1])))
        return Streak(None, left), RecentMinutes(minutes, None)
    if begun > turn + LONGEST_SILENCE:
        return Streak(begun, None), RecentMinutes(minutes, None)
    before = _by_step(connection, window_sum, to_at - REACH, turn, COARSE)
    since_at = _run_start(*before, wanted, COARSE, begun) or begun
    return Streak(since_at, None), RecentMinutes(minutes, before)


def minutes_of_window(connection: Connection, window_sum: WindowSum) -> Steps:
    """Of a window that is longer than the last hour: its minutes, at most the last 24 hours of them."""
    window = window_sum.window
    from_at = max(window.from_at, window.to_at - REACH) - _BEFORE
    return _by_step(connection, window_sum, from_at, window.to_at, MINUTE)


def fine_from(to_at: datetime) -> datetime:
    """From when on a window that ends at `to_at` is looked at by the minute."""
    turn = to_at - FINE
    return turn - (turn - EPOCH) % COARSE


def streak_ends(
    connection: Connection,
    scope: ScopeKind,
    rows: Mapping[int, int],
    diagnosed: DiagnosedRows,
    window: tuple[datetime, datetime],
    expected: UsualOf,
    storage: Storage,
) -> Mapping[int, datetime]:
    """`until_at`, as in `Streak`, of those that have one, by id. rows: by id, which row of `diagnosed` is a thing's diagnosis over the
    window."""
    ids = sorted(rows)
    keys = [scope_key(scope, thing_id) for thing_id in ids]
    sums = ledger(connection, keys, *window, MINUTE, Detail.LAYERS, storage=storage)
    position = np.searchsorted(np.array(keys), sums.keys)
    usual_at = expected.position(sums.keys - scope_key(scope, 0))
    each = diagnose_rows(sums, scope, usual_at, expected.usual, hours_at(sums.starts_us))
    own: dict[int, list[int]] = defaultdict(list)
    for row, place in enumerate(position.tolist()):
        own[place].append(row)
    left = {
        thing_id: _left_off(sums, each, _named_spans(diagnosed, rows[thing_id]), own[place])
        for place, thing_id in enumerate(ids)
    }
    return {thing_id: at for thing_id, at in left.items() if at is not None}


def _run_start(
    sums: LedgerSeries, each: DiagnosedRows, wanted: frozenset[int], step: timedelta, newest: datetime
) -> datetime | None:
    """Of the run of steps that carries on until `newest`; None where there is none."""
    begun: datetime | None = None
    for row in range(len(each) - 1, -1, -1):
        if each.states[row] is not DiagnosisState.JUDGED:
            continue
        at = _start(sums, row)
        if newest - (at + step) > LONGEST_SILENCE or not _agree(wanted, _named_spans(each, row)):
            break
        begun = newest = at
    return begun


def _left_off(sums: LedgerSeries, each: DiagnosedRows, wanted: frozenset[int], rows: Sequence[int]) -> datetime | None:
    """End of the last minute that names what is wanted, or something that it may be in, when enough of them after it do not."""
    spoken = [row for row in rows if each.states[row] is DiagnosisState.JUDGED]
    layers = _layers(wanted)
    named = [n for n, row in enumerate(spoken) if layers & _layers(_named_spans(each, row))]
    if not named or len(spoken) - 1 - named[-1] < _LEAST_QUIET:
        return None
    return _start(sums, spoken[named[-1]]) + MINUTE


def _start(sums: LedgerSeries, row: int) -> datetime:
    return datetime.fromtimestamp(int(sums.starts_us[row]) / 1e6, UTC)


def _by_step(
    connection: Connection, window_sum: WindowSum, from_at: datetime, to_at: datetime, step: timedelta
) -> tuple[LedgerSeries, DiagnosedRows]:
    key = int(window_sum.series.keys[0])
    sums = ledger(connection, [key], from_at, to_at, step, Detail.LAYERS, storage=window_sum.storage)
    scopes = np.zeros(len(sums), dtype=np.int64)
    return sums, diagnose_rows(sums, window_sum.scope, scopes, window_sum.usual, hours_at(sums.starts_us))


def _named_spans(diagnosed: DiagnosedRows, row: int) -> frozenset[int]:
    """Spans that are named; none without a named layer."""
    names = (diagnosed.named(row), diagnosed.other(row))
    return frozenset(span for span in names if span is not None)


def _layers(spans: frozenset[int]) -> frozenset[str]:
    return frozenset(layer for span in spans for layer in span_layers(span))


def _agree(wanted: frozenset[int], named: frozenset[int]) -> bool:
    return bool(wanted & named) or wanted == named
