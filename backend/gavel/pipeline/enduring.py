"""Since when a verdict holds: the present run of minutes that say the same as their window."""

from datetime import UTC, datetime, timedelta

import numpy as np

from gavel.db.engine import Connection
from gavel.db.queries.ledger import Detail, LedgerSeries, ledger
from gavel.pipeline.expecting import hours_at
from gavel.pipeline.judging import MINUTE, Judged, State, judged
from gavel.pipeline.summing import Sum

# Most runs are short, and a day by the minute is dear.
_REACHES = (timedelta(hours=1), timedelta(hours=24))
# Minutes that say nothing (none in the ledger, too few I/Os) do not end a run, unless more than this lie side by side.
_LONGEST_SILENCE = 5 * MINUTE


def since(connection: Connection, found: Sum) -> datetime | None:
    """First minute of the run at the window's end, at most 24 h back; None when the newest minutes say something else.

    A minute says the same when it is healthy too, or names the same layer, however certainly.
    """
    start: datetime | None = None
    for reach in _REACHES:
        from_at = found.window.to_at - reach
        minutes, each = _by_minute(connection, found, from_at)
        start = _run_start(found, minutes, each)
        if start is None or start > from_at + _LONGEST_SILENCE:
            break
    return start


def _by_minute(connection: Connection, found: Sum, from_at: datetime) -> tuple[LedgerSeries, Judged]:
    key = int(found.found.keys[0])
    minutes = ledger(connection, [key], from_at, found.window.to_at, MINUTE, Detail.LAYERS)
    scopes = np.zeros(len(minutes), dtype=np.int64)
    return minutes, judged(minutes, found.scope, scopes, found.usual, hours_at(minutes.starts_us))


def _run_start(found: Sum, minutes: LedgerSeries, each: Judged) -> datetime | None:
    wanted = _said(found.judged, 0)
    begun: datetime | None = None
    newest = found.window.to_at
    for row in range(len(each) - 1, -1, -1):
        if each.states[row] is not State.JUDGED:
            continue
        at = datetime.fromtimestamp(int(minutes.starts_us[row]) / 1e6, UTC)
        if newest - (at + minutes.step) > _LONGEST_SILENCE or not _agree(wanted, _said(each, row)):
            break
        begun = newest = at
    return begun


def _said(one: Judged, row: int) -> frozenset[int]:
    """Spans that are named; none when healthy."""
    names = (one.named(row), one.other(row))
    return frozenset(span for span in names if span is not None)


def _agree(wanted: frozenset[int], said: frozenset[int]) -> bool:
    return bool(wanted & said) or wanted == said
