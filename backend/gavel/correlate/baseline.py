"""What is usual at each hour of the day: expectations from the ledger's last seven days, an hour at a time, once it has passed."""

from datetime import datetime, timedelta

import structlog

from gavel.analysis.attribution import QualityReason
from gavel.analysis.baseline import LEAST_DAYS, PERCENTILE
from gavel.analysis.ledger import LEAST_OPS
from gavel.correlate.worker import Worker
from gavel.db.engine import reading, transaction
from gavel.db.locks import only_one
from gavel.db.queries.expectations import Terms, renew_expectations, renewed_at

log = structlog.get_logger(__name__)

# Qualities C and D teach nothing about what is usual.
_BAD = (
    QualityReason.DISAGREEMENT
    | QualityReason.MATCH_OFF_10
    | QualityReason.OFFSET_OVER_5_S
    | QualityReason.SAMPLE_MISSING
    | QualityReason.SMALL_SHARE
    | QualityReason.SIDE_MISSING
)
TERMS = Terms(percentile=PERCENTILE, days=7, least_days=LEAST_DAYS, bad=int(_BAD), least_ops=LEAST_OPS)
# The roll-up of an hour's last five minutes is made by then.
_SETTLED = timedelta(minutes=10)
_HOUR = timedelta(hours=1)


def renew_baseline(worker: Worker) -> int:
    """Compute every hour of the day that has passed since it was last computed; returns how many."""
    renewed = 0
    with only_one(worker.engine, "baseline") as held:
        if held:
            for start in _due(worker):
                if worker.stopping():
                    break
                with transaction(worker.engine) as connection:
                    scopes = renew_expectations(connection, start, TERMS, worker.now())
                log.info("expectations renewed", hour=start.hour, scopes=scopes)
                renewed += 1
    return renewed


def _due(worker: Worker) -> list[datetime]:
    """When the hours begin, newest first."""
    now = worker.now()
    with reading(worker.engine) as connection:
        done = renewed_at(connection)
    ended = (now - _SETTLED).replace(minute=0, second=0, microsecond=0)
    hours = [ended - n * _HOUR for n in range(1, 25)]
    return [start for start in hours if not _is_done(done.get(start.hour), start + _HOUR)]


def _is_done(computed_at: datetime | None, ended_at: datetime) -> bool:
    return computed_at is not None and computed_at >= ended_at
