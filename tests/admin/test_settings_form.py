"""The settings form: secrets are found by type, stay at their destination, and are never shown."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Field, Secret, SecretBytes, SecretStr, create_model

from gavel.admin.settings_form import (
    StoredSettings,
    changed_destinations,
    clean_name,
    destination_fields,
    merged_settings,
    public_settings,
    secret_fields,
    split_settings,
)
from gavel.alerting.registry import CHANNELS
from gavel.collectors.registry import COLLECTORS
from gavel.domain.errors import SettingsError
from gavel.egress.tls import DESTINATION

MODELS: dict[str, type[BaseModel]] = {
    **{str(kind): COLLECTORS[kind].settings for kind in COLLECTORS},
    **{kind: CHANNELS[kind].settings for kind in CHANNELS},
}
EVERY_MODEL = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
LOOKS_SECRET = {"token", "password", "passphrase", "secret", "secrets", "key", "keys", "credential", "credentials"}
LOOKS_LIKE_A_DESTINATION = {
    "address", "addresses", "host", "hosts", "port", "url", "urls", "uri", "server", "servers", "endpoint", "proxy",
    "security", "tls", "pem", "ca", "certificate", "fingerprint",
}  # fmt: skip


class Login(BaseModel):
    user: str
    password: SecretStr


class Folder(BaseModel):
    name: str
    inside: "list[Folder]" = []


@dataclass
class Pair:
    name: str
    secret: SecretStr


# --- which fields are secret ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "annotation",
    [
        SecretStr, SecretBytes, Secret[int], SecretStr | None, None | SecretStr, tuple[SecretStr, ...], list[SecretStr],
        list[SecretStr] | None, dict[str, SecretStr], Annotated[SecretStr, AfterValidator(lambda value: value)],
        tuple[Annotated[SecretStr | None, Field(title="One")], ...], str | SecretStr, Login, Login | None, list[Login], Pair,
    ],
    # Names of functions hold addresses, which differ from process to process.
    ids=lambda annotation: re.sub(r" at 0x[0-9a-f]+", "", str(annotation)),
)  # fmt: skip
def test_a_secret_is_found_by_its_type_in_every_shape(annotation: Any) -> None:
    assert secret_fields(create_model("Settings", plain=(annotation, ...))) == {"plain"}


@pytest.mark.parametrize(
    "annotation", [str, str | None, int, Literal["secret"], list[str], dict[str, int], Folder, Any], ids=str
)
def test_a_field_without_a_secret_type_is_none_whatever_its_name(annotation: Any) -> None:
    assert secret_fields(create_model("Settings", token=(annotation, ...))) == set()


@EVERY_MODEL
def test_what_looks_like_a_secret_by_its_name_is_one_by_its_type(model: type[BaseModel]) -> None:
    named = {name for name in model.model_fields if LOOKS_SECRET & set(name.split("_"))}
    assert named <= secret_fields(model)


@EVERY_MODEL
def test_every_secret_has_a_destination(model: type[BaseModel]) -> None:
    assert secret_fields(model)
    assert set(destination_fields(model)) - {"ca_pem", "fingerprint_sha256"}


@EVERY_MODEL
def test_what_looks_like_a_destination_by_its_name_is_declared_as_one(model: type[BaseModel]) -> None:
    named = {name for name in model.model_fields if LOOKS_LIKE_A_DESTINATION & set(name.split("_"))}
    assert named <= set(destination_fields(model))


# --- apart, and what is shown ---------------------------------------------------------------------------------------------


class EveryShape(BaseModel):
    url: str = Field(json_schema_extra=DESTINATION)
    port: int = Field(default=587, json_schema_extra=DESTINATION)
    hook: SecretStr | None = Field(default=None, json_schema_extra=DESTINATION)
    channel: str | None = None
    tags: tuple[str, ...] = ()
    token: SecretStr
    keys: tuple[SecretStr, ...] = ()
    login: Login | None = None


SECRETS: dict[str, Any] = {"token": "t0ken", "keys": ["first", "second"], "login": {"user": "ada", "password": "pass"}}


def test_settings_are_split_into_what_is_shown_and_what_is_sealed() -> None:
    parts = split_settings(EveryShape(url="a", tags=("x",), **SECRETS))
    assert parts.public == {"url": "a", "port": 587, "tags": ["x"]}
    assert parts.secrets == SECRETS


def test_secrets_that_are_not_set_are_not_sealed() -> None:
    assert split_settings(EveryShape(url="a", token=SecretStr("t"))).secrets == {"token": "t"}


def test_the_two_parts_together_are_the_settings_again() -> None:
    settings = EveryShape(url="a", channel="c", **SECRETS)
    parts = split_settings(settings)
    assert EveryShape.model_validate(parts.public | parts.secrets) == settings


def test_only_known_fields_that_are_no_secret_are_shown() -> None:
    stored = {"url": "a", "port": 1, "token": "t0ken", "login": {"user": "ada"}, "of_another_release": "x"}
    assert public_settings(EveryShape, stored) == {"url": "a", "port": 1}


# --- changes --------------------------------------------------------------------------------------------------------------


@dataclass
class Kept:
    """Stored settings whose secrets are opened only when they are needed."""

    secrets: Mapping[str, Any]
    opened: list[str] = field(default_factory=list)

    def stored(self, **public: Any) -> StoredSettings:
        return StoredSettings(
            "ours", EveryShape, {"url": "a", "port": 587, **public}, frozenset(self.secrets), self._open
        )

    def _open(self) -> Mapping[str, Any]:
        self.opened.append("opened")
        return self.secrets


@pytest.mark.parametrize(
    "blank", [{}, {"token": ""}, {"token": None, "keys": [], "login": {"user": "", "password": ""}}]
)
def test_secrets_left_blank_stay(blank: dict[str, Any]) -> None:
    wanted = {"url": "a", "channel": "new"}
    assert merged_settings(Kept(SECRETS).stored(), wanted | blank) == wanted | SECRETS


def test_a_secret_that_is_given_takes_the_place_of_the_stored_one() -> None:
    merged = merged_settings(Kept(SECRETS).stored(), {"url": "a", "keys": ["third"]})
    assert merged == {"url": "a", **SECRETS, "keys": ["third"]}


@pytest.mark.parametrize("moved", [{"url": "b"}, {"url": "a", "port": 25}, {"url": "a", "hook": "https://x"}, {}])
def test_no_secret_follows_to_another_destination(moved: dict[str, Any]) -> None:
    kept = Kept(SECRETS)
    with pytest.raises(
        SettingsError, match=r"ours: keys, login must be entered again, because (url|port|hook) changed"
    ):
        merged_settings(kept.stored(), moved | {"token": "new"})
    assert kept.opened == []


def test_a_destination_left_at_its_default_has_not_changed() -> None:
    assert changed_destinations(Kept(SECRETS).stored(), {"url": "a"}) == ()
    assert changed_destinations(Kept(SECRETS).stored(port=25), {"url": "a"}) == ("port",)


def test_secrets_need_no_key_when_all_are_entered_again() -> None:
    kept = Kept(SECRETS)
    wanted = {"url": "b", **SECRETS}
    assert merged_settings(kept.stored(), wanted) == wanted
    assert kept.opened == []


def test_a_name_is_one_line_of_1_to_200_characters() -> None:
    assert clean_name("  one \n two ", "source") == "one two"
    for unusable in ("", " \t", "x" * 201):
        with pytest.raises(SettingsError, match="A channel needs a name of 1 to 200 characters"):
            clean_name(unusable, "channel")
