"""Keeping the store in shape: partitions ahead, roll-ups up to date, closed hours in order, the expired gone."""

from datetime import timedelta

import structlog

from gavel.db.engine import transaction
from gavel.db.locks import only_one
from gavel.db.series import maintenance
from gavel.db.write.alert_states import forget_alerts
from gavel.db.write.imports import drop_abandoned
from gavel.db.write.offline_builds import drop_abandoned_builds
from gavel.ingest.worker import WorkerContext

# As long as hours of the ledger are, so that an old alert's page still has its chart.
_ALERTS_KEPT = timedelta(days=400)
# What began and never fired is of no interest the day after.
_UNFIRED_KEPT = timedelta(days=1)
# An upload without progress belongs to a closed page. It takes disk space and one of few places.
_UPLOADS_KEPT = timedelta(hours=1)

log = structlog.get_logger(__name__)


def pack(context: WorkerContext) -> None:
    """Samples, minutes and roll-ups of hours, days and weeks that are over, in short."""
    with only_one(context.engine, maintenance.PACKING) as held:
        if held and (done := maintenance.pack_closed(context.engine, context.now())):
            log.info("packed", partitions=done)


def maintain(context: WorkerContext) -> None:
    with only_one(context.engine, maintenance.MAINTAINING) as held:
        if held:
            now = context.now()
            log.info("maintained", done=maintenance.maintain(context.engine, now))
            with transaction(context.engine) as connection:
                forget_alerts(connection, now - _ALERTS_KEPT, now - _UNFIRED_KEPT)
                drop_abandoned(connection, now - _UPLOADS_KEPT)
                drop_abandoned_builds(connection, now - _UPLOADS_KEPT)
