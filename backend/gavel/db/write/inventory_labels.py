"""Storing the labels of an inventory's objects: what is attached now begins, what is not any more ends."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Table, text

from gavel.db import copying
from gavel.db.schema import array_side, host_side
from gavel.db.write.inventory_sync import Counts, Taking, ids_by_key
from gavel.domain.inventory import ArrayInventory, Inventory
from gavel.domain.labels import Label, LabelKind

_COLUMNS = ("subject_table", "subject_id", "kind", "name", "value")
_SAME = " AND ".join(f"l.{column} = s.{column}" for column in _COLUMNS)
_END = f"""
    UPDATE label l SET valid_to = :at WHERE l.source_id = :source_id AND l.valid_to IS NULL AND l.kind <> ALL(:kept)
    AND NOT EXISTS (SELECT FROM staged_label s WHERE {_SAME})
"""
_BEGIN = f"""
    INSERT INTO label (source_id, {", ".join(_COLUMNS)}, valid_from) SELECT :source_id, {", ".join(_COLUMNS)}, :at
    FROM staged_label s WHERE NOT EXISTS (SELECT FROM label l WHERE l.valid_to IS NULL AND {_SAME})
    ORDER BY {", ".join(_COLUMNS)}
"""


def store_labels(connection: Connection, taking: Taking, inventory: Inventory) -> Counts:
    """Makes the labels that are valid now equal to the inventory's; kinds that were not all read (`kept_labels`) lose none."""
    kept: frozenset[LabelKind] = frozenset() if isinstance(inventory, ArrayInventory) else inventory.kept_labels
    _stage(connection, sorted(_rows(connection, taking.source_id, inventory)))
    parameters = taking.parameters | {"kept": [kind.value for kind in kept]}
    ended = connection.execute(text(_END), parameters).rowcount
    begun = connection.execute(text(_BEGIN), parameters).rowcount
    return Counts(added=begun, vanished=ended)


def _labeled(inventory: Inventory) -> Mapping[Table, Sequence[Any]]:
    """By table, the things that can have labels."""
    if isinstance(inventory, ArrayInventory):
        return {array_side.volume: inventory.volumes}
    return {
        host_side.vm: inventory.vms,
        host_side.datastore: inventory.datastores,
        host_side.esxi_host: inventory.hosts,
        host_side.cluster: inventory.clusters,
    }


def _rows(connection: Connection, source_id: int, inventory: Inventory) -> Iterator[tuple[str, int, str, str, str]]:
    for table, things in _labeled(inventory).items():
        having = {thing.key: thing.labels for thing in things if thing.labels}
        if not having:
            continue
        ids = ids_by_key(connection, source_id, table)
        for key, labels in having.items():
            yield from _of_subject(table.name, ids.get(key), labels)


def _of_subject(
    table: str, subject_id: int | None, labels: Sequence[Label]
) -> Iterator[tuple[str, int, str, str, str]]:
    if subject_id is not None:
        for label in labels:
            yield table, subject_id, label.kind.value, label.name, label.value


def _stage(connection: Connection, rows: Sequence[tuple[str, int, str, str, str]]) -> None:
    """COPY the rows into the temporary table `staged_label`, which is empty again after the transaction."""
    connection.exec_driver_sql(
        "CREATE TEMP TABLE IF NOT EXISTS staged_label (subject_table text, subject_id integer, kind text, name text, value text)"
        " ON COMMIT DELETE ROWS"
    )
    connection.exec_driver_sql("TRUNCATE staged_label")
    with copying.copying(connection, "staged_label", _COLUMNS) as stream:
        for row in rows:
            stream.write_row(row)
    connection.exec_driver_sql("ANALYZE staged_label")
