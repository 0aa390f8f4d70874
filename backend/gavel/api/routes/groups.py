"""Groups of VMs by the value of a label: an application's, an owner's, or any other."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Query, Response

from gavel.api.deps import AppDep, NowDep, ReaderOnly
from gavel.api.inputs import TEXT_PATTERN, Search
from gavel.api.ranges import Limit, OptionalRangeDep, RangeDep, window_of
from gavel.api.routes.diagnoses import Step, bucket_width
from gavel.api.schemas.answer import Answer
from gavel.api.schemas.diagnoses import GroupsOut
from gavel.db.queries.owners import label_meanings
from gavel.diagnosis.groups import GroupOrder, GroupsQuery, groups
from gavel.diagnosis.ranking_rows import Way
from gavel.domain.fields import fields_of
from gavel.domain.labels import LONGEST_NAME, LONGEST_VALUE, Meaning
from gavel.views.group_latency import GroupLatency, group_latency

router = APIRouter(prefix="/groups", tags=["diagnoses"], dependencies=[ReaderOnly])


@router.get("")
def list_groups(
    app: AppDep,
    at: NowDep,
    window: OptionalRangeDep,
    label: Annotated[
        str,
        Query(
            max_length=LONGEST_NAME, pattern=TEXT_PATTERN, description="its name; default: what means an application"
        ),
    ] = "",
    search: Search = "",
    sort: GroupOrder = "excess_outstanding",
    order: Annotated[Way, Query()] = "desc",
    limit: Limit = 100,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
) -> GroupsOut:
    """VMs by the value of one label, ranked. Without a range: over the last five analyzed minutes."""
    with app.rankings.list_reading(app.engine) as connection:
        name = label.strip() or label_meanings(connection)[Meaning.APPLICATION]
        query = GroupsQuery(name, search.strip(), sort, order, limit, offset)
        found = groups(connection, query, *window_of(connection, window, at))
    return GroupsOut(**fields_of(found) | {"items": list(found.items), "limit": limit, "offset": offset})


@router.get("/latency", response_model=Answer[GroupLatency])
def latency_of_group(
    app: AppDep,
    window: RangeDep,
    label: Annotated[str, Query(min_length=1, max_length=LONGEST_NAME, pattern=TEXT_PATTERN, description="its name")],
    value: Annotated[
        str,
        Query(
            min_length=1,
            max_length=LONGEST_VALUE,
            pattern=TEXT_PATTERN,
            description="name and value without regard to case",
        ),
    ],
    step: Step = None,
) -> Response:
    """VMs with one value of a label together over time: outstanding I/O and latency by layer, columnar.

    Buckets are as wide as the range and the number of VMs ask for; 422 where even hours are too many to add up. Without such a VM:
    `members` 0, and no minutes.
    """
    with app.rankings.reading(app.engine) as connection:
        found = group_latency(
            connection, label.strip(), value.strip(), window.from_at, window.to_at, bucket_width(step)
        )
    return Response(msgspec.json.encode(found), media_type="application/json")
