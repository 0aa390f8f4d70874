"""Channels: added, changed, tried and removed. Secrets go in and never come out."""

import json
import types
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, SecretStr, ValidationError

from gavel.alerting.contract import ChannelKind, ChannelSettings
from gavel.alerting.registry import CHANNELS
from gavel.db.engine import Connection, Engine, reading, transaction
from gavel.db.queries import channels as stored
from gavel.db.queries.channels import ChannelRow
from gavel.domain.errors import SettingsError
from gavel.pipeline.connections import InvalidSettingsError
from gavel.pipeline.outside import Outside
from gavel.pipeline.secrets import SealedSecrets, Vault
from gavel.pipeline.sending import Trial, try_out

# Fields that say where a secret is sent, or whom it is shown to: it never follows to another place.
_PLACES = (
    "url",
    "urls",
    "webhook_url",
    "api_url",
    "events_url",
    "host",
    "port",
    "security",
    "ca_pem",
    "fingerprint_sha256",
)
# What of a channel's secrets the vault keeps under one name.
_SEALED = "settings"


@dataclass(frozen=True, slots=True)
class ChannelChange:
    """None leaves a thing as it is; second_id 0: no second channel."""

    name: str | None = None
    settings: Mapping[str, Any] | None = None
    enabled: bool | None = None
    route: Mapping[str, Any] | None = None
    second_id: int | None = None


def kinds() -> tuple[ChannelKind, ...]:
    """Every kind of channel that can be added."""
    return tuple(CHANNELS.values())


def kind_of(text: str) -> ChannelKind:
    """Raises SettingsError."""
    if text not in CHANNELS:
        raise SettingsError(f"{text!r} is not a kind of channel. Known kinds: {', '.join(CHANNELS)}.")
    return CHANNELS[text]


def secret_fields(kind: ChannelKind) -> frozenset[str]:
    fields = kind.settings.model_fields
    return frozenset(name for name, field in fields.items() if _is_secret(field.annotation))


def secrets_set(row: ChannelRow) -> list[str]:
    """Secret fields that have a value. Which of them do is no secret, and kept beside the envelope."""
    return list(row.secrets_set)


def add(
    engine: Engine,
    vault: Vault,
    *,
    kind: str,
    name: str,
    settings: Mapping[str, Any],
    enabled: bool,
    route: Mapping[str, Any],
    second_id: int | None,
    now: datetime,
) -> int:
    """Its id. Raises SettingsError (unusable settings), NameTakenError. Sends nothing anywhere."""
    known = kind_of(kind)
    public, secrets = _split(known, validate(known, settings))
    with transaction(engine) as connection:
        channel_id = stored.add_channel(
            connection,
            kind=kind,
            name=_clean_name(name),
            settings=public,
            enabled=enabled,
            route=dict(route),
            second_id=_second(connection, second_id, None),
            created_at=now,
        )
        _store_secrets(connection, vault, channel_id, secrets)
    return channel_id


def change(engine: Engine, vault: Vault, channel_id: int, wanted: ChannelChange) -> None:
    """Raises SettingsError, NotFoundError, NameTakenError."""
    with transaction(engine) as connection:
        row = stored.channel_row(connection, channel_id)
        changes: dict[str, Any] = {}
        if wanted.name is not None:
            changes["name"] = _clean_name(wanted.name)
        if wanted.route is not None:
            changes["route"] = dict(wanted.route)
        if wanted.second_id is not None:
            changes["second_id"] = _second(connection, wanted.second_id, channel_id)
        if wanted.enabled is not None:
            changes["enabled"] = wanted.enabled
        if wanted.settings is not None:
            kind = kind_of(row.kind)
            public, secrets = _split(kind, validate(kind, merged(row, wanted.settings, vault)))
            changes["settings"] = public
            _store_secrets(connection, vault, channel_id, secrets)
        if wanted.enabled or wanted.settings is not None:
            # Somebody has looked at it: what failed before says nothing about it any more.
            changes |= {"failures": 0, "retry_at": None, "off_reason": None}
        stored.change_channel(connection, channel_id, **changes)


def remove(engine: Engine, channel_id: int) -> None:
    """Raises NotFoundError."""
    with transaction(engine) as connection:
        stored.remove_channel(connection, channel_id)


def try_settings(kind: str, settings: Mapping[str, Any], outside: Outside, now: datetime) -> Trial:
    """Send a test message without saving anything."""
    known = kind_of(kind)
    return try_out(known, validate(known, settings), outside, now)


