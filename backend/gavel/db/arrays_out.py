"""Results of a query as NumPy columns: the server gathers each column into one array, so there is no Python object per row or value."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeAlias, cast

import numpy as np
import numpy.typing as npt
import psycopg
from sqlalchemy import Connection, Dialect, text

from gavel.db.copying import POSTGRES_EPOCH_US
from gavel.db.errors import StorageError

# "us" is a timestamptz, as µs since 1970; the others are what NumPy calls them.
ColumnType: TypeAlias = Literal["i4", "i8", "f4", "f8", "us"]

_SQL_TYPES: Mapping[ColumnType, str] = {
    "i4": "integer",
    "i8": "bigint",
    "f4": "real",
    "f8": "double precision",
    "us": "timestamptz",
}
_NULL: Mapping[ColumnType, str] = {"i4": "-1", "i8": "-1", "f4": "'NaN'", "f8": "'NaN'"}
# Dimensions, whether there are NULLs, type of an element, length, first index: 4 bytes each. An empty array has no dimension.
_HEADER = 20


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
    return f"coalesce({cast_to}, {_NULL[kind]})" if kind in _NULL else cast_to


def _column(name: str, kind: ColumnType, value: bytes | None) -> npt.NDArray[Any]:
    """One array as PostgreSQL sends it: a header, then length and bytes of each element."""
    number = "i8" if kind == "us" else kind
    if value is None:
        return np.empty(0, dtype=number)
    if value[4:8] != bytes(4):
        raise StorageError(f"column {name}: a timestamp is NULL where every row has to have one")
    elements = np.frombuffer(value, dtype=[("length", ">i4"), ("value", f">{number}")], offset=_HEADER)["value"]
    native = elements.astype(number)
    return native + POSTGRES_EPOCH_US if kind == "us" else native
