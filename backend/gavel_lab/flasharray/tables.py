"""What an endpoint has to say to a query: rows by position, all rows, and aggregated rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol

from gavel_lab.flasharray.shaping import Row, Shape, blank, cut

_LISTS = ("arrays", "failover_preferences", "members")


class Table(Protocol):
    """Rows in their default order. Rows may have more fields than the version shows until they are cut."""

    def __len__(self) -> int: ...

    def page(self, start: int, stop: int) -> list[Row]:
        """Rows start..stop-1, cut to the version."""
        ...

    def every(self) -> Iterator[Row]:
        """All rows, to be filtered or sorted."""
        ...

    def cut(self, rows: Sequence[Row]) -> list[Row]: ...

    def totals(self, rows: Sequence[Row] | None, start: int, stop: int) -> list[Row]:
        """Aggregated rows: of the given rows (after a filter), or of what page start..stop belongs to."""
        ...


class InventoryTable:
    """Rows that are simply there."""

    def __init__(self, rows: Sequence[Row], shape: Shape) -> None:
        self._rows = rows
        self._shape = shape

    def __len__(self) -> int:
        return len(self._rows)

    def page(self, start: int, stop: int) -> list[Row]:
        return self.cut(self._rows[start:stop])

    def every(self) -> Iterator[Row]:
        return iter(self._rows)

    def cut(self, rows: Sequence[Row]) -> list[Row]:
        return [cut(row, self._shape) for row in rows]

    def totals(self, rows: Sequence[Row] | None, start: int, stop: int) -> list[Row]:  # noqa: ARG002
        chosen = self._rows if rows is None else rows
        total = blank(self._shape, _LISTS)
        for name in ("provisioned", "footprint"):
            if name in total:
                total[name] = sum(row[name] for row in chosen)
        total["space"] = _space([row["space"] for row in chosen], total["space"])
        return [total]


def _space(spaces: Sequence[Mapping[str, Any]], shown: Mapping[str, None]) -> Row:
    """Sizes added up, ratios taken of the sums."""
    sums = {name: _sum([space[name] for space in spaces]) for name in shown}
    unique, virtual, provisioned = (sums.get(name) or 0 for name in ("unique", "virtual", "total_provisioned"))
    ratios = {
        "data_reduction": virtual / unique if unique else 1.0,
        "total_reduction": provisioned / unique if unique else 1.0,
        "thin_provisioning": 1 - virtual / provisioned if provisioned else 0.0,
    }
    return {**sums, **ratios}


def _sum(values: Sequence[Any]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None
