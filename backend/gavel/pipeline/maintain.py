"""Keeping the store in shape: partitions ahead, roll-ups up to date, closed hours in order, the expired gone."""

from datetime import timedelta

import structlog

from gavel.db import maintenance
from gavel.db.alert_writing import forget_alerts
from gavel.db.engine import transaction
from gavel.db.leases import only_one
from gavel.pipeline.workplace import Workplace

# As long as hours of the ledger are, so that an old alert's page still has its chart.
_ALERTS_KEPT = timedelta(days=400)
# What began and never fired is of no interest the day after.
_UNFIRED_KEPT = timedelta(days=1)

log = structlog.get_logger(__name__)


def maintain(place: Workplace) -> None:
    with only_one(place.engine, "maintain") as held:
        if held:
            now = place.now()
            log.info("maintained", done=maintenance.maintain(place.engine, now))
            with transaction(place.engine) as connection:
                forget_alerts(connection, now - _ALERTS_KEPT, now - _UNFIRED_KEPT)
