"""The sources this process has open: one collector each, kept between runs, so that a source sees one login and not one per poll."""

import json
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import structlog
from pydantic import BaseModel, ValidationError

from gavel.collectors.contract import Collector
from gavel.collectors.registry import COLLECTORS
from gavel.db.queries.sources import SourceRow
from gavel.domain.errors import SettingsError
from gavel.domain.source import SourceKind
from gavel.vault import SealedSecrets, Vault

log = structlog.get_logger(__name__)

_CLOSED_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class _Open:
    fingerprint: str
    collector: Collector


class Connections:
    """Not shared between threads or processes; `close` logs out everywhere."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._open: dict[int, _Open] = {}

    @property
    def vault(self) -> Vault:
        """What opens the secrets of whatever this process talks to."""
        return self._vault

    def collector(self, source: SourceRow) -> Collector:
        """The open collector of a source; opened anew when its settings have changed since."""
        fingerprint = _fingerprint(source)
        known = self._open.get(source.id)
        if known and known.fingerprint == fingerprint:
            return known.collector
        self.drop(source.id)
        collector = open_collector(source.kind, full_settings(source, self._vault))
        self._open[source.id] = _Open(fingerprint, collector)
        return collector

    def drop(self, source_id: int) -> None:
        known = self._open.pop(source_id, None)
        if known:
            known.collector.close()

    def close(self) -> None:
        """All at once: one that does not answer must not keep the others from being logged out in time."""
        collectors = [known.collector for known in self._open.values()]
        self._open.clear()
        if collectors:
            with ThreadPoolExecutor(max_workers=min(len(collectors), _CLOSED_AT_ONCE)) as pool:
                list(pool.map(lambda collector: collector.close(), collectors))


def open_collector(kind: SourceKind, settings: dict[str, Any]) -> Collector:
    """A collector with these settings, secrets included. Raises SettingsError naming the field that does not fit."""
    registered = COLLECTORS[kind]
    return registered.open(validate_settings(kind, settings))


def validate_settings(kind: SourceKind, settings: dict[str, Any]) -> BaseModel:
    try:
        return COLLECTORS[kind].settings.model_validate(settings)
    except ValidationError as error:
        raise InvalidSettingsError(error) from error


class InvalidSettingsError(SettingsError):
    """Settings of a source that do not fit its kind; `fields` names each with what is wrong."""

    def __init__(self, error: ValidationError) -> None:
        self.fields = [
            # What a validator says is a sentence of its own: "Value error" adds nothing to it.
            (".".join(str(part) for part in item["loc"]) or "settings", item["msg"].removeprefix("Value error, "))
            for item in error.errors(include_url=False, include_context=False, include_input=False)
        ]
        super().__init__("; ".join(f"{field}: {message}" for field, message in self.fields))


def full_settings(source: SourceRow, vault: Vault) -> dict[str, Any]:
    """A source's settings with its secrets filled in, for the collector only."""
    return dict(source.settings) | stored_secrets(source, vault)


def sealed_secrets(source_id: int, secrets: Mapping[str, Any], vault: Vault) -> SealedSecrets:
    """What `stored_secrets` opens again."""
    return vault.seal(secrets, owner=owner_of(source_id))


def stored_secrets(source: SourceRow, vault: Vault) -> dict[str, Any]:
    """Raises SettingsError where the key is another one."""
    if source.secrets_encrypted is None or source.secrets_key_id is None:
        return {}
    sealed = SealedSecrets(source.secrets_encrypted, source.secrets_key_id)
    return vault.open(sealed, owner=owner_of(source.id))


def owner_of(source_id: int) -> str:
    """The name under which a source's secrets are sealed."""
    return f"source/{source_id}"


def _fingerprint(source: SourceRow) -> str:
    secrets = (source.secrets_encrypted or b"").hex()
    return json.dumps([source.kind, dict(source.settings), secrets, source.secrets_key_id], sort_keys=True)
