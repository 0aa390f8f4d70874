"""Columns straight from the server: the same values, in the same order, whatever they are."""

from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.db.conftest import Store

from gavel.db.copying import fetch
from gavel.db.engine import reading
from gavel.db.errors import StorageError

FEW = settings(max_examples=40)
BIG = st.integers(-(2**63) + 1, 2**63 - 1)
REAL = st.floats(width=32, allow_nan=False)


def test_every_type_comes_back_as_it_is_in_the_order_of_the_query(store: Store) -> None:
    @FEW
    @given(st.lists(st.tuples(BIG, st.integers(-(2**31), 2**31 - 1), REAL, st.floats(allow_nan=False))))
    def law(rows: list[tuple[int, int, float, float]]) -> None:
        query = """
            SELECT i AS big, j AS small, x AS fine, y AS double FROM unnest(
                CAST(:big AS bigint[]), CAST(:small AS int[]), CAST(:fine AS real[]), CAST(:double AS float8[])
            ) WITH ORDINALITY AS u (i, j, x, y, n) ORDER BY n DESC
        """
        names = ("big", "small", "fine", "double")
        parameters = {name: [row[number] for row in rows] for number, name in enumerate(names)}
        with reading(store.engine) as connection:
            found = fetch(connection, query, parameters, dict(zip(names, ("i8", "i4", "f4", "f8"), strict=True)))
        assert {name: column.dtype.str[1:] for name, column in found.items()} == dict(
            zip(names, ("i8", "i4", "f4", "f8"), strict=True)
        )
        assert {name: column.tolist() for name, column in found.items()} == {
            name: values[::-1] for name, values in parameters.items()
        }

    law()


def test_null_is_nan_or_minus_one(store: Store) -> None:
    query = "SELECT NULL AS a, NULL::bigint AS b, NULL::real AS c, NULL::numeric AS d UNION ALL SELECT '7', 7, 7, 7"
    with reading(store.engine) as connection:
        found = fetch(connection, query, {}, {"a": "i4", "b": "i8", "c": "f4", "d": "f8"})
    assert {name: column.tolist()[1] for name, column in found.items()} == {"a": 7, "b": 7, "c": 7.0, "d": 7.0}
    assert (found["a"][0], found["b"][0]) == (-1, -1)
    assert np.isnan([found["c"][0], found["d"][0]]).all()


def test_stamps_are_microseconds_since_1970(store: Store) -> None:
    stamps = [datetime(1999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC), datetime(2026, 11, 21, 12, tzinfo=UTC)]
    query = "SELECT s FROM unnest(CAST(:stamps AS timestamptz[])) s"
    with reading(store.engine) as connection:
        found = fetch(connection, query, {"stamps": stamps}, {"s": "us"})
        assert found["s"].tolist() == [946684799999999, 1795262400000000]
        with pytest.raises(StorageError, match="column s: a timestamp is NULL"):
            fetch(connection, "SELECT NULL::timestamptz AS s", {}, {"s": "us"})


def test_no_row_is_columns_of_no_values_and_signs_of_the_language_are_left_alone(store: Store) -> None:
    with reading(store.engine) as connection:
        empty = fetch(
            connection, "SELECT 1 AS a, 2.5 AS b, now() AS c WHERE false", {}, {"a": "i4", "b": "f8", "c": "us"}
        )
        assert [(name, len(column), column.dtype.str[1:]) for name, column in empty.items()] == [
            ("a", 0, "i4"),
            ("b", 0, "f8"),
            ("c", 0, "i8"),
        ]
        rest = fetch(connection, "SELECT 7 % 4 AS rest WHERE 'a%b' LIKE :like", {"like": "a%"}, {"rest": "i4"})
    assert rest["rest"].tolist() == [3]
