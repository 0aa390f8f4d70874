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
from gavel.domain.scope import ScopeKind

HOUR = between(60, 0)
DEPTH = 32.0
# What each kind of page asks for when it opens, of the object itself.
OF_ALL = (
    "",
    "/diagnosis",
    "/waterfall",
    f"/latency?{HOUR}",
    "/occupancy",
    "/contributors?layer=kernel",
    f"/series?{HOUR}",
)
PAGES = {
    "vms": (*OF_ALL, "/hops"),
    "datastores": (*OF_ALL, "/hops", "/deltas", "/hosts"),
    "hosts": OF_ALL,
    "volumes": OF_ALL,
    "arrays": OF_ALL,
}
MOST_OF_A_DIAGNOSIS = {"vms": 15, "datastores": 15, "hosts": 15, "volumes": 15, "arrays": 16}
MOST_OF_AN_IO_PATH = 15
MOST_OF_A_PAGE = {"vms": 65, "datastores": 85, "hosts": 50, "volumes": 52, "arrays": 50}


@contextmanager
def counted() -> Iterator[list[str]]:
    """At the driver, for binary arrays do not go by way of SQLAlchemy; a pooled connection's ping is no question."""
    found: list[str] = []
    execute = psycopg.Cursor.execute

    def noted(cursor: psycopg.Cursor[Any], query: Any, *args: Any, **options: Any) -> Any:
        if query != ";":
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
    return {kind: kinds[kind] for kind in PAGES}


def test_a_diagnosis_stays_within_its_number_of_statements(client: TestClient, things: dict[str, int]) -> None:
    for kind, thing in things.items():
        with counted() as statements:
            found = ask(client, f"{kind}/{thing}/diagnosis")
        assert (found["state"], found["layer"]) == ("judged", "kernel"), kind
        assert 0 < len(statements) <= MOST_OF_A_DIAGNOSIS[kind], f"{kind}: {len(statements)}\n" + "\n".join(statements)


@pytest.mark.parametrize("kind", ["vms", "datastores"])
def test_an_io_path_stays_within_its_number_of_statements(
    client: TestClient, things: dict[str, int], kind: str
) -> None:
    with counted() as statements:
        found = ask(client, f"{kind}/{things[kind]}/hops")
    assert all(hop["nodes"] for hop in found["hops"])
    assert 0 < len(statements) <= MOST_OF_AN_IO_PATH, f"{len(statements)}\n" + "\n".join(statements)


def test_all_that_a_page_asks_for_stays_within_its_number_of_statements(
    client: TestClient, things: dict[str, int]
) -> None:
    taken = {}
    for kind, thing in things.items():
        with counted() as statements:
            for path in PAGES[kind]:
                ask(client, f"{kind}/{thing}{path}")
        taken[kind] = len(statements)
    assert all(taken[kind] <= most for kind, most in MOST_OF_A_PAGE.items()), taken
