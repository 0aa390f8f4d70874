"""From a what-if to what crosses the API."""

from collections.abc import Sequence
from typing import Any

from gavel.api.schemas.whatif import (
    BacktestOut,
    BacktestScoreOut,
    TestedChangeOut,
    TestedOutcome,
    WhatIfOut,
    WhatIfStart,
)
from gavel.db.queries.queues import Queue
from gavel.views.backtest import Backtest, TestedChange
from gavel.views.whatif import PredictedChange, WhatIf
from gavel.views.whatif_load import QueueStart


def what_if_out(answer: WhatIf, start: QueueStart | None, queues: Sequence[Queue]) -> WhatIfOut:
    """start, queues: of an object; None and empty for a typed workload."""
    outlook = answer.outlook
    return WhatIfOut.model_validate(
        {
            "start": None if start is None else _start(start, queues),
            "notes": [] if start is None else start.notes,
            **answer.settings,
            **answer.readings,
            "open_loop": _open(outlook.open_iops, outlook.open_total),
            "is_fitted": outlook.is_fitted,
            "ceilings": [{"name": name, "label": label, "ios": ios} for name, label, ios in answer.ceilings],
            **{name: getattr(answer, name) for name in _AS_THEY_ARE},
        }
    )


_AS_THEY_ARE = ("total_us", "iops", "parts", "neighbor_us", "neighbor_iops", "array_iops", "array_in_flight")


def _open(iops: float | None, total: Any) -> dict[str, float | None] | None:
    return None if iops is None else {"iops": iops, "lower_us": total.low, "upper_us": total.high}


def _start(start: QueueStart, queues: Sequence[Queue]) -> WhatIfStart:
    settings = start.settings
    return WhatIfStart(
        subject=start.subject,
        queue=start.queue,
        queues=list(queues),
        carried=settings.carried,
        configured_depth=settings.configured,
        dsnro=settings.dsnro,
        is_nvme=settings.is_nvme,
        is_competing=start.is_competing,
        others=list(start.others),
        array=start.array,
        from_at=start.from_at,
        to_at=start.to_at,
        minutes=start.minutes,
        history_minutes=start.history_minutes,
        non_optimized_extra_us=start.load.non_optimized_extra_us,
    )


def backtest_out(tested: Backtest) -> BacktestOut:
    return BacktestOut(
        from_at=tested.from_at,
        to_at=tested.to_at,
        changes=[_tested(one) for one in tested.changes],
        score=BacktestScoreOut.model_validate(tested.score),
    )


def _tested(change: TestedChange) -> TestedChangeOut:
    return TestedChangeOut(
        read_at=change.read_at,
        settings=list(change.settings),
        subject_name=change.subject_name,
        subject=change.subject,
        queue=change.queue,
        outcome=_outcome(change),
        reason=change.reason,
    )


def _outcome(change: TestedChange) -> TestedOutcome | None:
    outcome = change.outcome
    if outcome is None:
        return None
    latency, iops = outcome.predicted_us, outcome.predicted_iops
    return TestedOutcome(
        latency_us=PredictedChange(before=outcome.before_us, lower=latency.low, upper=latency.high),
        after_us=outcome.after_us,
        iops=PredictedChange(before=outcome.before_iops, lower=iops.low, upper=iops.high),
        after_iops=outcome.after_iops,
        is_inside=outcome.is_inside,
        is_direction_right=outcome.is_direction_right,
    )
