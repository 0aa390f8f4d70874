"""What-if: an object's queue as it is, what settings would do to it, and documented cases."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, HTTPException, Query

from gavel.api.convert_whatif import backtest_out, what_if_out
from gavel.api.deps import AppDep, AppState, NowDep, ReaderOnly
from gavel.api.inputs import INT32_MAX
from gavel.api.problems import refuses
from gavel.api.ranges import OptionalRangeDep
from gavel.api.schemas.answer import Answer
from gavel.api.schemas.whatif import BacktestOut, ScenarioIn, TypedIn, WhatIfIn, WhatIfKind, WhatIfOut, WhatIfSubjectIn
from gavel.db.engine import reading
from gavel.db.queries.refs import RefKind
from gavel.views import whatif
from gavel.views.backtest import backtest
from gavel.views.whatif_examples import EXAMPLES, WhatIfExample
from gavel.views.whatif_load import load_start

router = APIRouter(tags=["what-if"], dependencies=[ReaderOnly])


@router.get("/whatif", responses=refuses(404))
def start_what_if(
    app: AppDep,
    at: NowDep,
    window: OptionalRangeDep,
    subject: Annotated[WhatIfKind, Query(description="kind of the object")],
    object_id: Annotated[int, Query(ge=1, le=INT32_MAX)],
    device_id: Annotated[int | None, Query(ge=1, le=INT32_MAX, description="the queue; default: with most I/O")] = None,
) -> WhatIfOut:
    """A workload with its settings as they are: where a scenario starts. Default: the newest 10 analyzed minutes."""
    asked = WhatIfSubjectIn(kind=subject, id=object_id, device_id=device_id, from_at=window.from_at, to_at=window.to_at)
    return _of_object(app, asked, ScenarioIn(), at)


@router.post("/whatif", responses=refuses(404))
def try_what_if(body: WhatIfIn, app: AppDep, at: NowDep) -> WhatIfOut:
    """What settings would do to a workload. Changes nothing."""
    if body.subject is not None and body.typed is None:
        return _of_object(app, body.subject, body.scenario, at)
    if body.typed is not None and body.subject is None:
        return _typed(body.typed, body.scenario)
    raise HTTPException(422, "Give either subject, an object of the inventory, or typed, a workload in numbers.")


@router.get("/whatif/examples")
def list_what_if_examples() -> list[Answer[WhatIfExample]]:
    """Published cases to try: what to send, and what was seen."""
    return list(EXAMPLES)


@router.get("/whatif/backtest", responses=refuses(404))
def backtest_what_ifs(
    app: AppDep,
    at: NowDep,
    subject: Annotated[WhatIfKind | None, Query(description="kind of the object; default: every object")] = None,
    object_id: Annotated[int | None, Query(ge=1, le=INT32_MAX)] = None,
) -> BacktestOut:
    """Past changes of settings: what a what-if predicts from the ten minutes before each, and what was measured in the ten after it."""
    if (subject is None) != (object_id is None):
        raise HTTPException(422, "Give subject and object_id, or neither.")
    one = None if subject is None or object_id is None else (RefKind(subject), object_id)
    with app.rankings.reading(app.engine) as connection:
        return backtest_out(backtest(connection, at, one))


def _of_object(app: AppState, asked: WhatIfSubjectIn, scenario: ScenarioIn, at: datetime) -> WhatIfOut:
    if (asked.from_at is None) != (asked.to_at is None):
        raise HTTPException(422, "A range has a start and an end: give from_at and to_at, or neither.")
    window = None if asked.from_at is None or asked.to_at is None else (asked.from_at, asked.to_at)
    if window is not None and window[0] >= window[1]:
        raise HTTPException(422, "The range is empty: from_at is not before to_at.")
    with reading(app.engine) as connection:
        start, queues = load_start(connection, RefKind(asked.kind), asked.id, asked.device_id, window, at)
    return what_if_out(whatif.of_start(start, whatif.Scenario(**scenario.model_dump())), start, queues)


def _typed(typed: TypedIn, scenario: ScenarioIn) -> WhatIfOut:
    tried = whatif.Scenario(**scenario.model_dump())
    return what_if_out(whatif.of_numbers(typed.load.model_dump(), typed.settings.model_dump(), tried), None, ())
