"""The settings of a stored channel, with its secrets, for whoever sends by it."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from gavel.alerting.contract import ChannelKind, ChannelSettings
from gavel.alerting.registry import CHANNELS
from gavel.db.queries.channels import ChannelRow
from gavel.domain.errors import SettingsError
from gavel.ingest.connections import InvalidSettingsError
from gavel.vault import SealedSecrets, Vault

# All secrets of a channel are sealed under this one name.
_SEALED = "settings"


def kind_of(text: str) -> ChannelKind:
    """Raises SettingsError."""
    if text not in CHANNELS:
        raise SettingsError(f"{text!r} is not a kind of channel. Known kinds: {', '.join(CHANNELS)}.")
    return CHANNELS[text]


def full_settings(row: ChannelRow, vault: Vault) -> ChannelSettings:
    """A channel's settings with its secrets, for delivery only. Raises SettingsError."""
    return validate(kind_of(row.kind), {**row.settings, **stored_secrets(row, vault)})


def validate(kind: ChannelKind, settings: Mapping[str, Any]) -> ChannelSettings:
    """Raises InvalidSettingsError that names each field."""
    try:
        return kind.settings.model_validate(dict(settings))
    except ValidationError as error:
        raise InvalidSettingsError(error) from error


def sealed_secrets(channel_id: int, secrets: Mapping[str, Any], vault: Vault) -> SealedSecrets:
    """What `stored_secrets` opens again."""
    return vault.seal({_SEALED: json.dumps(dict(secrets))}, owner=owner_of(channel_id))


def stored_secrets(row: ChannelRow, vault: Vault) -> dict[str, Any]:
    """Raises SettingsError where the key is another one."""
    if row.secrets_encrypted is None or row.secrets_key_id is None:
        return {}
    sealed = SealedSecrets(row.secrets_encrypted, row.secrets_key_id)
    opened: dict[str, Any] = json.loads(vault.open(sealed, owner=owner_of(row.id))[_SEALED])
    return opened


def owner_of(channel_id: int) -> str:
    """The name under which a channel's secrets are sealed."""
    return f"channel/{channel_id}"
