"""Since when a verdict holds: the present run of minutes that say the same as their window."""

from datetime import UTC, datetime, timedelta

import numpy as np

from gavel.db.engine import Connection
from gavel.db.queries.ledger import Detail, LedgerSeries, ledger
from gavel.db.series import EPOCH
from gavel.pipeline.expecting import hours_at
from gavel.pipeline.judging import MINUTE, Judged, State, judged
from gavel.pipeline.summing import Sum

_REACH = timedelta(hours=24)
# By the minute only this far: most runs are short, and a day of minutes is dear. What began longer ago is told to five minutes.
_FINE = timedelta(hours=1)
_COARSE = 5 * MINUTE
# Minutes that say nothing (none in the ledger, too few I/Os) do not end a run, unless more than this lie side by side.
_LONGEST_SILENCE = 5 * MINUTE


def since(connection: Connection, found: Sum) -> datetime | None:
    """First minute of the run at the window's end, at most 24 h back; None when the newest minutes say something else.

    A minute says the same when it is healthy too, or names the same layer, however certainly. Further back than an hour, five minutes
    together say something, not each of them.
    """
    to_at = found.window.to_at
    turn = to_at - _FINE
    turn -= (turn - EPOCH) % _COARSE
    begun = _run_start(connection, found, turn, to_at, MINUTE, to_at)
    if begun is None or begun > turn + _LONGEST_SILENCE:
        return begun
    return _run_start(connection, found, to_at - _REACH, turn, _COARSE, begun) or begun


def _run_start(
    connection: Connection, found: Sum, from_at: datetime, to_at: datetime, step: timedelta, newest: datetime
) -> datetime | None:
    """Of the run in [from_at, to_at) that carries on until `newest`; None where there is none."""
    wanted = _said(found.judged, 0)
    begun: datetime | None = None
    sums, each = _by_step(connection, found, from_at, to_at, step)
    for row in range(len(each) - 1, -1, -1):
        if each.states[row] is not State.JUDGED:
            continue
        at = datetime.fromtimestamp(int(sums.starts_us[row]) / 1e6, UTC)
        if newest - (at + step) > _LONGEST_SILENCE or not _agree(wanted, _said(each, row)):
            break
        begun = newest = at
    return begun


def _by_step(
    connection: Connection, found: Sum, from_at: datetime, to_at: datetime, step: timedelta
) -> tuple[LedgerSeries, Judged]:
    key = int(found.found.keys[0])
    sums = ledger(connection, [key], from_at, to_at, step, Detail.LAYERS)
    scopes = np.zeros(len(sums), dtype=np.int64)
    return sums, judged(sums, found.scope, scopes, found.usual, hours_at(sums.starts_us))


def _said(one: Judged, row: int) -> frozenset[int]:
    """Spans that are named; none when healthy."""
    names = (one.named(row), one.other(row))
    return frozenset(span for span in names if span is not None)


def _agree(wanted: frozenset[int], said: frozenset[int]) -> bool:
    return bool(wanted & said) or wanted == said
