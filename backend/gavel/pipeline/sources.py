"""Adding, changing, trying and removing sources."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, SecretStr

from gavel.collectors.contract import CollectorKind
from gavel.collectors.registry import COLLECTORS
from gavel.db.engine import Connection, Engine, reading, transaction
from gavel.db.queries import sources as stored
from gavel.db.queries.sources import SourceRow
from gavel.domain.errors import SettingsError
from gavel.domain.source import Check, CheckState, Preflight, SourceKind
from gavel.pipeline.connections import (
    full_settings,
    open_collector,
    owner_of,
    secret_fields,
    stored_secrets,
    validate_settings,
)
from gavel.pipeline.secrets import Vault


class SourceThereError(SettingsError):
    """The array or vCenter is a source already."""


@dataclass(frozen=True, slots=True)
class SourceChange:
    """What to change; None leaves a thing as it is."""

    name: str | None = None
    settings: Mapping[str, Any] | None = None
    enabled: bool | None = None


def kinds() -> tuple[CollectorKind, ...]:
    """Every kind of source that can be added."""
    return tuple(COLLECTORS.values())


def register(
    engine: Engine,
    vault: Vault,
    *,
    kind: str,
    name: str,
    settings: Mapping[str, Any],
    enabled: bool = True,
    announced: bool = False,
) -> int:
    """Add a source; its id. Sends nothing anywhere. announced: by a machine that may be about to move another source from this address.

    Raises SettingsError for unusable settings, SourceThereError for an address that is a source's, or NameTakenError.
    """
    known = kind_of(kind)
    model = validate_settings(known, dict(settings))
    public, secrets = _split(known, model)
    with transaction(engine) as connection:
        source_id = stored.add_source(
            connection,
            kind=known,
            name=_clean_name(name),
            address=public["address"],
            settings=public,
            enabled=enabled,
            now=datetime.now(UTC),
        )
        if not announced:
            _refuse_address(connection, known, public["address"], but=source_id)
        _store_secrets(connection, vault, source_id, secrets)
    return source_id


def ensure(engine: Engine, vault: Vault, *, kind: str, name: str, settings: Mapping[str, Any]) -> int:
    """Register, or bring the source of this name to these settings. For sources that a machine announces at each start."""
    with reading(engine) as connection:
        known = next((source for source in stored.sources(connection) if source.name == name), None)
    if known is None:
        return register(engine, vault, kind=kind, name=name, settings=settings, announced=True)
    if full_settings(known, vault) != _plain(validate_settings(known.kind, dict(settings))):
        change(engine, vault, known.id, SourceChange(settings=settings), announced=True)
    return known.id


def change(engine: Engine, vault: Vault, source_id: int, wanted: SourceChange, *, announced: bool = False) -> None:
    """Apply a change. Secrets left out stay, unless the address or the trusted certificate changes: then they must be given again."""
    with transaction(engine) as connection:
        source = stored.source(connection, source_id)
        changes: dict[str, Any] = {}
        if wanted.name is not None:
            changes["name"] = _clean_name(wanted.name)
        if wanted.enabled is not None:
            changes["enabled"] = wanted.enabled
        if wanted.settings is not None:
            model = validate_settings(source.kind, merged_settings(source, wanted.settings, vault))
            public, secrets = _split(source.kind, model)
            if not announced and _place(public["address"]) != _place(source.address):
                _refuse_address(connection, source.kind, public["address"], but=source_id)
            changes |= {"settings": public, "address": public["address"]}
            _store_secrets(connection, vault, source_id, secrets)
        if changes:
            stored.change_source(connection, source_id, **changes)


def merged_settings(source: SourceRow, wanted: Mapping[str, Any], vault: Vault) -> dict[str, Any]:
    """New settings completed with the secrets that stay. A secret never follows to another address or another certificate."""
    secrets = secret_fields(source.kind)
    given = {name: value for name, value in wanted.items() if not (name in secrets and value in (None, ""))}
    missing = secrets - given.keys()
    if not missing:
        return given
    elsewhere = moved(source, given)
    if elsewhere:
        raise SettingsError(
            f"{source.name}: {', '.join(sorted(missing))} must be entered again, because {', '.join(elsewhere)} changed: "
            "a stored secret is only ever sent to the place it was entered for."
        )
    kept = stored_secrets(source, vault)
    return given | {name: kept[name] for name in missing if name in kept}


def moved(source: SourceRow, wanted: Mapping[str, Any]) -> tuple[str, ...]:
    """The settings that say whom a secret is sent to and that change: address, trusted certificate."""
    bound = ("address", "ca_pem", "fingerprint_sha256")
    return tuple(name for name in bound if (wanted.get(name) or None) != (source.settings.get(name) or None))


def remove(engine: Engine, source_id: int) -> None:
    with transaction(engine) as connection:
        stored.source(connection, source_id)
        stored.remove_source(connection, source_id)


def test_settings(engine: Engine, kind: str, settings: Mapping[str, Any]) -> Preflight:
    """Try settings, secrets included, without saving anything. Ends within 20 s."""
    known = kind_of(kind)
    return not_there_already(engine, known, _preflight(known, dict(settings)), None)


def test_stored(engine: Engine, vault: Vault, source_id: int) -> Preflight:
    """Try a source with what is stored for it."""
    with reading(engine) as connection:
        source = stored.source(connection, source_id)
    return not_there_already(engine, source.kind, _preflight(source.kind, full_settings(source, vault)), source_id)


def test_changed(engine: Engine, vault: Vault, source_id: int, settings: Mapping[str, Any]) -> Preflight:
    """Try changed settings of a source; secrets left out are the stored ones, at their own address only."""
    with reading(engine) as connection:
        source = stored.source(connection, source_id)
    found = _preflight(source.kind, merged_settings(source, settings, vault))
    return not_there_already(engine, source.kind, found, source_id)


def not_there_already(engine: Engine, kind: SourceKind, found: Preflight, source_id: int | None) -> Preflight:
    """With a failed check where another source than `source_id` is the same array or vCenter, whatever its address."""
    if found.identity is None:
        return found
    with reading(engine) as connection:
        same = stored.twins(connection, kind, found.identity, but=source_id)
    if not same:
        return found
    detail = f"The source {same[0].name!r} ({same[0].address}) reads the same already; what it does would count twice."
    remedy = f"Use {same[0].name!r}, or give the address of another one."
    return replace(found, checks=(*found.checks, Check("Not a source already", CheckState.FAILED, detail, remedy)))


def kind_of(text: str) -> SourceKind:
    try:
        return SourceKind(text)
    except ValueError as error:
        known = ", ".join(SourceKind)
        raise SettingsError(f"{text!r} is not a kind of source. Known kinds: {known}.") from error


def _preflight(kind: SourceKind, settings: dict[str, Any]) -> Preflight:
    collector = open_collector(kind, settings)
    try:
        return collector.preflight()
    finally:
        collector.close()


def _refuse_address(connection: Connection, kind: SourceKind, address: str, *, but: int) -> None:
    for known in stored.sources(connection):
        if known.id != but and known.kind is kind and _place(known.address) == _place(address):
            raise SourceThereError(
                f"{address}: the source {known.name!r} reads it already, and what it does would count twice. Change {known.name!r} instead."
            )


def _place(address: str) -> str:
    """Host and port as they are connected to: names have no case, and both kinds answer on 443 unless told otherwise."""
    return address.strip().lower().rstrip(".").removesuffix(":443").rstrip(".")


def _split(kind: SourceKind, model: BaseModel) -> tuple[dict[str, Any], dict[str, str]]:
    """Settings as the database may show them, and the secrets."""
    names = secret_fields(kind)
    plain = _plain(model)
    return {name: value for name, value in plain.items() if name not in names}, {name: plain[name] for name in names}


def _plain(model: BaseModel) -> dict[str, Any]:
    return {
        name: value.get_secret_value() if isinstance(value, SecretStr) else value
        for name, value in model.model_dump().items()
        if value is not None
    }


def _store_secrets(connection: Connection, vault: Vault, source_id: int, secrets: Mapping[str, str]) -> None:
    sealed = vault.seal(secrets, owner=owner_of(source_id))
    stored.store_secrets(connection, source_id, sealed.envelope, sealed.key_id)


def _clean_name(name: str) -> str:
    cleaned = " ".join(name.split())
    if not 1 <= len(cleaned) <= 200:
        raise SettingsError("A source needs a name of 1 to 200 characters.")
    return cleaned
