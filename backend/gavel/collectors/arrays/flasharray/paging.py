"""How much one list of a FlashArray may be, and whether its pages get on. Pure."""

from collections.abc import Hashable, Iterable

import msgspec

from gavel.domain.errors import ProtocolError

PAGE_LIMIT = 1000
# 20,000 volumes over the longest window that is asked for come to 800 pages.
MOST_PAGES = 1000
# An array that ignores the limit is put up with up to here.
MOST_ITEMS_OF_A_PAGE = 10 * PAGE_LIMIT
# Larger than any list of any array by far; what is beyond would only fill memory.
MOST_ITEMS = 300_000
MOST_SAMPLES = 1_200_000
MOST_BYTES = 96 * 1024 * 1024


class ListProgress:
    """Watches the pages of one list. Raises ProtocolError once they repeat more than they bring, or bring more than any array has."""

    def __init__(self, what: str, *, most: int = MOST_ITEMS) -> None:
        self._what = what
        self._most = most
        self._distinct: set[Hashable] = set()
        self._repeated = 0
        self._bytes = 0

    def add(self, identities: Iterable[Hashable]) -> list[bool]:
        """For each identity of a page, whether it is new.

        Rows that come again are usual to a point: by offset, a list that grows meanwhile is shifted, by as many rows as were read at most.
        """
        distinct, page = self._distinct, list(identities)
        own = set(page)
        if len(own) == len(page) and distinct.isdisjoint(own):
            new = [True] * len(page)
            distinct |= own
        else:
            new = [self._is_new(identity) for identity in page]
        self._repeated += len(new) - sum(new)
        if self._repeated > len(distinct) + PAGE_LIMIT:
            raise ProtocolError(
                f"{self._what}: the pages repeat themselves ({self._repeated:,} items again, {len(distinct):,} new); "
                "its list has no end."
            )
        if len(distinct) > self._most:
            raise ProtocolError(f"{self._what}: more than {self._most:,} items, which no array has; given up.")
        return new

    def _is_new(self, identity: Hashable) -> bool:
        known = identity in self._distinct
        self._distinct.add(identity)
        return not known

    def add_items(self, page: list[msgspec.Raw]) -> None:
        """As `add`, for items that are kept as they came: an equal item is the same."""
        self.add(hash(bytes(item)) for item in page)
        self._bytes += sum(len(memoryview(item)) for item in page)
        if self._bytes > MOST_BYTES:
            raise ProtocolError(
                f"{self._what}: a list of more than {MOST_BYTES >> 20} MiB, which no array has; given up."
            )
