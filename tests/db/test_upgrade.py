"""A store that commit f9783051 made, under the present build: everything is there.

`stores/` holds the exports of one: its own database and that of its offline environment, whose description is beside it.
That build made all of it through its API, its commands and its jobs, with a key file of 32 zero bytes.
"""

import lzma
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.conftest import database
from tests.db.catalog import catalog
from tests.db.conftest import Store
from tests.edges import hold_clock

from gavel.alerting.use.settings import stored_secrets as channel_secrets
from gavel.api.app import build
from gavel.cli.commands import main
from gavel.cli.dump import restore
from gavel.config import Settings
from gavel.db import databases
from gavel.db.engine import Role, open_engine, reading
from gavel.db.migrate import check, migrate
from gavel.db.queries.channels import channel_rows
from gavel.db.queries.sources import source_by_name
from gavel.db.series import packed
from gavel.db.series.catalog import LEDGER, SAMPLE_ROLLS, SAMPLES
from gavel.domain.scope import ScopeKind
from gavel.domain.source import Stream
from gavel.embedded import postgres
from gavel.ingest.connections import stored_secrets
from gavel.offline.names import database_name
from gavel.vault import Vault

STORES = Path(__file__).with_name("stores")
KEY = bytes(32)
API = "/api/v1"
# Soon after the export was made: its silence lasts.
EXPORTED_AT = datetime(2026, 11, 28, 16, tzinfo=UTC)
EVER = {"lo": datetime(2026, 1, 1, tzinfo=UTC), "hi": datetime(2027, 1, 1, tzinfo=UTC)}


def unpacked(name: str, folder: Path) -> Path:
    file = folder / name
    file.write_bytes(lzma.decompress((STORES / f"{name}.xz").read_bytes()))
    return file


@pytest.fixture(scope="module")
def settings(postgres_server: postgres.DataDirectory, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """Of the imported store, with its offline environment beside it and its key file in the data directory."""
    folder = tmp_path_factory.mktemp("upgraded")
    (folder / "secret.key").write_bytes(KEY)
    with database(postgres_server, "template0") as url, pytest.MonkeyPatch.context() as environment:
        environment.setenv("GAVEL_DATABASE_URL", url)
        environment.setenv("GAVEL_DATA_DIR", str(folder))
        environment.setattr("gavel.cli.commands.configure", lambda _settings: None)
        assert main(["db", "import", str(unpacked("f9783051.dump", folder))]) == 0
        engine = open_engine(url, Role.MIGRATIONS)
        name = database_name(databases.own_name(engine), "site-a")
        databases.create(engine, f"{name}_import")
        restore(databases.url_of(engine, f"{name}_import"), unpacked("f9783051.site-a.dump", folder), replace=False)
        databases.publish(engine, f"{name}_import", name, (STORES / "f9783051.site-a.json").read_text().strip())
        yield Settings(database_url=url, data_dir=folder, broker_url="memory://")
        databases.drop(engine, name, in_use=True)
        engine.dispose()


@pytest.fixture
def engine(settings: Settings) -> Iterator[Engine]:
    engine = open_engine(settings.database_url, Role.API)
    yield engine
    engine.dispose()


@pytest.fixture
def client(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    hold_clock(monkeypatch, EXPORTED_AT)
    with TestClient(build(settings), base_url="http://127.0.0.1:8321") as client:
        yield client


def _schema(engine: Engine) -> list[str]:
    with reading(engine) as connection:
        return [line for line in catalog(connection) if not line.startswith("row of ")]


def test_upgraded_store_is_current_and_has_the_catalog_of_a_new_one(
    settings: Settings, engine: Engine, plain: Store
) -> None:
    assert check(settings.database_url).ok
    assert migrate(settings.database_url) == []
    assert _schema(engine) == _schema(plain.engine)


def test_upgraded_store_shows_rules_channels_silences_findings_imports_and_environments(client: TestClient) -> None:
    def ask(path: str) -> Any:
        return client.get(f"{API}/{path}").raise_for_status().json()

    rules = {rule["key"]: rule for rule in ask("alert-rules")}
    own, switched_off = rules["slow_kernel"], [key for key, rule in rules.items() if not rule["enabled"]]
    assert (own["for_min"], own["where"], own["is_default"]) == (7, {"name": "prod-*"}, False)
    assert own["when"][0]["at_least"] == 300
    assert (len(rules), switched_off) == (8, ["guest_queueing"])
    (channel,) = ask("channels")
    assert (channel["kind"], channel["name"], channel["secrets_set"]) == ("webhook", "on call", ["secrets", "url"])
    (silence,) = ask("silences")
    assert (silence["reason"], silence["by"], silence["state"]) == ("new array", "Ada", "active")
    assert silence["matchers"] == [{"label": "datastore", "pattern": "prod-*", "negated": False}]
    (window,) = ask("maintenance-windows")
    assert (window["name"], window["repeat"], window["zone"]) == ("patch night", "weekly", "Europe/Berlin")
    (accepted,) = ask("findings?state=accepted")["items"]
    assert (accepted["title"], accepted["object"]["name"]) == ("4 of 8 paths down", "simple")
    assert (accepted["accepted"]["by"], accepted["accepted"]["why"]) == ("Ada", "cable ordered")
    assert ask("findings?state=open")["total"] == 1
    (imported,) = ask("imports")
    assert (imported["file_name"], imported["state"], imported["devices"]) == ("esx-04.csv", "ready", 3)
    (offline,) = ask("offline-environments")
    assert (offline["name"], offline["from_at"]) == ("site-a", "2026-03-14T09:30:00Z")
    assert client.get(f"/offline/site-a{API}/datastores").raise_for_status().json()["total"] == 1
    assert ask("labels/meanings")["owner"] == "team"


def test_upgraded_store_opens_the_secrets_of_sources_and_channels_with_its_key(engine: Engine) -> None:
    vault = Vault(KEY)
    with reading(engine) as connection:
        source, (channel,) = source_by_name(connection, "array-9"), channel_rows(connection)
    assert stored_secrets(source, vault) == {"api_token": "0f0e0d0c-aaaa-bbbb-cccc-123456789abc"}
    assert channel_secrets(channel, vault)["url"] == "https://hooks.example.org/gavel"


def test_upgraded_store_holds_its_samples_and_minutes_packed_or_not(engine: Engine) -> None:
    samples = packed.rows(SAMPLES[Stream.HOST_DEVICE], ("read_ops", "read_gavg_us", "queue_depth"), of="true")
    sums = packed.rows(SAMPLE_ROLLS[Stream.HOST_DEVICE][0], ("n", "read_ops"), of="true")
    minutes = packed.rows(LEDGER, ("read_ops",), of=f"entity_id / {1 << 27} = {ScopeKind.DATASTORE.value}")
    with reading(engine) as connection:
        stored_samples, stored_sums, stored_minutes = (
            [tuple(row)[2:] for row in connection.execute(text(f"SELECT * FROM ({query}) rows"), EVER)]
            for query in (samples, sums, minutes)
        )
        packed_hours = connection.scalar(text("SELECT count(*) FROM host_device_sample_packed"))
    assert packed_hours == 2
    assert stored_samples == [(5, 100, 32)] * 180
    assert stored_sums == [(15, 75)] * 12
    assert stored_minutes == [(300.0,)] * 10
