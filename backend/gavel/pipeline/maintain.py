"""Keeping the store in shape: partitions ahead, roll-ups up to date, closed hours in order, the expired gone."""

import structlog

from gavel.db import maintenance
from gavel.db.leases import only_one
from gavel.pipeline.workplace import Workplace

log = structlog.get_logger(__name__)


def maintain(place: Workplace) -> None:
    with only_one(place.engine, "maintain") as held:
        if held:
            log.info("maintained", done=maintenance.maintain(place.engine, place.now()))
