"""The ledger of a living product: whether it has every minute, and whether writing minutes again finds the same."""

import math
import time
from typing import Any

from tests.product.running import Product

from gavel.domain.scope import ScopeKind, scope_key

_COLUMNS = (
    "read_ops", "write_ops", "read_kernel_time", "write_san_time", "all_kernel_time", "all_kernel_lower", "all_kernel_upper",
    "all_san_time", "all_array_time", "array_ops", "device_ops", "outstanding_s", "reasons", "grade_reasons",
)  # fmt: skip
Key = tuple[int, float]


def keys_of(kind: ScopeKind) -> dict[str, int]:
    """Limits of a kind's keys."""
    low = scope_key(kind, 0)
    return {"low": low, "high": low + 2**27}


def settled(product: Product) -> None:
    """Until nothing is owed to the ledger: every minute that both sides passed is written, and none is to be written again."""
    product.wait_for(lambda: _is_settled(product), "every minute to be attributed", 300)


def _is_settled(product: Product) -> bool:
    behind, dirty = product.ask(
        "SELECT extract(epoch FROM now() - (SELECT until_at FROM correlated))::float8, (SELECT count(*) FROM dirty_minute)"
    )[0]
    return behind is not None and behind < 180 and dirty == 0


def minutes(product: Product, kind: ScopeKind, after: float, until: float) -> dict[int, set[float]]:
    """Starts of the minutes in [after, until) that each thing of a kind has a row for."""
    found: dict[int, set[float]] = {}
    for table in ("ledger_leaf_1m", "ledger_1m"):
        rows = product.ask(
            f"SELECT entity_id - %(low)s, extract(epoch FROM ts)::float8 FROM {table} WHERE entity_id >= %(low)s AND entity_id < %(high)s"
            " AND ts >= to_timestamp(%(after)s) AND ts < to_timestamp(%(until)s)",
            **keys_of(kind), after=after, until=until,
        )  # fmt: skip
        for thing, minute in rows:
            found.setdefault(thing, set()).add(minute)
    return found


def everything(product: Product, after: float, until: float) -> dict[Key, tuple[Any, ...]]:
    """Every row of the ledger with stamps in [after, until)."""
    rows: dict[Key, tuple[Any, ...]] = {}
    for table in ("ledger_leaf_1m", "ledger_1m"):
        query = (
            f"SELECT entity_id, extract(epoch FROM ts)::float8, {', '.join(_COLUMNS)} FROM {table}"
            " WHERE ts >= to_timestamp(%(after)s) AND ts < to_timestamp(%(until)s)"
        )
        for thing, minute, *numbers in product.ask(query, after=after, until=until):
            rows[thing, minute] = tuple(numbers)
    return rows


def write_again(product: Product, after: float, until: float) -> int:
    """Have every minute in [after, until) attributed anew; how many that were."""
    with product.database() as connection:
        return connection.execute(
            "INSERT INTO dirty_minute SELECT DISTINCT ts FROM ledger_1m WHERE ts >= to_timestamp(%(after)s)"
            " AND ts < to_timestamp(%(until)s) ON CONFLICT DO NOTHING",
            {"after": after, "until": until},
        ).rowcount


def differences(before: dict[Key, tuple[Any, ...]], after: dict[Key, tuple[Any, ...]]) -> list[str]:
    """What is not the same in both, as sentences, at most ten."""
    found = [f"only before: {key}" for key in before.keys() - after.keys()]
    found += [f"only after: {key}" for key in after.keys() - before.keys()]
    for key in sorted(before.keys() & after.keys(), key=lambda key: (key[1], key[0])):
        for name, one, two in zip(_COLUMNS, before[key], after[key], strict=True):
            if one != two and not (one is not None and two is not None and math.isclose(one, two, rel_tol=1e-5)):
                found.append(f"{key} {name}: {one} → {two}")
    return found[:10]


def whole_minutes(product: Product, back_s: float) -> tuple[float, float]:
    """From `back_s` ago to a minute whose next samples, too, have come however busy the machine, both on minutes."""
    until = product.ask("SELECT extract(epoch FROM until_at)::float8 FROM correlated")[0][0]
    return math.ceil((time.time() - back_s) / 60) * 60.0, float(until) - 300
