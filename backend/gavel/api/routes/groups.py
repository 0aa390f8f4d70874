"""Groups of VMs by the value of a label: an application's, an owner's, or any other."""

from typing import Annotated

from fastapi import APIRouter, Query

from gavel.api.deps import AppDep, NowDep, ReaderOnly
from gavel.api.inputs import TEXT_PATTERN, Search
from gavel.api.ranges import Limit, OptionalRangeDep, window_of
from gavel.api.schemas.diagnoses import GroupsOut
from gavel.db.engine import reading
from gavel.db.queries.owners import label_meanings
from gavel.diagnosis.groups import GroupOrder, GroupsQuery, groups
from gavel.diagnosis.ranking_rows import Way
from gavel.domain.fields import fields_of
from gavel.domain.labels import LONGEST_NAME, Meaning

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
    with reading(app.engine) as connection:
        name = label.strip() or label_meanings(connection)[Meaning.APPLICATION]
        query = GroupsQuery(name, search.strip(), sort, order, limit, offset)
        found = groups(connection, query, *window_of(connection, window, at))
    return GroupsOut(**fields_of(found) | {"items": list(found.items), "limit": limit, "offset": offset})
