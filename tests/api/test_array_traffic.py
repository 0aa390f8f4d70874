"""Counters of an array as a whole and of its target ports over time, over HTTP."""

from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import text
from tests.api.ledgers import MINUTE, Environment, ask
from tests.db.environments import batch

from gavel import clock
from gavel.db.engine import transaction
from gavel.db.queries.gaps import GapState, note_gap
from gavel.db.write.samples import write_samples
from gavel.domain.source import Stream

LINE_RATE = 3_200_000_000
END = datetime.now(UTC).replace(second=0, microsecond=0) - MINUTE


def counted(environment: Environment, stream: Stream, key: str, ends: list[datetime], **columns: Any) -> None:
    with transaction(environment.engine) as connection:
        assert not write_samples(connection, environment.array, batch(stream, key, ends, 30, **columns)).unknown_keys


def traffic(client: TestClient, environment: Environment, from_at: datetime, to_at: datetime) -> dict[str, Any]:
    array = environment.id("storage_array", "array-a")
    window = f"from={from_at:%Y-%m-%dT%H:%M:%SZ}&to={to_at:%Y-%m-%dT%H:%M:%SZ}"
    answer: dict[str, Any] = ask(client, f"arrays/{array}/traffic?{window}")
    return answer


def measured(values: list[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def test_traffic_has_the_array_as_it_counts_itself_and_not_the_sum_of_its_volumes(
    client: TestClient, environment: Environment
) -> None:
    ends = [END - n * MINUTE for n in (2, 1)]
    counted(environment, Stream.ARRAY_WIDE, "array-a", ends, read_ops=[3_000, 6_000], read_service_us=[200, 500])
    counted(environment, Stream.ARRAY_VOLUME, "id-v0", ends, read_ops=900, read_service_us=900)
    found = traffic(client, environment, END - 10 * MINUTE, END)
    (group,) = found["groups"]
    assert (group["side"], group["level"], group["scope"], group["entity"]["kind"]) == (
        "array",
        "array",
        "whole",
        "array",
    )
    columns = {column["name"]: measured(column["values"]) for column in group["columns"]}
    assert columns["read_iops"] == [100.0, 200.0]
    assert columns["read_service_us"] == [200.0, 500.0]
    assert columns["write_iops"] == []


def test_traffic_of_a_port_stands_in_the_minute_it_was_counted_in_by_gavels_clock(
    client: TestClient, environment: Environment
) -> None:
    ahead = timedelta(minutes=3)
    with transaction(environment.engine) as connection:
        connection.execute(
            text("UPDATE array_port SET line_rate_bytes_per_s = :rate WHERE key = 'CT0.FC0'"), {"rate": LINE_RATE}
        )
        connection.execute(
            text(
                "INSERT INTO clock_offset (source_id, read_at, offset_s, error_s) VALUES (:source, :now, :ahead, 0.1)"
            ),
            {"source": environment.array, "ahead": ahead.total_seconds(), "now": clock.now()},
        )
    counted(
        environment, Stream.ARRAY_PORT, "CT0.FC0", [END - 2 * MINUTE + ahead],
        received_bytes=[30 * 10**6], transmitted_bytes=[90 * 10**9], crc_errors=[1], errors=[4],
    )  # fmt: skip
    found = traffic(client, environment, END - 10 * MINUTE, END)
    (port,) = found["ports"]
    assert (port["name"], port["line_rate_bytes_per_s"]) == ("CT0.FC0", LINE_RATE)
    (at,) = [n for n, value in enumerate(port["transmitted_bytes_per_s"]) if value is not None]
    ended = datetime.fromtimestamp(found["times_ms"][at] / 1000, UTC) + timedelta(seconds=found["step_s"])
    assert ended == END - 2 * MINUTE
    assert (port["transmitted_bytes_per_s"][at], port["received_bytes_per_s"][at]) == (3e9, 1e6)
    assert (port["crc_errors"][at], port["errors"][at]) == (1.0, 4.0)


def test_traffic_of_a_port_that_was_not_counted_is_nothing_and_the_reason_is_given(
    client: TestClient, environment: Environment
) -> None:
    with transaction(environment.engine) as connection:
        note_gap(
            connection, environment.array, Stream.ARRAY_PORT, END - 9 * MINUTE, END, reason="The API user may not read it.",
            now=END, state=GapState.EXPLAINED,
        )  # fmt: skip
    found = traffic(client, environment, END - 10 * MINUTE, END)
    (port,) = found["ports"]
    assert len(port["received_bytes_per_s"]) == len(found["times_ms"])
    assert measured(port["received_bytes_per_s"]) == measured(port["errors"]) == []
    assert [(gap["stream"], gap["reason"]) for gap in found["gaps"]] == [
        ("array_port", "The API user may not read it.")
    ]


def test_traffic_of_a_long_range_says_from_when_on_samples_of_ports_are_kept(
    client: TestClient, environment: Environment
) -> None:
    counted(environment, Stream.ARRAY_PORT, "CT0.FC0", [END - MINUTE], received_bytes=[30 * 10**6])
    found = traffic(client, environment, END - timedelta(days=60), END)
    kept = timedelta(seconds=found["ports_keep_s"])
    assert abs(datetime.now(UTC) - kept - datetime.fromisoformat(found["ports_kept_from_at"])) < MINUTE
    assert found["step_s"] >= 3600
    assert measured(found["ports"][0]["received_bytes_per_s"]) == [1e6]


def test_traffic_of_an_array_without_ports_has_none(client: TestClient, environment: Environment) -> None:
    with transaction(environment.engine) as connection:
        connection.execute(text("UPDATE array_port SET present = false"))
    assert traffic(client, environment, END - 10 * MINUTE, END)["ports"] == []
