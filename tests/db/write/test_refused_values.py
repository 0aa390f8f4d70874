"""Values that PostgreSQL cannot hold are an error of storage with words, not a crash."""

import pytest
from sqlalchemy import text

from gavel.db.engine import Role, open_engine, reading, transaction
from gavel.db.errors import UnavailableError, ValueRefusedError


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
