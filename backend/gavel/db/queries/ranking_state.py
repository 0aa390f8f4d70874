"""What a ranking of the newest minutes is made from, as far as the store can tell at once."""

from typing import Any

from sqlalchemy import text

from gavel.db.engine import Connection

# Minutes that are written again (xmin: the newest transaction that wrote a row), inventories, meanings of labels, and what was found about
# counters and pods since.
_STATE = text("""
    SELECT (SELECT xmin::text FROM correlated),
           (SELECT array_agg(xmin::text ORDER BY minute) FROM ledger_minute WHERE minute > now() - interval '2 hours'),
           (SELECT array_agg(ARRAY[id::text, name, enabled::text, inventory_at::text, inventory_revision::text] ORDER BY id) FROM source),
           (SELECT array_agg(xmin::text ORDER BY xmin::text) FROM label_meaning),
           (SELECT array_agg(xmin::text ORDER BY xmin::text) FROM pod_mirroring)
""")


def ranking_state(connection: Connection) -> tuple[Any, ...]:
    """Equal states mean equal rankings, but for baselines and what is dropped by retention."""
    return tuple(str(part) for part in connection.execute(_STATE).one())
