"""Labels: which there are, their values, and which of them means an owner and an application."""

from typing import Annotated

from fastapi import APIRouter, Query

from gavel.api.deps import AdminOnly, AppDep, ReaderOnly
from gavel.api.inputs import TEXT_PATTERN, Search
from gavel.api.schemas.answer import Answer
from gavel.api.schemas.labels import LabelMeaningsIn, LabelMeaningsOut
from gavel.db.engine import Connection, reading, transaction
from gavel.db.queries.labels import LabelName, LabelValue, label_names, label_values
from gavel.db.queries.owners import label_meanings
from gavel.db.write.labels import set_label_meaning
from gavel.domain.labels import LONGEST_NAME, Meaning

router = APIRouter(prefix="/labels", tags=["environment"], dependencies=[ReaderOnly])


@router.get("")
def list_labels(app: AppDep) -> list[Answer[LabelName]]:
    """The names of custom attributes and tags, the most used first."""
    with reading(app.engine) as connection:
        return list(label_names(connection))


@router.get("/values")
def list_label_values(
    app: AppDep,
    name: Annotated[str, Query(min_length=1, max_length=LONGEST_NAME, pattern=TEXT_PATTERN)],
    search: Search = "",
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> list[Answer[LabelValue]]:
    """The values of one name, the most used first."""
    with reading(app.engine) as connection:
        found = label_values(connection, name, search.strip(), limit=limit)
    return list(found)


@router.get("/meanings")
def label_meanings_now(app: AppDep) -> LabelMeaningsOut:
    """Which labels mean an owner and an application."""
    with reading(app.engine) as connection:
        return _meanings(connection)


@router.put("/meanings", dependencies=[AdminOnly])
def set_label_meanings(app: AppDep, wanted: LabelMeaningsIn) -> LabelMeaningsOut:
    """Choose which labels mean an owner and an application."""
    chosen = {Meaning.OWNER: wanted.owner, Meaning.APPLICATION: wanted.application}
    with transaction(app.engine) as connection:
        for meaning, name in chosen.items():
            if name is not None:
                set_label_meaning(connection, meaning, name)
        return _meanings(connection)


def _meanings(connection: Connection) -> LabelMeaningsOut:
    found = label_meanings(connection)
    return LabelMeaningsOut(owner=found[Meaning.OWNER], application=found[Meaning.APPLICATION])
