"""Sources that cannot even be opened, and arrays that are a source already: told in a run, with what to do, and never silently."""

import pytest
from sqlalchemy import text
from tests.ingest.conftest import Scene

from gavel.admin import health as source_warnings
from gavel.admin import sources
from gavel.admin.health import state, warnings
from gavel.db.engine import transaction
from gavel.db.queries.runs import runs
from gavel.db.queries.sources import SourceRow, add_source, source_health
from gavel.domain.errors import ErrorKind, SettingsError
from gavel.domain.source import Check, CheckState, Preflight, SourceKind
from gavel.ingest.backfill import backfill
from gavel.ingest.connections import Connections, full_settings
from gavel.ingest.inventory import refresh_inventory
from gavel.ingest.live import collect_live
from gavel.ingest.schedule import due_work
from gavel.ingest.worker import WorkerContext
from gavel.vault import Vault

PIN = "ab" * 32
SETTINGS = {"address": "array-9", "api_token": "5f0b0b7e-0000-4000-8000-000000000000", "fingerprint_sha256": PIN}


@pytest.mark.parametrize("read", [collect_live, refresh_inventory, lambda p, i: backfill(p, i, budget_s=1)])
def test_secrets_under_another_key_end_in_a_run_that_says_so(scene: Scene, read: object) -> None:
    """A database that was restored without its key file."""
    source_id = sources.register(scene.engine, Vault(bytes(range(32))), kind="flasharray", name="x", settings=SETTINGS)
    place = WorkerContext(scene.engine, Connections(Vault(bytes(32))), now=lambda: scene.array.now)
    read(place, source_id)  # type: ignore[operator]
    with scene.engine.connect() as connection:
        (run,) = runs(connection, source_id)
        (health,) = source_health(connection, scene.array.now, source_id)
    assert run.error_kind is ErrorKind.SETTINGS
    assert "Restore that key file, or enter the secrets again" in str(run.error_message)
    assert state(health) == "failing"
    # A person has to do something: it is not tried every few seconds.
    assert source_id not in {work.source_id for work in due_work(place)}


def _second(scene: Scene, name: str = "again") -> int:
    with transaction(scene.engine) as connection:
        return add_source(
            connection,
            kind=SourceKind.FLASHARRAY,
            name=name,
            address="another-address",
            settings={},
            enabled=True,
            now=scene.array.now,
        )


def test_an_array_that_is_a_source_already_is_not_read_again_under_another_name(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    second = _second(scene)
    collect_live(scene.place, second)
    with scene.engine.connect() as connection:
        (run,) = runs(connection, second)
        volumes = connection.execute(text("SELECT count(*) FROM volume WHERE source_id = :id"), {"id": second}).scalar()
    assert run.error_kind is ErrorKind.DUPLICATE
    assert "the source 'array'" in str(run.error_message)
    assert volumes == 0
    # Once the first one is gone, the second one is the only one.
    sources.remove(scene.engine, scene.source_id)
    collect_live(scene.place, second)
    with scene.engine.connect() as connection:
        assert runs(connection, second)[0].error_kind is None


def test_two_sources_that_are_one_already_are_warned_about_by_name(scene: Scene) -> None:
    collect_live(scene.place, scene.source_id)
    second = _second(scene)
    with transaction(scene.engine) as connection:
        connection.execute(text("UPDATE source SET identity = 'a1' WHERE id = :id"), {"id": second})
    with scene.engine.connect() as connection:
        told = {one.source.name: warnings(one) for one in source_health(connection, scene.array.now)}
    assert any("'again'" in warning for warning in told["array"])
    assert any("'array'" in warning for warning in told["again"])


def test_source_with_many_objects_is_warned_about(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    collect_live(scene.place, scene.source_id)
    with scene.engine.connect() as connection:
        (health,) = source_health(connection, scene.array.now)
    assert not warnings(health)
    monkeypatch.setattr(source_warnings, "_MANY_OBJECTS", sum(health.entities.values()) - 1)
    assert "lists and rankings take seconds" in warnings(health)[0]


def test_trying_an_array_that_is_a_source_already_fails_and_names_it(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    collect_live(scene.place, scene.source_id)
    found = Preflight((Check("Array", CheckState.OK, "array"),), identity="a1")
    monkeypatch.setattr(sources, "_preflight", lambda *_: found)
    tried = sources.test_settings(scene.engine, "flasharray", SETTINGS)
    assert not tried.passed
    assert "'array'" in tried.checks[-1].detail
    # Its own settings may be tried again, and so may those of an array that nobody knows.
    assert sources.not_there_already(scene.engine, SourceKind.FLASHARRAY, found, scene.source_id).passed
    other = Preflight(found.checks, identity="a2")
    assert sources.not_there_already(scene.engine, SourceKind.FLASHARRAY, other, None).passed
    assert sources.not_there_already(scene.engine, SourceKind.VCENTER, found, None).passed


def test_one_address_is_one_source(scene: Scene) -> None:
    vault = Vault(bytes(32))
    first = sources.register(scene.engine, vault, kind="flasharray", name="one", settings=SETTINGS)
    for address in ("array-9", "ARRAY-9", "array-9:443"):
        with pytest.raises(SettingsError, match="'one'"):
            sources.register(
                scene.engine, vault, kind="flasharray", name="two", settings={**SETTINGS, "address": address}
            )
    second = sources.register(
        scene.engine, vault, kind="flasharray", name="two", settings={**SETTINGS, "address": "array-9:8443"}
    )
    with pytest.raises(SettingsError, match="'one'"):
        sources.change(scene.engine, vault, second, sources.SourceUpdate(settings=SETTINGS))
    # Machines that announce several at each start may swap addresses.
    sources.bring_up_to_date(scene.engine, vault, second, SETTINGS)
    sources.bring_up_to_date(scene.engine, vault, second, SETTINGS | {"address": "array-9:8443"})
    # Its own address stays its own.
    sources.change(scene.engine, vault, first, sources.SourceUpdate(settings=SETTINGS))
    assert full_settings(_row(scene, second), vault)["address"] == "array-9:8443"


def _row(scene: Scene, source_id: int) -> SourceRow:
    with scene.engine.connect() as connection:
        (found,) = source_health(connection, scene.array.now, source_id)
    return found.source
