"""The API over a real database, asked as a browser or a script would ask it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from sqlalchemy import Engine
from tests.api.ledgers import Environment, fill_environment, make_environment
from tests.conftest import FilledTemplate, database

from gavel.api.app import build
from gavel.config import Settings
from gavel.embedded import postgres

OWN_SETTINGS = {"database_url", "data_dir", "key_file"}


class SharedApp:
    """The apps of one worker process: building the routes takes 0.15 s of CPU, opening the state of a test next to nothing."""

    def __init__(self) -> None:
        self._built: dict[str, tuple[Settings, FastAPI]] = {}

    def opened_with(self, settings: Settings) -> FastAPI:
        """Return an app whose next client opens the database and the folder of `settings`."""
        shared = settings.model_dump_json(exclude=OWN_SETTINGS)
        if shared not in self._built:
            copy = settings.model_copy()
            self._built[shared] = copy, build(copy)
        copy, app = self._built[shared]
        for name in OWN_SETTINGS:
            setattr(copy, name, getattr(settings, name))
        # The description names the session cookie, which differs by folder. A test may leave overrides behind.
        app.openapi_schema = None
        app.dependency_overrides.clear()
        return app


@pytest.fixture
def postgres_url(
    request: pytest.FixtureRequest,
    postgres_server: postgres.DataDirectory,
    migrated_template: str,
    filled_template: FilledTemplate,
) -> Iterator[str]:
    """As everywhere; a test that asks for `environment` or `scene` has a copy of a database in which it is already."""
    if "environment" in request.fixturenames:
        template = filled_template("environment", fill_environment)
    elif "scene" in request.fixturenames:
        template = filled_template("small_environment", make_environment)
    else:
        template = migrated_template
    with database(postgres_server, template) as url:
        yield url


@pytest.fixture
def settings(postgres_url: str, tmp_path: Path) -> Settings:
    return Settings(database_url=postgres_url, data_dir=tmp_path, broker_url="memory://")


@pytest.fixture(scope="session")
def shared_app() -> SharedApp:
    return SharedApp()


@pytest.fixture
def client(settings: Settings, shared_app: SharedApp) -> Iterator[TestClient]:
    """Somebody on this machine who has not signed in."""
    app = shared_app.opened_with(settings)
    with TestClient(app, base_url="http://127.0.0.1:8321", raise_server_exceptions=False) as found:
        yield found


@pytest.fixture
def admin_token(client: TestClient, settings: Settings) -> str:
    """The admin's own token, bought with the setup token; the cookie that came with it is thrown away."""
    answer = client.post("/api/v1/session", json={"token": settings.setup_token_file.read_text().strip()})
    client.cookies.clear()
    token: str = answer.json()["admin_token"]
    return token


@pytest.fixture
def admin(client: TestClient, admin_token: str) -> TestClient:
    """The admin's script."""
    client.headers["authorization"] = f"Bearer {admin_token}"
    return client


@pytest.fixture
def engine(client: TestClient) -> Engine:
    engine: Engine = client.app.state.house.engine  # type: ignore[attr-defined]
    return engine


@pytest.fixture
def environment(engine: Engine) -> Environment:
    """Attributed until NOW; without any row yet."""
    return Environment.stored(engine)


@pytest.fixture
def store(environment: Environment) -> int:
    """A datastore on one volume and two hosts."""
    return environment.id("datastore", "simple")
