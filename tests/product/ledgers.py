"""The ledger of a living product: whether it has every minute, and whether writing minutes again finds the same."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any, Protocol

import psycopg
from tests.product.running import Product

from gavel.db.schema.work import OF_CORRELATION
from gavel.db.series import packed
from gavel.db.series.catalog import LEDGER, LEDGER_LEAVES
from gavel.domain.scope import ScopeKind, scope_key

_SERIES = (LEDGER_LEAVES, LEDGER)
_AFTER, _UNTIL = "to_timestamp(%(after)s)", "to_timestamp(%(until)s)"
# From the end of the newest minute to one whose next samples, too, have come: however busy the machine, and once all is known to be read.
_SETTLING_S, CAUGHT_UP_S = 300, 200
# The newest minute is changed by every sample that comes; minutes that tests compare end before it.
_NEWEST_S = 60
# Minutes of the last two are not owed yet: they wait for what has a say in them (gavel.correlate.run.GRACE).
OWED_MINUTES = "FROM dirty_minute WHERE NOT is_late OR minute < date_trunc('minute', to_timestamp(%(now)s) - interval '120 seconds')"
_OWED = f"""
    SELECT extract(epoch FROM to_timestamp(%(now)s) - c.until_at)::float8, (SELECT count(*) {OWED_MINUTES}) + (
        SELECT count(*) FROM dirty_window w WHERE w.kind = ANY(%(kinds)s) AND w.lo < c.until_at - %(newest)s * interval '1 second'
    ) FROM (VALUES (1)) once LEFT JOIN correlated c ON true
"""
_RECALCULATED = "SELECT extract(epoch FROM minute)::float8 FROM recalculated_minute WHERE recalculated_at >= to_timestamp(%(since)s)"
Key = tuple[int, float]


class Asked(Protocol):
    """Whatever answers queries of the database: a product, or a held hour."""

    def ask(self, query: str, **values: object) -> list[tuple[Any, ...]]: ...


Ledger = dict[Key, dict[str, Any]]


def keys_of(kind: ScopeKind) -> dict[str, int]:
    """Limits of a kind's keys."""
    low = scope_key(kind, 0)
    return {"low": low, "high": low + 2**27}


def settled(product: Product) -> None:
    """Until nothing is owed to the ledger: every minute that both sides passed is written, and none is to be written again, be it that a
    change to its samples is noted only."""
    product.wait_for(lambda: _is_settled(product), "every minute to be attributed", 300)


def _is_settled(product: Product) -> bool:
    try:
        behind, owed = product.ask(
            _OWED, kinds=[str(kind) for kind in OF_CORRELATION], newest=_NEWEST_S, now=product.now()
        )[0]
    except psycopg.OperationalError:  # killed, and not back yet
        return False
    return behind is not None and behind < 180 and owed == 0


def minutes(product: Asked, kind: ScopeKind, after: float, until: float) -> dict[int, set[float]]:
    """Starts of the minutes in [after, until) that each thing of a kind has a row for."""
    found: dict[int, set[float]] = {}
    for series in _SERIES:
        kept = packed.rows(series, (), of="entity_id >= %(low)s AND entity_id < %(high)s", lo=_AFTER, hi=_UNTIL)
        rows = product.ask(
            f"SELECT entity_id - %(low)s, extract(epoch FROM ts)::float8 FROM {kept} m WHERE ts < {_UNTIL}",
            **keys_of(kind), after=after, until=until,
        )  # fmt: skip
        for thing, minute in rows:
            found.setdefault(thing, set()).add(minute)
    return found


def everything(product: Product, after: float, until: float) -> Ledger:
    """Every row of the ledger with stamps in [after, until), every column by its name."""
    rows: Ledger = {}
    for series in _SERIES:
        names = sorted(packed.columns(series))
        kept = packed.rows(series, names, of="true", lo=_AFTER, hi=_UNTIL)
        query = (
            f"SELECT entity_id, extract(epoch FROM ts)::float8, {', '.join(names)} FROM {kept} m WHERE ts < {_UNTIL}"
        )
        for thing, minute, *numbers in product.ask(query, after=after, until=until):
            rows[thing, minute] = dict(zip(names, numbers, strict=True))
    return rows


def write_again(product: Product, after: float, until: float) -> int:
    """Have every minute in [after, until), both on minutes, attributed anew; how many that were."""
    with product.database() as connection:
        return connection.execute(
            "INSERT INTO dirty_minute SELECT generate_series(to_timestamp(%(after)s), to_timestamp(%(until)s - 60), interval '1 minute')"
            " ON CONFLICT DO NOTHING",
            {"after": after, "until": until},
        ).rowcount


def changed_by_writing_again(product: Product, after: float, until: float) -> list[str]:
    """What every minute of [after, until) says otherwise when it is attributed once more, undisturbed.

    On a busy machine a sample may come late even now: a minute that Gavel recalculated for one meanwhile says something else rightly.
    """
    settled(product)
    since = product.now()
    before = everything(product, after, until)
    write_again(product, after, until)
    settled(product)
    again = everything(product, after, until)
    late = {minute for (minute,) in product.ask(_RECALCULATED, since=since)}
    if {minute for _, minute in before} <= late:
        return [f"nothing to compare: samples of all {len(late)} minutes came late"]
    return differences(*({key: row for key, row in rows.items() if key[1] not in late} for rows in (before, again)))


def differences(before: Ledger, after: Ledger) -> list[str]:
    """What is not the same in both, as sentences, at most ten, and of how many rows of which minutes."""
    found = [f"only before: {key}" for key in before.keys() - after.keys()]
    found += [f"only after: {key}" for key in after.keys() - before.keys()]
    unlike = {key: list(_unlike(before[key], after[key])) for key in before.keys() & after.keys()}
    changed = sorted((key for key, values in unlike.items() if values), key=lambda key: (key[1], key[0]))
    found += [f"{key} {name}: {one} → {two}" for key in changed for name, one, two in unlike[key]]
    rows = Counter(minute for _, minute in changed)
    return [*found[:10], f"rows by minute: {dict(rows)}"] if found else []


def _unlike(before: dict[str, Any], after: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Values that differ by more than the order of their addition may: by a part, or by less than a millionth of a µs where they are 0."""
    for name in sorted(before.keys() | after.keys()):
        one, two = before.get(name), after.get(name)
        if one != two and not (
            isinstance(one, int | float)
            and isinstance(two, int | float)
            and math.isclose(one, two, rel_tol=1e-5, abs_tol=1e-6)
        ):
            yield name, one, two


def whole_minutes(product: Product, back_s: float, settling_s: float = _SETTLING_S) -> tuple[float, float]:
    """From `back_s` ago to a minute that lies `settling_s` before the newest, both on minutes."""
    until = product.ask("SELECT extract(epoch FROM until_at)::float8 FROM correlated")[0][0]
    return math.ceil((product.now() - back_s) / 60) * 60.0, float(until) - settling_s
