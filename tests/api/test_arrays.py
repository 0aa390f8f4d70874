"""What an array knows, over HTTP, in names instead of ids."""

from datetime import UTC, datetime

from fastapi.testclient import TestClient
from sqlalchemy import text
from tests.api.ledgers import MINUTE, Environment, ask
from tests.db.environments import batch

from gavel.db.engine import transaction
from gavel.db.write.samples import write_samples
from gavel.domain.source import Stream


def test_preferred_arrays_are_told_by_name_and_one_that_is_no_source_by_its_id(
    client: TestClient, environment: Environment
) -> None:
    with transaction(environment.engine) as connection:
        connection.execute(text("UPDATE array_host SET preferred_arrays = '{id-of-another,array-a}'"))
    (host,) = ask(client, f"arrays/{environment.id('storage_array', 'array-a')}")["array_hosts"]
    assert host["preferred_arrays"] == ["id-of-another", "name of array-a"]


def test_ports_of_an_array_have_their_line_rate_and_the_traffic_of_the_newest_minutes(
    client: TestClient, environment: Environment
) -> None:
    with transaction(environment.engine) as connection:
        connection.execute(text("UPDATE array_port SET line_rate_bytes_per_s = 3200000000 WHERE key = 'CT0.FC0'"))
        now = datetime.now(UTC).replace(microsecond=0)
        ends = [now - n * MINUTE for n in (2, 1, 15)]
        sample = batch(
            Stream.ARRAY_PORT, "CT0.FC0", ends, 30,
            received_bytes=[30, 90, 10**9], transmitted_bytes=[600, 1200, 10**9], errors=[0, 2, 50],
        )  # fmt: skip
        write_samples(connection, environment.array, sample)
    (port,) = ask(client, f"arrays/{environment.id('storage_array', 'array-a')}")["ports"]
    assert port == {
        "name": "CT0.FC0",
        "address": "52:4A",
        "line_rate_bytes_per_s": 3_200_000_000,
        "received_bytes_per_s": 2.0,
        "transmitted_bytes_per_s": 30.0,
        "errors": 2,
        "hosts": 0,
    }


def test_a_port_without_samples_and_speed_has_none(client: TestClient, environment: Environment) -> None:
    (port,) = ask(client, f"arrays/{environment.id('storage_array', 'array-a')}")["ports"]
    rates = [value for name, value in port.items() if name.endswith("_s") or name == "errors"]
    assert rates == [None] * 4
