"""What an array knows, over HTTP, in names instead of ids."""

from fastapi.testclient import TestClient
from sqlalchemy import text
from tests.api.ledgers import Environment, ask

from gavel.db.engine import transaction


def test_preferred_arrays_are_told_by_name_and_one_that_is_no_source_by_its_id(
    client: TestClient, environment: Environment
) -> None:
    with transaction(environment.engine) as connection:
        connection.execute(text("UPDATE array_host SET preferred_arrays = '{id-of-another,array-a}'"))
    (host,) = ask(client, f"arrays/{environment.id('storage_array', 'array-a')}")["array_hosts"]
    assert host["preferred_arrays"] == ["id-of-another", "name of array-a"]
