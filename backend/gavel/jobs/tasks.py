"""Thin tasks: each calls one function of a stage."""

from typing import Any

from celery import Task, shared_task

from gavel.admin import maintenance
from gavel.alerting.use import deliver as delivering
from gavel.alerting.use import evaluate, notify
from gavel.correlate import baseline, captures, findings
from gavel.correlate import run as correlating
from gavel.ingest import backfill as backfilling
from gavel.ingest import guest_matching, imports, inventory, live
from gavel.ingest.lanes import PASS_S, Lane, UnfinishedError, one_at_a_time
from gavel.ingest.schedule import due_work
from gavel.ingest.troubles import NotFoundError, UnavailableError, log_once_per_minute
from gavel.jobs.schedule import APART, NOTIFY
from gavel.jobs.workplace import current_worker
from gavel.offline import builds

_BACKFILL_BUDGET_S = 15
# Packing takes minutes per partition, and reading the longest file takes some: no other job waits for them.
_LONG_LIMIT_S = 3600
_CORRELATE_BUDGET_S = 10
_ALERT_BUDGET_S = 10
_DELIVER_BUDGET_S = 20


class Job(Task):  # type: ignore[type-arg]  # takes none when it runs
    """A task that ends quietly while the database is away or full: the next tick does its work. Any other fault keeps its traceback."""

    throws: tuple[type[Exception], ...] = (UnavailableError,)

    def on_failure(self, exc: Exception, *_: Any) -> None:
        if isinstance(exc, UnavailableError):
            log_once_per_minute(exc)


class ObjectJob(Job):
    """A job on one source or channel. One that was removed after the job was sent is nothing to do, and no fault."""

    throws = (UnavailableError, NotFoundError)


class LongJob(Job):
    """A job that may take longer than the broker waits for an acknowledgment (`visibility_timeout`).

    It is acknowledged when it begins, or the broker would deliver it again every two minutes. The next tick does the work of a killed one.
    """

    acks_late = False
    soft_time_limit = _LONG_LIMIT_S
    time_limit = _LONG_LIMIT_S + 10


@shared_task(base=Job, name="gavel.dispatch")
def dispatch() -> None:
    """Send out the work that is due. Ticks of a source are worth nothing once its next one is due."""
    for work in due_work(current_worker()):
        expires = work.interval.total_seconds()
        if work.live and work.lane is Lane.FAST:
            collect_live.apply_async((work.source_id,), expires=expires)
        elif work.live:
            collect_slowly.apply_async((work.source_id, work.lane), expires=expires)
        if work.inventory:
            refresh_inventory.apply_async((work.source_id, work.lane), expires=expires)
        if work.backfill:
            backfill.apply_async((work.source_id, work.backfill_lane), expires=expires)


@shared_task(base=ObjectJob, name="gavel.collect_live")
def collect_live(source_id: int) -> None:
    """One pass on the fast lane; what takes longer goes on at once on the slow one."""
    try:
        _collect(source_id, Lane.FAST)
    except UnfinishedError:
        collect_slowly.apply_async((source_id, Lane.SLOW), expires=PASS_S)


@shared_task(base=ObjectJob, name="gavel.collect_slowly")
def collect_slowly(source_id: int, lane: str) -> None:
    _collect(source_id, Lane(lane))


def _collect(source_id: int, lane: Lane) -> None:
    if live.collect_live(current_worker(), source_id, lane, is_tick=True):
        # What it brought may have closed a minute, which need not wait for the next tick.
        correlate.apply_async(expires=_CORRELATE_BUDGET_S)


@shared_task(base=ObjectJob, name="gavel.refresh_inventory")
def refresh_inventory(source_id: int, lane: str) -> None:
    inventory.refresh_inventory(current_worker(), source_id, Lane(lane))


@shared_task(base=ObjectJob, name="gavel.backfill")
def backfill(source_id: int, lane: str) -> None:
    with one_at_a_time(current_worker().engine, "history") as has_room:
        if has_room:
            backfilling.backfill(current_worker(), source_id, budget_s=_BACKFILL_BUDGET_S, lane=Lane(lane))


@shared_task(base=Job, name="gavel.correlate")
def correlate() -> None:
    if correlating.correlate(current_worker(), budget_s=_CORRELATE_BUDGET_S):
        alert.apply_async(expires=_ALERT_BUDGET_S)


@shared_task(base=Job, name="gavel.alert")
def alert() -> None:
    """Judge what was written, put what has news into the outbox, and send out its delivery."""
    evaluate.evaluate_rules(current_worker(), budget_s=_ALERT_BUDGET_S)
    notify.enqueue_messages(current_worker())
    for due in notify.due_channels(current_worker()):
        queue = APART if due.is_apart else NOTIFY
        deliver.apply_async((due.channel_id,), expires=_DELIVER_BUDGET_S, queue=queue)


@shared_task(base=ObjectJob, name="gavel.deliver")
def deliver(channel_id: int) -> None:
    delivering.deliver(current_worker(), channel_id, budget_s=_DELIVER_BUDGET_S)


@shared_task(base=Job, name="gavel.renew_baseline")
def renew_baseline() -> None:
    baseline.renew_baseline(current_worker())


@shared_task(base=Job, name="gavel.evaluate_findings")
def evaluate_findings() -> None:
    findings.evaluate_findings(current_worker())


@shared_task(base=Job, name="gavel.maintain")
def run_maintenance() -> None:
    maintenance.maintain(current_worker())


@shared_task(base=LongJob, name="gavel.pack")
def pack() -> None:
    with one_at_a_time(current_worker().engine, "history") as has_room:
        if has_room:
            maintenance.pack(current_worker())


@shared_task(base=Job, name="gavel.find_holes")
def find_holes() -> None:
    backfilling.find_holes(current_worker())


@shared_task(base=Job, name="gavel.match_guests")
def match_guests() -> None:
    guest_matching.match_guests(current_worker())


@shared_task(base=LongJob, name="gavel.read_imports")
def read_imports() -> None:
    """Read files that were uploaded, and find out which host and clock each capture is of."""
    worker = current_worker()
    with one_at_a_time(worker.engine, "files") as has_room:
        for import_id in imports.read_uploads(worker) if has_room else ():
            captures.tie_import(worker.engine, import_id, worker.now())


@shared_task(base=LongJob, name="gavel.make_offline")
def make_offline() -> None:
    """Make offline environments of files that were uploaded for them."""
    with one_at_a_time(current_worker().engine, "files") as has_room:
        if has_room:
            builds.make_environments(current_worker())
