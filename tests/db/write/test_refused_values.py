"""Values that PostgreSQL cannot hold are an error of storage with words, not a crash."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, fields, is_dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text
from tests.db.environments import array_inventory, host_inventory

from gavel.db.engine import Role, open_engine, reading, transaction
from gavel.db.errors import DatabaseUnreachableError, UnavailableError, ValueRefusedError
from gavel.db.queries.sources import add_source
from gavel.db.write.inventory import store_inventory
from gavel.db.write.inventory_rows import rows_by_kind
from gavel.domain.inventory import Inventory, InventoryTaken
from gavel.domain.source import SourceKind
from gavel.domain.tasks import TaskKind, VmTask
from gavel.domain.text import LONGEST_TEXT, clean_text


@pytest.mark.parametrize("value", ["a\0b", "9" * 30])
def test_a_value_that_no_column_holds_is_a_storage_error_for_this_statement_only(postgres_url: str, value: str) -> None:
    engine = open_engine(postgres_url, Role.WORKER)
    statement = text("SELECT CAST(:value AS text)" if "\0" in value else "SELECT CAST(:value AS bigint)")
    with pytest.raises(ValueRefusedError, match="cannot hold a value") as caught, transaction(engine) as connection:
        connection.execute(statement, {"value": value})
    assert not isinstance(caught.value, UnavailableError)
    with reading(engine) as connection:
        assert connection.scalar(text("SELECT 1")) == 1
    engine.dispose()


def test_messages_of_an_embedded_database_do_not_show_its_folder(tmp_path: Path) -> None:
    """Readers see them: in health, and as the error of a source."""
    engine = open_engine(f"postgresql:///gavel?host={tmp_path}", Role.WORKER)
    with pytest.raises(DatabaseUnreachableError) as caught, transaction(engine):
        pass
    assert str(tmp_path) not in str(caught.value)
    assert "local socket/gavel" in str(caught.value)
    engine.dispose()


HOSTILE = "\0\x1b\u202e" + "x" * 10_000


def hostile(value: Any) -> Any:
    """The same with controls, a change of direction and 10 kB after every text; fields without a value get one."""
    if type(value) is str:
        return value + HOSTILE
    if isinstance(value, tuple):
        return tuple(map(hostile, value))
    if isinstance(value, Mapping):
        return {hostile(name): hostile(item) for name, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        given = {each.name: (getattr(value, each.name), str(each.type)) for each in fields(value)}
        return replace(
            value, **{n: HOSTILE if v is None and "str" in kind else hostile(v) for n, (v, kind) in given.items()}
        )
    return value


def texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, item in value.items():
            yield from (*texts(name), *texts(item))
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from texts(item)


def inventories() -> dict[SourceKind, Inventory]:
    hosts = host_inventory()
    task = VmTask("task-1", TaskKind.CLONE, hosts.vms[0].key, datetime(2026, 7, 1, tzinfo=UTC), None, "root")
    return {
        SourceKind.FLASHARRAY: replace(array_inventory(), file_addresses=("192.0.2.1",)),
        SourceKind.VCENTER: replace(hosts, tasks=(task,)),
    }


@pytest.mark.parametrize("kind", [SourceKind.FLASHARRAY, SourceKind.VCENTER])
def test_inventory_with_hostile_texts_in_every_field_is_stored_clean(postgres_url: str, kind: SourceKind) -> None:
    now = datetime(2026, 7, 1, tzinfo=UTC)
    taken = InventoryTaken(hostile(inventories()[kind]), now)
    assert all(clean_text(each) == each for each in texts(asdict(taken.inventory)))
    assert all(
        clean_text(each) == each for _, rows in rows_by_kind(taken.inventory) for row in rows for each in texts(row)
    )
    engine = open_engine(postgres_url, Role.WORKER)
    with transaction(engine) as connection:
        source = add_source(connection, kind=kind, name="a", address="192.0.2.1", settings={}, enabled=True, now=now)
        stored = store_inventory(connection, source, taken)
        sent = {table.table.name: len(list(rows)) for table, rows in rows_by_kind(taken.inventory)}
        assert {name: counts.added for name, counts in stored.tables.items() if name in sent} == sent
        # The same once more is nothing new: what is stored is what was compared.
        again = store_inventory(connection, source, InventoryTaken(taken.inventory, now))
        assert not any(counts.added or counts.changed or counts.vanished for counts in again.tables.values())
    bad = re.compile("[\x00-\x1f\u202e]")
    with reading(engine) as connection:
        for table in {*stored.tables, "source", "event"}:
            for row in connection.execute(text(f'SELECT * FROM "{table}"')):
                for each in texts(tuple(row)):
                    assert len(each) <= 2 * LONGEST_TEXT + 1
                    assert not bad.search(each)
    engine.dispose()
