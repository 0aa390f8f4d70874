"""What is usual at each hour of the day: expectations from the ledger's last seven days, an hour at a time, once it has passed."""

from datetime import datetime, timedelta

import structlog

from gavel.analysis.expected import LEAST_DAYS, PERCENTILE
from gavel.analysis.grade import GradeReason
from gavel.analysis.ledger import LEAST_OPS
from gavel.db.engine import reading, transaction
from gavel.db.leases import only_one
from gavel.db.queries.expectations import Terms, renew_expectations, renewed_at
from gavel.pipeline.workplace import Workplace

log = structlog.get_logger(__name__)

# Grades C and D teach nothing about what is usual.
_BAD = (
    GradeReason.DISAGREEMENT
    | GradeReason.COVERAGE_OFF_10
    | GradeReason.OFFSET_OVER_5_S
    | GradeReason.SAMPLE_MISSING
    | GradeReason.SMALL_SHARE
    | GradeReason.SIDE_MISSING
)
TERMS = Terms(percentile=PERCENTILE, days=7, least_days=LEAST_DAYS, bad=int(_BAD), least_ops=LEAST_OPS)
# The roll-up of an hour's last five minutes is made by then.
_SETTLED = timedelta(minutes=10)
_HOUR = timedelta(hours=1)


def renew_baseline(place: Workplace) -> int:
    """Compute every hour of the day that has passed since it was last computed; returns how many."""
    renewed = 0
    with only_one(place.engine, "baseline") as held:
        if held:
            for start in _due(place):
                if place.stopping():
                    break
                with transaction(place.engine) as connection:
                    scopes = renew_expectations(connection, start, TERMS, place.now())
                log.info("expectations renewed", hour=start.hour, scopes=scopes)
                renewed += 1
    return renewed


def _due(place: Workplace) -> list[datetime]:
    """When the hours begin, newest first."""
    now = place.now()
    with reading(place.engine) as connection:
        done = renewed_at(connection)
    ended = (now - _SETTLED).replace(minute=0, second=0, microsecond=0)
    hours = [ended - n * _HOUR for n in range(1, 25)]
    return [start for start in hours if not _is_done(done.get(start.hour), start + _HOUR)]


def _is_done(computed_at: datetime | None, ended_at: datetime) -> bool:
    return computed_at is not None and computed_at >= ended_at
