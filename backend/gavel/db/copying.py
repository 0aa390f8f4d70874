"""Arrays in and out of PostgreSQL in its binary form, with no Python object per row."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import psycopg
from sqlalchemy import Connection, Dialect, text

from gavel.db.errors import StorageError
from gavel.domain.samples import NOT_MEASURED, Int64Array

_HEADER = b"PGCOPY\n\xff\r\n\x00" + bytes(8)
_TRAILER = b"\xff\xff"
# PostgreSQL counts microseconds from here.
POSTGRES_EPOCH_US = int(np.datetime64("2000-01-01", "us").astype(np.int64))
_BYTES = {"integer": 4, "bigint": 8, "timestamptz": 8, "real": 4}
_NULL = -1

Numbers: TypeAlias = Int64Array | npt.NDArray[np.float32] | npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Field:
    """A column to copy: its name and SQL type ("integer", "bigint", "real", "timestamptz"; stamps come as µs since 1970)."""

    name: str
    sql_type: str

    @property
    def size(self) -> int:
        return _BYTES[self.sql_type]

    @property
    def layout(self) -> str:
        return f">{'f' if self.sql_type == 'real' else 'i'}{self.size}"

    def absent(self, values: Numbers) -> npt.NDArray[np.bool_]:
        """Where nothing was measured."""
        return np.isnan(values) if self.sql_type == "real" else values == NOT_MEASURED

    def fits(self, values: Int64Array) -> bool:
        """Whether every value is NOT_MEASURED or a number that the type holds."""
        return not len(values) or bool(values.min() >= NOT_MEASURED and (self.size == 8 or values.max() < 2**31))


def pack(fields: Sequence[Field], values: Mapping[str, Numbers]) -> bytes:
    """The whole COPY stream of n rows. NOT_MEASURED, or NaN in a `real`, becomes NULL, which has a length of -1 and no bytes."""
    first = values[fields[0].name]
    rows = np.zeros(len(first), dtype=_layout(fields))
    rows["fields"] = len(fields)
    absent = {field.name: field.absent(values[field.name]) for field in fields}
    for field in fields:
        column = values[field.name]
        rows[field.name] = column - POSTGRES_EPOCH_US if field.sql_type == "timestamptz" else column
        rows[f"{field.name} length"] = np.where(absent[field.name], _NULL, field.size)
    return _HEADER + _without_bytes_of_nulls(rows, absent) + _TRAILER


def _layout(fields: Sequence[Field]) -> np.dtype[np.void]:
    pairs = [pair for field in fields for pair in ((f"{field.name} length", ">i4"), (field.name, field.layout))]
    return np.dtype([("fields", ">i2"), *pairs])


def _without_bytes_of_nulls(rows: npt.NDArray[np.void], absent: Mapping[str, npt.NDArray[np.bool_]]) -> bytes:
    holed = [name for name, where in absent.items() if where.any()]
    if not holed:
        return rows.tobytes()
    # Every field has an even number of bytes: two at a time is twice as fast.
    pairs = rows.view(np.uint16).reshape(len(rows), rows.dtype.itemsize // 2)
    kept = np.ones(pairs.shape, dtype=np.bool_)
    for name in holed:
        field_type, offset = rows.dtype.fields[name][:2]  # type: ignore[index]
        kept[absent[name], offset // 2 : (offset + field_type.itemsize) // 2] = False
    return pairs[kept].tobytes()


def copy(connection: Connection, table: str, fields: Sequence[Field], packed: bytes) -> None:
    """Send a packed stream into `table`, within the connection's transaction."""
    with copying(connection, table, [field.name for field in fields], form="FORMAT BINARY") as stream:
        stream.write(packed)


@contextmanager
def copying(
    connection: Connection, table: str, columns: Sequence[str], *, form: str = "FORMAT TEXT"
) -> Iterator[psycopg.Copy]:
    """A COPY into `columns` of `table` that ends with the block, within the connection's transaction."""
    statement = f"COPY {table} ({', '.join(columns)}) FROM STDIN ({form})"
    driver = cast("psycopg.Connection", connection.connection.driver_connection)
    with driver.cursor() as cursor, cursor.copy(statement.encode()) as stream:
        yield stream


# "us" is a timestamptz, as µs since 1970; the others are what NumPy calls them.
ColumnType: TypeAlias = Literal["i4", "i8", "f4", "f8", "us"]

_SQL_TYPES: Mapping[ColumnType, str] = {
    "i4": "integer",
    "i8": "bigint",
    "f4": "real",
    "f8": "double precision",
    "us": "timestamptz",
}
_STANDS_FOR_NULL: Mapping[ColumnType, str] = {"i4": "-1", "i8": "-1", "f4": "'NaN'", "f8": "'NaN'"}
# Dimensions, whether there are NULLs, type of an element, length, first index: 4 bytes each. An empty array has no dimension.
_ARRAY_HEADER = 20


def fetch(
    connection: Connection, sql: str, parameters: Mapping[str, Any], columns: Mapping[str, ColumnType]
) -> dict[str, npt.NDArray[Any]]:
    """The columns of `sql` that are named, each (n,), in the query's order; `:name` is a parameter, a list is an array.

    NULL is NaN, or -1 among integers. StorageError for a NULL among timestamps.
    """
    driver = cast("psycopg.Connection", connection.connection.driver_connection)
    statement = _statement(connection.dialect, sql, tuple(columns.items()))
    with driver.cursor(binary=True) as cursor:
        cursor.execute(statement, parameters)
        result = cursor.pgresult
        if result is None:
            raise StorageError(f"no answer to: {sql}")
        values = [result.get_value(0, number) for number in range(len(columns))]
    return {name: _column(name, columns[name], value) for name, value in zip(columns, values, strict=True)}


def int_array(numbers: Sequence[int]) -> str:
    """A parameter for CAST(… AS int[]): five times as fast for thousands as a list, which is dumped number by number."""
    return f"{{{','.join(map(str, numbers))}}}"


@lru_cache(maxsize=64)
def _statement(dialect: Dialect, sql: str, columns: tuple[tuple[str, ColumnType], ...]) -> bytes:
    arrays = ", ".join(f"array_agg({_element(name, kind)})" for name, kind in columns)
    return str(text(f"SELECT {arrays} FROM ({sql}) AS q").compile(dialect=dialect)).encode()


def _element(name: str, kind: ColumnType) -> str:
    cast_to = f"CAST({name} AS {_SQL_TYPES[kind]})"
    return f"coalesce({cast_to}, {_STANDS_FOR_NULL[kind]})" if kind in _STANDS_FOR_NULL else cast_to


def _column(name: str, kind: ColumnType, value: bytes | None) -> npt.NDArray[Any]:
    """One array as PostgreSQL sends it: a header, then length and bytes of each element."""
    number = "i8" if kind == "us" else kind
    if value is None:
        return np.empty(0, dtype=number)
    if value[4:8] != bytes(4):
        raise StorageError(f"column {name}: a timestamp is NULL where every row has to have one")
    elements = np.frombuffer(value, dtype=[("length", ">i4"), ("value", f">{number}")], offset=_ARRAY_HEADER)["value"]
    native = elements.astype(number)
    return native + POSTGRES_EPOCH_US if kind == "us" else native
