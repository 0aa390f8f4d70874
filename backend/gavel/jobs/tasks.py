"""Thin tasks: each calls one use-case of the pipeline."""

from typing import Any

from celery import Task, shared_task

from gavel.jobs.schedule import APART, NOTIFY
from gavel.jobs.workplace import here
from gavel.pipeline import alerting, baseline, collect, delivering, holes, inventory, maintain, telling
from gavel.pipeline import backfill as backfilling
from gavel.pipeline import correlate as correlating
from gavel.pipeline.due import due_work
from gavel.pipeline.troubles import UnavailableError, tell

_BACKFILL_BUDGET_S = 15
_CORRELATE_BUDGET_S = 10
_ALERT_BUDGET_S = 10
_DELIVER_BUDGET_S = 20


class Job(Task):  # type: ignore[type-arg]  # takes none when it runs
    """A task that ends quietly while the database is away or full: the next tick does its work. Any other fault keeps its traceback."""

    throws = (UnavailableError,)

    def on_failure(self, exc: Exception, *_: Any) -> None:
        if isinstance(exc, UnavailableError):
            tell(exc)


@shared_task(base=Job, name="gavel.dispatch")
def dispatch() -> None:
    """Send out the work that is due. Ticks of a source are worth nothing once its next one is due."""
    for work in due_work(here()):
        expires = work.interval.total_seconds()
        if work.live:
            collect_live.apply_async((work.source_id,), expires=expires)
        if work.inventory:
            refresh_inventory.apply_async((work.source_id,), expires=expires)
        if work.backfill:
            backfill.apply_async((work.source_id,), expires=expires)


@shared_task(base=Job, name="gavel.collect_live")
def collect_live(source_id: int) -> None:
    if collect.collect_live(here(), source_id):
        # What it brought may have closed a minute, which need not wait for the next tick.
        correlate.apply_async(expires=_CORRELATE_BUDGET_S)


@shared_task(base=Job, name="gavel.refresh_inventory")
def refresh_inventory(source_id: int) -> None:
    inventory.refresh_inventory(here(), source_id)


@shared_task(base=Job, name="gavel.backfill")
def backfill(source_id: int) -> None:
    backfilling.backfill(here(), source_id, budget_s=_BACKFILL_BUDGET_S)


@shared_task(base=Job, name="gavel.correlate")
def correlate() -> None:
    if correlating.correlate(here(), budget_s=_CORRELATE_BUDGET_S):
        alert.apply_async(expires=_ALERT_BUDGET_S)


@shared_task(base=Job, name="gavel.alert")
def alert() -> None:
    """Judge what was written, put what has news into the outbox, and send out its delivery."""
    alerting.judge(here(), budget_s=_ALERT_BUDGET_S)
    telling.tell(here())
    for due in telling.due_channels(here()):
        queue = APART if due.is_apart else NOTIFY
        deliver.apply_async((due.channel_id,), expires=_DELIVER_BUDGET_S, queue=queue)


@shared_task(base=Job, name="gavel.deliver")
def deliver(channel_id: int) -> None:
    delivering.deliver(here(), channel_id, budget_s=_DELIVER_BUDGET_S)


@shared_task(base=Job, name="gavel.renew_baseline")
def renew_baseline() -> None:
    baseline.renew_baseline(here())


@shared_task(base=Job, name="gavel.maintain")
def run_maintenance() -> None:
    maintain.maintain(here())


@shared_task(base=Job, name="gavel.find_holes")
def find_holes() -> None:
    holes.find_holes(here())
