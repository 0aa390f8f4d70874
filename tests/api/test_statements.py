"""How many SQL statements the requests of an object's page take, where most is to be said: the kernel's queue is at fault."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.api.ledgers import KERNEL, MINUTE, NOW, Environment, ask, between, minute
from tests.db.environments import SERIALS, naa

from gavel.db.engine import transaction
from gavel.db.queries.runs import SourceRun, record_run
from gavel.db.queries.sources import add_source
from gavel.domain.errors import ErrorKind
from gavel.domain.scope import ScopeKind
from gavel.domain.source import SourceKind, Stream

HOUR = between(60, 0)
DEPTH = 32.0
# What the other tabs of each kind of page ask for of the object itself.
OF_ALL = ("", "/diagnosis", f"/latency?{HOUR}", "/occupancy", f"/series?{HOUR}&detail=parts")
TABS = {
    "vms": (*OF_ALL, "/hops"),
    "datastores": (*OF_ALL, "/hops", "/deltas"),
    "hosts": OF_ALL,
    "volumes": OF_ALL,
    "arrays": (*OF_ALL, f"/traffic?{HOUR}"),
}
SUMMARY = f"/summary?{HOUR.replace('from=', 'trend_from=').replace('to=', 'trend_to=')}"
MOST_OF_A_SUMMARY = {"vms": 37, "datastores": 42, "hosts": 32, "volumes": 35, "arrays": 32}
MOST_OF_A_REQUEST = {
    "/diagnosis": 16,
    "/latency": 4,
    "/occupancy": 2,
    "/series": 7,
    "/traffic": 8,
    "/hops": 11,
    "/deltas": 6,
}
# For any number of them.
MOST_OF_SOURCES = 12
MOST_OF_AN_OBJECT = {"vms": 16, "datastores": 19, "hosts": 11, "volumes": 14, "arrays": 10}


def _as_bytes(query: Any) -> bytes:
    return query if isinstance(query, bytes) else str(query).encode()


@contextmanager
def counted() -> Iterator[list[str]]:
    """At the driver, for binary arrays do not go by way of SQLAlchemy. A pooled connection's ping and savepoints ask for nothing."""
    found: list[str] = []
    execute = psycopg.Cursor.execute

    def noted(cursor: psycopg.Cursor[Any], query: Any, *args: Any, **options: Any) -> Any:
        if query != ";" and b"SAVEPOINT" not in _as_bytes(query):
            found.append(str(query))
        return execute(cursor, query, *args, **options)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(psycopg.Cursor, "execute", noted)
        yield found


@pytest.fixture
def things(engine: Engine, environment: Environment) -> dict[str, int]:
    """By kind, one that I/Os of two VMs pass which wait in a full device queue of esx-1."""
    with transaction(engine) as connection:
        array = connection.execute(text("SELECT id FROM storage_array")).scalar_one()
    ids = {
        ScopeKind.VM: environment.id("vm", "vm-1"),
        ScopeKind.DATASTORE: environment.id("datastore", "simple"),
        ScopeKind.HOST: environment.id("esxi_host", "esx-1"),
        ScopeKind.VOLUME: environment.id("volume", "id-v0"),
        ScopeKind.ARRAY: array,
        ScopeKind.HOST_DEVICE: environment.id("host_device", f"esx-1/{naa(SERIALS[0])}"),
        ScopeKind.VM_DISK: environment.id("vm_disk", "vm-1/scsi0:0"),
    }
    row = minute(2_600_000, 1_300_000, KERNEL, queue_depth=DEPTH)
    stamps = [NOW - n * MINUTE for n in range(1, 11)]
    environment.write([(kind, thing, at, row) for kind, thing in ids.items() for at in stamps])
    kinds = {f"{kind.name.lower()}s": thing for kind, thing in ids.items()}
    return {kind: kinds[kind] for kind in TABS}


def test_a_diagnosis_and_an_io_path_are_of_what_takes_the_most_statements(
    client: TestClient, things: dict[str, int]
) -> None:
    for kind, thing in things.items():
        found = ask(client, f"{kind}/{thing}/diagnosis")
        assert (found["state"], found["layer"]) == ("judged", "kernel"), kind
        if "/hops" in TABS[kind]:
            assert all(hop["nodes"] for hop in ask(client, f"{kind}/{thing}/hops")["hops"])


def test_a_summary_stays_within_its_number_of_statements(client: TestClient, things: dict[str, int]) -> None:
    # What a process asks once, such as how its database stores, is no statement of a page.
    ask(client, f"vms/{things['vms']}{SUMMARY}")
    taken = {}
    for kind, thing in things.items():
        with counted() as statements:
            found = ask(client, f"{kind}/{thing}{SUMMARY}")
        assert (found["failed"], found["diagnosis"]["layer"]) == ([], "kernel")
        taken[kind] = len(statements)
    assert all(0 < taken[kind] <= most for kind, most in MOST_OF_A_SUMMARY.items()), taken


def test_each_request_of_the_other_tabs_stays_within_its_number_of_statements(
    client: TestClient, things: dict[str, int]
) -> None:
    taken = {}
    for kind, thing in things.items():
        for path in TABS[kind]:
            with counted() as statements:
                ask(client, f"{kind}/{thing}{path}")
            taken[kind, path.partition("?")[0]] = len(statements)
    most = MOST_OF_A_REQUEST | {(kind, ""): number for kind, number in MOST_OF_AN_OBJECT.items()}
    over = {
        (kind, path): n for (kind, path), n in taken.items() if not 0 < n <= most.get((kind, path), most.get(path, 0))
    }
    assert over == {}, taken


def test_sources_take_as_many_statements_as_one_does(client: TestClient, environment: Environment) -> None:
    def count() -> int:
        with counted() as asked:
            ask(client, "sources")
        return len(asked)

    few = count()
    with transaction(environment.engine) as connection:
        for number in range(20):
            kind = SourceKind.VCENTER if number % 2 else SourceKind.FLASHARRAY
            added = add_source(
                connection, kind=kind, name=f"s{number}", address="a", settings={}, enabled=True, now=NOW
            )
            run = SourceRun(
                added, Stream.ARRAY_VOLUME, "live", NOW, 1.0, error_kind=ErrorKind.UNREACHABLE, error_message="away"
            )
            record_run(connection, run)
    assert len(ask(client, "sources")) == 22
    # Since when sources fail is asked for only where one does.
    assert count() <= min(few + 1, MOST_OF_SOURCES)
