"""Secrets of every kind of source and channel: encrypted in the database, never in an answer, whatever their type looks like."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fastapi.testclient import TestClient
from pydantic import BaseModel, Field, SecretStr
from sqlalchemy import Engine, text
from tests.alerting.channel_settings import SETTINGS as CHANNEL_SETTINGS

from gavel.alerting.contract import ChannelSettings
from gavel.alerting.registry import CHANNELS
from gavel.alerting.use.settings import stored_secrets as channel_secrets
from gavel.api.app import build
from gavel.collectors.registry import COLLECTORS
from gavel.config import Settings
from gavel.db.engine import reading, transaction
from gavel.db.queries.channels import channel_rows
from gavel.db.queries.sources import sources
from gavel.domain.source import SourceKind
from gavel.egress.tls import DESTINATION, TlsTrust
from gavel.ingest.connections import stored_secrets as source_secrets
from gavel.vault import Vault

PIN = "ab" * 32
SOURCE_SETTINGS: Mapping[SourceKind, dict[str, Any]] = {
    SourceKind.FLASHARRAY: {"address": "127.0.0.1:9", "api_token": "canary-token", "fingerprint_sha256": PIN},
    SourceKind.VCENTER: {"address": "127.0.0.1:9", "username": "gavel", "password": "canary-password"},
}


class Login(BaseModel):
    user: str
    password: SecretStr


class FormSettings(TlsTrust):
    """Every shape that a secret may have in a form."""

    address: str = Field(title="Address", json_schema_extra=DESTINATION)
    poll_interval_s: int = Field(default=30, title="Poll interval (s)")
    required: SecretStr = Field(title="Required")
    optional: SecretStr | None = Field(default=None, title="Optional")
    several: tuple[SecretStr, ...] = Field(default=(), title="Several")
    login: Login | None = Field(default=None, title="Login")


class ChannelFormSettings(FormSettings, ChannelSettings):
    pass


SECRETS: dict[str, Any] = {
    "required": "canary-required",
    "optional": "canary-optional",
    "several": ["canary-first", "canary-second"],
    "login": {"user": "ada", "password": "canary-inside"},
}
EVERY_SHAPE = {"address": "127.0.0.1:9", "fingerprint_sha256": PIN, **SECRETS}
PUBLIC = {"address": "127.0.0.1:9", "fingerprint_sha256": PIN, "poll_interval_s": 30}


class Form(NamedTuple):
    """Where one kind is added and read, and in which table it is kept."""

    path: str
    table: str
    kind: str
    settings: Mapping[str, Any]


def _source(kind: SourceKind) -> Form:
    return Form("sources", "source", kind, SOURCE_SETTINGS.get(kind, {}))


def _channel(kind: str) -> Form:
    """What would stand in any row as the name of a column is told from one by another value."""
    made = CHANNEL_SETTINGS[kind]("https://127.0.0.1:9") if kind in CHANNEL_SETTINGS else {}
    return Form(
        "channels", "channel", kind, {name: "canary" if value == "secret" else value for name, value in made.items()}
    )


FORMS = [*map(_source, COLLECTORS), *map(_channel, CHANNELS)]


@pytest.fixture(scope="module")
def served(module_postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """The admin's script, at one API for all tests of this file."""
    folder: Path = tmp_path_factory.mktemp("data")
    settings = Settings(database_url=module_postgres_url, data_dir=folder, broker_url="memory://")
    with TestClient(build(settings), base_url="http://127.0.0.1:8321") as client:
        answer = client.post("/api/v1/session", json={"token": settings.setup_token_file.read_text().strip()})
        client.cookies.clear()
        client.headers["authorization"] = f"Bearer {answer.json()['admin_token']}"
        yield client


@pytest.fixture
def engine(served: TestClient) -> Engine:
    found: Engine = served.app.state.house.engine  # type: ignore[attr-defined]
    return found


@pytest.fixture
def admin(served: TestClient, engine: Engine) -> TestClient:
    """Without sources and channels of earlier tests."""
    with transaction(engine) as connection:
        connection.execute(text("DELETE FROM channel"))
        connection.execute(text("DELETE FROM source"))
    return served


@pytest.fixture(params=["sources", "channels"])
def shapes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Form]:
    """A kind of source, and a kind of channel, whose settings have secrets of every shape."""
    if request.param == "sources":
        kind = replace(COLLECTORS[SourceKind.FLASHARRAY], settings=FormSettings)
        monkeypatch.setitem(COLLECTORS, SourceKind.FLASHARRAY, kind)
        yield Form("sources", "source", "flasharray", EVERY_SHAPE)
    else:
        channel = replace(CHANNELS["email"], settings=ChannelFormSettings)
        monkeypatch.setitem(CHANNELS, "email", channel)
        yield Form("channels", "channel", "email", EVERY_SHAPE)


