"""The small environment of one array and one vCenter, with serials of its own, and questions limited to it."""

import itertools
from dataclasses import replace
from datetime import UTC, datetime

from tests.db.conftest import Store
from tests.db.environments import array_inventory, host_inventory

from gavel.db.engine import reading
from gavel.db.queries.datastores import DatastoreRecord, datastores
from gavel.db.queries.object_filter import ObjectFilter
from gavel.db.queries.paging import ListQuery

NOW = datetime.now(UTC).replace(microsecond=0)
_tags = itertools.count(1)


class Environment:
    """The small environment with serials of its own, and questions limited to it."""

    def __init__(self, store: Store) -> None:
        self.store, self.tag = store, next(_tags)
        self.array = store.with_environment(array_inventory(f"array-{self.tag}", self.tag), NOW)
        # The vVol datastore names its array by key.
        hosts = host_inventory(f"vc-{self.tag}", self.tag)
        stores = tuple(
            replace(d, vvol_array_ids=(f"array-{self.tag}",) if d.vvol_container_id else ()) for d in hosts.datastores
        )
        self.vcenter = store.with_environment(replace(hosts, datastores=stores), NOW)

    def asking(self, **query: object) -> ListQuery:
        return ListQuery(filter=ObjectFilter(source_id=self.vcenter), **query)  # type: ignore[arg-type]

    def datastores(self) -> dict[str, DatastoreRecord]:
        with reading(self.store.engine) as connection:
            return {row.name: row for row in datastores(connection, self.asking(), NOW).items}

    def id(self, table: str, key: str) -> int:
        query = f"SELECT id FROM {table} WHERE source_id IN (:a, :v) AND key = :key"
        found = self.store.value(query, a=self.array, v=self.vcenter, key=key)
        assert isinstance(found, int)
        return found
