"""Channels: added, changed, tried and removed. Secrets go in and never come out."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gavel.admin.settings_form import StoredSettings, clean_name, merged_settings, public_settings, split_settings
from gavel.alerting.contract import ChannelKind, ChannelSettings
from gavel.alerting.registry import CHANNELS
from gavel.alerting.use.deliver import Trial, try_out
from gavel.alerting.use.settings import full_settings, kind_of, sealed_secrets, stored_secrets, validate
from gavel.db.engine import Connection, Engine, reading, transaction
from gavel.db.queries import channels as stored
from gavel.db.queries.channels import ChannelRow
from gavel.domain.errors import SettingsError
from gavel.egress.policy import OutboundPolicy
from gavel.vault import Vault


@dataclass(frozen=True, slots=True)
class ChannelUpdate:
    """None leaves a thing as it is; second_id 0: no second channel."""

    name: str | None = None
    settings: Mapping[str, Any] | None = None
    enabled: bool | None = None
    route: Mapping[str, Any] | None = None
    second_id: int | None = None


def kinds() -> tuple[ChannelKind, ...]:
    """Every kind of channel that can be added."""
    return tuple(CHANNELS.values())


def shown_settings(row: ChannelRow) -> dict[str, Any]:
    """Its settings without anything secret; none of a kind that this release does not have."""
    kind = CHANNELS.get(row.kind)
    return public_settings(kind.settings, row.settings) if kind else {}


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
    parts = split_settings(validate(known, settings))
    with transaction(engine) as connection:
        channel_id = stored.add_channel(
            connection,
            kind=kind,
            name=clean_name(name, "channel"),
            settings=parts.public,
            enabled=enabled,
            route=dict(route),
            second_id=_second(connection, second_id, None),
            created_at=now,
        )
        _store_secrets(connection, vault, channel_id, parts.secrets)
    return channel_id


def change(engine: Engine, vault: Vault, channel_id: int, wanted: ChannelUpdate) -> None:
    """Raises SettingsError, NotFoundError, NameTakenError."""
    with transaction(engine) as connection:
        row = stored.channel_row(connection, channel_id)
        changes: dict[str, Any] = {}
        if wanted.name is not None:
            changes["name"] = clean_name(wanted.name, "channel")
        if wanted.route is not None:
            changes["route"] = dict(wanted.route)
        if wanted.second_id is not None:
            changes["second_id"] = _second(connection, wanted.second_id, channel_id)
        if wanted.enabled is not None:
            changes["enabled"] = wanted.enabled
        if wanted.settings is not None:
            parts = split_settings(_changed_settings(row, wanted.settings, vault))
            changes["settings"] = parts.public
            _store_secrets(connection, vault, channel_id, parts.secrets)
        if wanted.enabled or wanted.settings is not None:
            # Somebody has looked at it: what failed before says nothing about it any more.
            changes |= {"failures": 0, "retry_at": None, "off_reason": None}
        stored.change_channel(connection, channel_id, **changes)


def remove(engine: Engine, channel_id: int) -> None:
    """Raises NotFoundError."""
    with transaction(engine) as connection:
        stored.remove_channel(connection, channel_id)


def try_settings(kind: str, settings: Mapping[str, Any], outside: OutboundPolicy, now: datetime) -> Trial:
    """Send a test message without saving anything."""
    known = kind_of(kind)
    return try_out(known, validate(known, settings), outside, now)


def try_changed(
    engine: Engine, vault: Vault, channel_id: int, settings: Mapping[str, Any], outside: OutboundPolicy, now: datetime
) -> Trial:
    """Send a test message with changed settings; secrets left out are the stored ones."""
    with reading(engine) as connection:
        row = stored.channel_row(connection, channel_id)
    return try_out(kind_of(row.kind), _changed_settings(row, settings, vault), outside, now)


def try_stored(engine: Engine, vault: Vault, channel_id: int, outside: OutboundPolicy, now: datetime) -> Trial:
    """Send a test message with what is stored."""
    with reading(engine) as connection:
        row = stored.channel_row(connection, channel_id)
    return try_out(kind_of(row.kind), full_settings(row, vault), outside, now)


def _changed_settings(row: ChannelRow, wanted: Mapping[str, Any], vault: Vault) -> ChannelSettings:
    """New settings with the secrets that stay. Raises SettingsError."""
    kind = kind_of(row.kind)
    stored_now = StoredSettings(
        name=row.name,
        model=kind.settings,
        public=row.settings,
        secrets_set=frozenset(row.secrets_set),
        open_secrets=lambda: stored_secrets(row, vault),
    )
    return validate(kind, merged_settings(stored_now, wanted))


def _store_secrets(connection: Connection, vault: Vault, channel_id: int, secrets: Mapping[str, Any]) -> None:
    sealed = sealed_secrets(channel_id, secrets, vault)
    stored.change_channel(
        connection,
        channel_id,
        secrets_encrypted=sealed.envelope,
        secrets_key_id=sealed.key_id,
        secrets_set=sorted(secrets),
    )


def _second(connection: Connection, second_id: int | None, own_id: int | None) -> int | None:
    if not second_id:
        return None
    if second_id == own_id:
        raise SettingsError("A channel cannot report its own dead letters; choose another one as the second channel.")
    return stored.channel_row(connection, second_id).id
