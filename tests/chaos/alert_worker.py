"""Gavel's own worker, to be killed: `celery -A tests.chaos.alert_worker worker`. Two things are not the product's: its clock, and
that minutes of the ledger are made up instead of correlated. They are written where correlate writes them, in one transaction with
the note that they are to be judged."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.api.ledgers import HEALTHY, KERNEL, written
from tests.api.ledgers import minute as row
from tests.chaos.alert_plan import Plan, clock_beside, plan_file

from gavel.correlate import run as correlating
from gavel.correlate.worker import Worker
from gavel.db.engine import transaction
from gavel.db.locks import only_one
from gavel.db.queries.correlation import LedgerProgress, load_progress, save_progress
from gavel.db.write.alert_memory import minutes_written
from gavel.domain.scope import ScopeKind
from gavel.egress.policy import OutboundPolicy
from gavel.jobs import workplace
from gavel.jobs.worker import app

__all__ = ["app"]

_MOST_MINUTES = 5
_open = workplace.open_worker


def feed(worker: Worker, *, budget_s: float) -> int:
    """The next minutes of the plan that have ended."""
    plan = Plan.read(plan_file())
    with only_one(worker.engine, "correlate") as held:
        if not held:
            return 0
        with transaction(worker.engine) as connection:
            known = load_progress(connection)
            since = plan.first if known is None else round(known.until_at.timestamp()) // 60
            until = min(int(worker.now().timestamp()) // 60, since + _MOST_MINUTES)
            minutes = range(since, until)
            if not minutes:
                return 0
            written(
                connection,
                [
                    (ScopeKind.DATASTORE, store, at(minute), row(60_000, 30_000, _spans(plan, n, minute)))
                    for minute in minutes
                    for n, store in enumerate(plan.stores)
                ],
                replaced=(),
            )
            minutes_written(connection, list(minutes), is_whole=True)
            save_progress(connection, LedgerProgress(at(until), None, frozenset()))
    return len(minutes)


def at(minute: int) -> datetime:
    return datetime.fromtimestamp(0, UTC) + timedelta(minutes=minute)


def _spans(plan: Plan, place: int, minute: int) -> Any:
    return KERNEL if plan.is_slow(place, minute) else HEALTHY


def _open_by_the_campaigns_clock(
    database_url: str, key_file: Path, stopping: Callable[[], bool], reach: OutboundPolicy
) -> None:
    _open(database_url, key_file, stopping, reach)
    workplace._open_contexts[:] = [replace(one, now=clock_beside(plan_file()).now) for one in workplace._open_contexts]


workplace.open_worker = _open_by_the_campaigns_clock
correlating.correlate = feed
