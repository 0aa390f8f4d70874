"""Pages of the lists of objects."""

from gavel.api.schemas.answer import Answer, Page
from gavel.db.queries.unmatched import UnmatchedRecord, UnmatchedTotal


class UnmatchedPage(Page[Answer[UnmatchedRecord]]):
    """`counts`: totals of every kind, regardless of the filters."""

    counts: list[Answer[UnmatchedTotal]]