def added(admin: TestClient, form: Form, settings: Mapping[str, Any] | None = None) -> dict[str, Any]:
    assert form.settings, f"{form.kind}: no example settings; add them here, or in tests/alerting/channel_settings.py"
    body = {"kind": form.kind, "name": "one", "settings": settings or form.settings}
    answer = admin.post(f"/api/v1/{form.path}", json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


def changed(admin: TestClient, form: Form, made: Mapping[str, Any], settings: Mapping[str, Any]) -> dict[str, Any]:
    answer = admin.patch(f"/api/v1/{form.path}/{made['id']}", json={"settings": settings})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def seen(admin: TestClient, engine: Engine, form: Form, made: Mapping[str, Any]) -> str:
    """Everything that answers and the database show of it, sealed bytes as they are included."""
    one = f"/api/v1/{form.path}/{made['id']}"
    answers = [admin.get(f"/api/v1/{form.path}"), *([admin.get(one)] if form.path == "sources" else [])]
    assert {answer.status_code for answer in answers} == {200}
    with engine.connect() as connection:
        [(row, sealed)] = connection.execute(text(f"SELECT t::text, t.secrets_encrypted FROM {form.table} t")).all()
    return "\n".join([str(made), *(answer.text for answer in answers), row, bytes(sealed).decode("latin-1")])


def secret_texts(value: object) -> Iterator[str]:
    """Of every secret within, however deep."""
    if isinstance(value, SecretStr):
        yield value.get_secret_value()
    elif isinstance(value, BaseModel | Mapping):
        for _, inner in value if isinstance(value, BaseModel) else value.items():
            yield from secret_texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from secret_texts(inner)


def model_of(form: Form) -> type[BaseModel]:
    return COLLECTORS[SourceKind(form.kind)].settings if form.path == "sources" else CHANNELS[form.kind].settings


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.kind)
def test_secrets_of_every_kind_are_encrypted_and_in_no_answer(admin: TestClient, engine: Engine, form: Form) -> None:
    secrets = set(secret_texts(model_of(form).model_validate(form.settings)))
    assert secrets, f"{form.kind}: the example settings hold no secret"
    found = seen(admin, engine, form, added(admin, form))
    assert [secret for secret in secrets if secret in found] == []


def test_secrets_of_every_shape_are_encrypted_and_in_no_answer(admin: TestClient, engine: Engine, shapes: Form) -> None:
    made = added(admin, shapes)
    assert "canary" not in seen(admin, engine, shapes, made)
    assert (made["settings"], made["secrets_set"]) == (PUBLIC, ["login", "optional", "required", "several"])


def test_secrets_of_every_shape_stay_when_they_are_left_out(admin: TestClient, engine: Engine, shapes: Form) -> None:
    made = added(admin, shapes)
    left_out = {**PUBLIC, "poll_interval_s": 60, "optional": None, "several": [], "required": ""}
    after = changed(admin, shapes, made, left_out)
    assert (after["settings"]["poll_interval_s"], after["secrets_set"]) == (60, sorted(SECRETS))
    assert opened(admin, engine, shapes) == SECRETS


def test_a_secret_that_was_never_given_is_not_said_to_be_set(admin: TestClient, shapes: Form) -> None:
    made = added(admin, shapes, {**PUBLIC, "required": "canary-required"})
    assert made["secrets_set"] == ["required"]
    after = changed(admin, shapes, made, {**PUBLIC, "optional": "canary-optional"})
    assert after["secrets_set"] == ["optional", "required"]


def test_a_secret_that_was_never_given_need_not_be_entered_for_another_address(admin: TestClient, shapes: Form) -> None:
    made = added(admin, shapes, {**PUBLIC, "required": "canary-required"})
    elsewhere = {**PUBLIC, "address": "127.0.0.1:10"}
    refused = admin.patch(f"/api/v1/{shapes.path}/{made['id']}", json={"settings": elsewhere})
    assert (refused.status_code, refused.json()["detail"].partition(" must")[0]) == (422, "one: required")
    assert changed(admin, shapes, made, {**elsewhere, "required": "new"})["secrets_set"] == ["required"]


@pytest.fixture
def lost_key(admin: TestClient) -> Iterator[Callable[[], None]]:
    """What puts another key in the place of the one that everything was encrypted with."""
    state = admin.app.state  # type: ignore[attr-defined]
    house = state.house

    def lose() -> None:
        state.house = replace(house, vault=Vault(b"\x07" * 32))

    yield lose
    state.house = house


def test_secrets_under_a_lost_key_can_be_entered_again(
    admin: TestClient, engine: Engine, shapes: Form, lost_key: Callable[[], None]
) -> None:
    made = added(admin, shapes)
    lost_key()
    assert admin.get(f"/api/v1/{shapes.path}").status_code == 200
    refused = admin.patch(f"/api/v1/{shapes.path}/{made['id']}", json={"settings": PUBLIC})
    assert (refused.status_code, "enter the secrets again" in refused.json()["detail"]) == (422, True)
    assert changed(admin, shapes, made, {**PUBLIC, **SECRETS})["secrets_set"] == sorted(SECRETS)
    assert opened(admin, engine, shapes) == SECRETS


def test_what_became_a_secret_after_it_was_stored_is_not_shown(admin: TestClient, engine: Engine, shapes: Form) -> None:
    """As a former release may have stored it, and what no release knows."""
    made = added(admin, shapes)
    spoilt = """settings || '{"optional": "canary-optional", "unknown": "canary-unknown"}'"""
    with transaction(engine) as connection:
        connection.execute(text(f"UPDATE {shapes.table} SET settings = {spoilt}"))
    listed = admin.get(f"/api/v1/{shapes.path}")
    assert "canary" not in listed.text
    assert [one["settings"] for one in listed.json() if one["id"] == made["id"]] == [PUBLIC]


def opened(admin: TestClient, engine: Engine, form: Form) -> dict[str, Any]:
    """The secrets as whoever uses them gets them."""
    vault = admin.app.state.house.vault  # type: ignore[attr-defined]
    with reading(engine) as connection:
        if form.path == "sources":
            [source] = sources(connection)
            return source_secrets(source, vault)
        [channel] = channel_rows(connection)
        return channel_secrets(channel, vault)
