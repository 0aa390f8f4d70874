"""What the filters of lists can be set to."""

from typing import Annotated

from fastapi import APIRouter, Query

from gavel.api.deps import AppDep, ReaderOnly
from gavel.api.inputs import TEXT_PATTERN
from gavel.api.routes.diagnoses import ScopePath
from gavel.api.schemas.answer import Answer
from gavel.db.engine import reading
from gavel.db.queries.filter_values import FilterValues, OfferedFilter, filter_values
from gavel.domain.labels import LONGEST_NAME, LONGEST_VALUE

router = APIRouter(prefix="/filters", tags=["environment"], dependencies=[ReaderOnly])


@router.get("/{name}")
def list_filter_values(
    app: AppDep,
    name: OfferedFilter,
    kind: ScopePath = ScopePath.VMS,
    search: Annotated[
        str,
        Query(
            max_length=LONGEST_NAME + LONGEST_VALUE + 1,
            pattern=TEXT_PATTERN,
            description="a part of the value; of a label also name=part",
        ),
    ] = "",
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> Answer[FilterValues]:
    """Values of one filter of a list with the number of objects that have each, the most used first."""
    with reading(app.engine) as connection:
        return filter_values(connection, kind.ref, name, search, limit=limit)
