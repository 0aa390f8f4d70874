"""What a ranking of the newest minutes is made from, as far as the store can tell at once."""

from dataclasses import dataclass

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.domain.scope import ENVIRONMENT_ID, ScopeKind, scope_key

# Minutes that are written, and written again: xmin is the newest transaction that wrote a row. The newest by number, not by the clock: that
# a minute grows too old is no news. Then inventories, and with minutes what was found about pods. The rest: names, meanings of labels, and
# baselines: an hour of the day of all of them is computed at once.
_STATE = """
    SELECT ROW((SELECT xmin::text FROM correlated),
               (SELECT array_agg(written ORDER BY minute)
                FROM (SELECT minute, xmin::text AS written FROM ledger_minute ORDER BY minute DESC LIMIT 120) newest),
               (SELECT array_agg(ARRAY[id::text, inventory_at::text, inventory_revision::text] ORDER BY id) FROM source),
               (SELECT array_agg(xmin::text ORDER BY xmin::text) FROM pod_mirroring))::text AS announced,
           ROW((SELECT array_agg(ARRAY[id::text, name, enabled::text] ORDER BY id) FROM source),
               (SELECT array_agg(xmin::text ORDER BY xmin::text) FROM label_meaning),
               (SELECT array_agg(computed_at::text ORDER BY hour) FROM expectation WHERE entity_id = :environment))::text AS rest
"""
_ENVIRONMENT = {"environment": scope_key(ScopeKind.ENVIRONMENT, ENVIRONMENT_ID)}


@dataclass(frozen=True, slots=True)
class RankingState:
    """Equal states mean equal rankings, but for what retention drops, and for causes by what is no minute: tasks, changed settings.

    announced: what `live.News` tell of when it changes.
    """

    announced: str
    rest: str


def ranking_state(connection: Connection) -> RankingState:
    return RankingState(**connection.execute(text(_STATE), _ENVIRONMENT).mappings().one())