def try_changed(
    engine: Engine, vault: Vault, channel_id: int, settings: Mapping[str, Any], outside: Outside, now: datetime
) -> Trial:
    """Send a test message with changed settings; secrets left out are the stored ones."""
    with reading(engine) as connection:
        row = stored.channel_row(connection, channel_id)
    kind = kind_of(row.kind)
    return try_out(kind, validate(kind, merged(row, settings, vault)), outside, now)


def try_stored(engine: Engine, vault: Vault, channel_id: int, outside: Outside, now: datetime) -> Trial:
    """Send a test message with what is stored."""
    with reading(engine) as connection:
        row = stored.channel_row(connection, channel_id)
    return try_out(kind_of(row.kind), full_settings(row, vault), outside, now)


def full_settings(row: ChannelRow, vault: Vault) -> ChannelSettings:
    """A channel's settings with its secrets, for delivery only. Raises SettingsError."""
    return validate(kind_of(row.kind), {**row.settings, **_opened(row, vault)})


def validate(kind: ChannelKind, settings: Mapping[str, Any]) -> ChannelSettings:
    """Raises InvalidSettingsError that names each field."""
    try:
        return kind.settings.model_validate(dict(settings))
    except ValidationError as error:
        raise InvalidSettingsError(error) from error


def merged(row: ChannelRow, wanted: Mapping[str, Any], vault: Vault) -> dict[str, Any]:
    """New settings with the secrets that stay. A secret never follows to another place: then it has to be given again."""
    secrets = secret_fields(kind_of(row.kind))
    given = {name: value for name, value in wanted.items() if not (name in secrets and value in (None, "", [], ()))}
    kept = {name: value for name, value in _opened(row, vault).items() if name not in given}
    moved = [name for name in _PLACES if name not in kept and (given.get(name) or None) != _public(row, name, secrets)]
    if kept and moved:
        raise SettingsError(
            f"{row.name}: {', '.join(sorted(kept))} must be entered again, because {', '.join(moved)} changed: "
            "a stored secret is only ever sent to the place it was entered for."
        )
    return given | kept


def _public(row: ChannelRow, name: str, secrets: frozenset[str]) -> Any:
    """What stands there now; of a secret that is given anew it is not asked whether it is the same."""
    return object() if name in secrets else row.settings.get(name)


def _opened(row: ChannelRow, vault: Vault) -> dict[str, Any]:
    if row.secrets_encrypted is None or row.secrets_key_id is None:
        return {}
    sealed = SealedSecrets(row.secrets_encrypted, row.secrets_key_id)
    opened: dict[str, Any] = json.loads(vault.open(sealed, owner=_owner(row.id))[_SEALED])
    return opened


def _owner(channel_id: int) -> str:
    """The name under which a channel's secrets are sealed."""
    return f"channel/{channel_id}"


def _store_secrets(connection: Connection, vault: Vault, channel_id: int, secrets: Mapping[str, Any]) -> None:
    sealed = vault.seal({_SEALED: json.dumps(dict(secrets))}, owner=_owner(channel_id))
    stored.change_channel(
        connection,
        channel_id,
        secrets_encrypted=sealed.envelope,
        secrets_key_id=sealed.key_id,
        secrets_set=sorted(secrets),
    )


def _split(kind: ChannelKind, model: BaseModel) -> tuple[dict[str, Any], dict[str, Any]]:
    """Settings as the database may show them, and the secrets."""
    names = secret_fields(kind)
    plain = {name: _plain(getattr(model, name)) for name in type(model).model_fields}
    known = {name: value for name, value in plain.items() if value is not None}
    public = {name: value for name, value in known.items() if name not in names}
    return public, {name: value for name, value in known.items() if name in names}


def _plain(value: Any) -> Any:
    if isinstance(value, SecretStr):
        return value.get_secret_value()
    return [_plain(one) for one in value] if isinstance(value, tuple | list) else value


def _is_secret(annotation: Any) -> bool:
    """Also within Annotated, Optional and tuples."""
    if annotation is SecretStr:
        return True
    if get_origin(annotation) in (Annotated, Union, types.UnionType, tuple, list):
        return any(_is_secret(one) for one in get_args(annotation))
    return False


def _second(connection: Connection, second_id: int | None, own_id: int | None) -> int | None:
    if not second_id:
        return None
    if second_id == own_id:
        raise SettingsError("A channel cannot tell of its own dead letters; choose another one as the second.")
    return stored.channel_row(connection, second_id).id


def _clean_name(name: str) -> str:
    cleaned = " ".join(name.split())
    if not 1 <= len(cleaned) <= 200:
        raise SettingsError("A channel needs a name of 1 to 200 characters.")
    return cleaned
