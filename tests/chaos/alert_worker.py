"""Gavel's own worker, to be killed: `celery -A tests.chaos.alert_worker worker`. Two things are not the product's: its clock, and
that minutes of the ledger are made up instead of correlated. They are written where correlate writes them, in one transaction with
the note that they are to be judged."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

from tests.api.ledgers import HEALTHY, KERNEL, written
from tests.api.ledgers import minute as row
from tests.chaos.alert_plan import Plan, clock_beside, plan_file

from gavel.db.alert_memory import minutes_written
from gavel.db.engine import transaction
from gavel.db.leases import only_one
from gavel.db.queries.correlation import Stand, stand, stand_at
from gavel.domain.scope import ScopeKind
from gavel.jobs import workplace
from gavel.jobs.worker import app
from gavel.pipeline import correlate as correlating
from gavel.pipeline.workplace import Workplace

__all__ = ["app"]

_MOST_MINUTES = 5
_open = workplace.open_workplace


def feed(place: Workplace, *, budget_s: float) -> int:
    """The next minutes of the plan that have ended."""
    plan = Plan.read(plan_file())
    with only_one(place.engine, "correlate") as held:
        if not held:
            return 0
        with transaction(place.engine) as connection:
            known = stand(connection)
            since = plan.first if known is None else round(known.until_at.timestamp()) // 60
            until = min(int(place.now().timestamp()) // 60, since + _MOST_MINUTES)
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
            stand_at(connection, Stand(at(until), None, frozenset()))
    return len(minutes)


def at(minute: int) -> datetime:
    return datetime.fromtimestamp(0, UTC) + timedelta(minutes=minute)


def _spans(plan: Plan, place: int, minute: int) -> Any:
    return KERNEL if plan.is_slow(place, minute) else HEALTHY


def _open_by_the_campaigns_clock(*given: Any) -> None:
    _open(*given)
    workplace._here[:] = [replace(one, now=clock_beside(plan_file()).now) for one in workplace._here]


workplace.open_workplace = _open_by_the_campaigns_clock
correlating.correlate = feed
