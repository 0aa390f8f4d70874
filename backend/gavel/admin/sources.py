"""Adding, changing, trying and removing sources."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes

from gavel import clock
from gavel.admin.settings_form import (
    StoredSettings,
    changed_destinations,
    clean_name,
    merged_settings,
    public_settings,
    secret_fields,
    split_settings,
)
from gavel.collectors.contract import CollectorKind
from gavel.collectors.registry import COLLECTORS
from gavel.db.engine import Connection, Engine, reading, transaction
from gavel.db.queries import sources as stored
from gavel.db.queries.sources import SourceRow
from gavel.domain.errors import SettingsError
from gavel.domain.source import Check, CheckState, Preflight, SourceKind
from gavel.egress.tls import presented_der, system_trusts
from gavel.ingest.connections import (
    full_settings,
    open_collector,
    sealed_secrets,
    stored_secrets,
    validate_settings,
)
from gavel.vault import Vault


class SourceThereError(SettingsError):
    """The array or vCenter is a source already."""


@dataclass(frozen=True, slots=True)
class SourceUpdate:
    """What to change; None leaves a thing as it is."""

    name: str | None = None
    settings: Mapping[str, Any] | None = None
    enabled: bool | None = None


def kinds() -> tuple[CollectorKind, ...]:
    """Every kind of source that can be added."""
    return tuple(COLLECTORS.values())


def kind_title(kind: SourceKind) -> str:
    """What readers call it, such as "VMware vCenter"."""
    return COLLECTORS[kind].title


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
    parts = split_settings(validate_settings(known, dict(settings)))
    address = parts.public["address"]
    with transaction(engine) as connection:
        source_id = stored.add_source(
            connection,
            kind=known,
            name=clean_name(name, "source"),
            address=address,
            settings=parts.public,
            enabled=enabled,
            now=clock.now(),
        )
        if not announced:
            _refuse_address(connection, known, address, but=source_id)
        _store_secrets(connection, vault, source_id, parts.secrets)
    return source_id


def bring_up_to_date(engine: Engine, vault: Vault, source_id: int, settings: Mapping[str, Any]) -> None:
    """Give a source the settings that a machine announces for it. Its name is the reader's and stays."""
    with reading(engine) as connection:
        known = stored.source(connection, source_id)
    wanted = split_settings(validate_settings(known.kind, dict(settings)))
    if _readable_settings(known, vault) != wanted.public | wanted.secrets:
        change(engine, vault, known.id, SourceUpdate(settings=settings), announced=True)


def _readable_settings(source: SourceRow, vault: Vault) -> dict[str, Any] | None:
    """With the secrets; None where the key that they were encrypted with is lost, so that they have to be stored anew."""
    try:
        return full_settings(source, vault)
    except SettingsError:
        return None


def change(engine: Engine, vault: Vault, source_id: int, wanted: SourceUpdate, *, announced: bool = False) -> None:
    """Apply a change. Secrets left out stay, unless the address or the trusted certificate changes: then they must be given again."""
    with transaction(engine) as connection:
        source = stored.source(connection, source_id)
        changes: dict[str, Any] = {}
        if wanted.name is not None:
            changes["name"] = clean_name(wanted.name, "source")
        if wanted.enabled is not None:
            changes["enabled"] = wanted.enabled
        if wanted.settings is not None:
            merged = merged_settings(_stored(source, vault), wanted.settings)
            parts = split_settings(validate_settings(source.kind, merged))
            address = parts.public["address"]
            if not announced and endpoint(address) != endpoint(source.address):
                _refuse_address(connection, source.kind, address, but=source_id)
            changes |= {"settings": parts.public, "address": address}
            _store_secrets(connection, vault, source_id, parts.secrets)
        if changes:
            stored.change_source(connection, source_id, **changes)


def secret_names(kind: SourceKind) -> frozenset[str]:
    """The secret settings of a kind."""
    return secret_fields(COLLECTORS[kind].settings)


def secrets_set(source: SourceRow, vault: Vault) -> frozenset[str]:
    """Secret settings that have a value; where the key is lost, those that cannot but have one."""
    try:
        return frozenset(stored_secrets(source, vault))
    except SettingsError:
        model = COLLECTORS[source.kind].settings
        return frozenset(name for name in secret_fields(model) if model.model_fields[name].is_required())


def shown_settings(source: SourceRow) -> dict[str, Any]:
    """Its settings without anything secret."""
    return public_settings(COLLECTORS[source.kind].settings, source.settings)


def goes_elsewhere(source: SourceRow, wanted: Mapping[str, Any], vault: Vault) -> bool:
    """Whether these settings send secrets to another place than the stored ones do, or trust another certificate."""
    return bool(changed_destinations(_stored(source, vault), wanted))


def _stored(source: SourceRow, vault: Vault) -> StoredSettings:
    return StoredSettings(
        name=source.name,
        model=COLLECTORS[source.kind].settings,
        public=source.settings,
        secrets_set=secrets_set(source, vault),
        open_secrets=lambda: stored_secrets(source, vault),
    )


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
    found = _preflight(source.kind, merged_settings(_stored(source, vault), settings))
    return not_there_already(engine, source.kind, found, source_id)


def not_there_already(engine: Engine, kind: SourceKind, preflight: Preflight, source_id: int | None) -> Preflight:
    """With a failed check where another source than `source_id` is the same array or vCenter, whatever its address."""
    if preflight.identity is None:
        return preflight
    with reading(engine) as connection:
        same = stored.twins(connection, kind, preflight.identity, but=source_id)
    if not same:
        return preflight
    detail = f"The source {same[0].name!r} ({same[0].address}) reads the same already; what it does would count twice."
    remedy = f"Use {same[0].name!r}, or give the address of another one."
    return replace(
        preflight, checks=(*preflight.checks, Check("Not a source already", CheckState.FAILED, detail, remedy))
    )


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
        if known.id != but and known.kind is kind and endpoint(known.address) == endpoint(address):
            raise SourceThereError(
                f"{address}: the source {known.name!r} already polls this address; its I/O would be counted twice."
                f" Change {known.name!r} instead."
            )


def endpoint(address: str) -> str:
    """Host and port as they are connected to: names have no case, and the default port of both kinds is 443."""
    return address.strip().lower().rstrip(".").removesuffix(":443").rstrip(".")


def _store_secrets(connection: Connection, vault: Vault, source_id: int, secrets: Mapping[str, Any]) -> None:
    sealed = sealed_secrets(source_id, secrets, vault)
    stored.store_secrets(connection, source_id, sealed.envelope, sealed.key_id)


@dataclass(frozen=True, slots=True)
class Certificate:
    """The certificate a host presents, for a person to compare. Nothing but a TLS greeting was sent to get it."""

    address: str
    sha256: str
    subject: str
    issuer: str
    not_after: datetime
    trusted_by_system: bool


def presented_certificate(address: str) -> Certificate:
    """Raises SettingsError for an unusable address, else a SourceError."""
    try:
        der = presented_der(address)
    except ValueError as error:
        raise SettingsError(str(error)) from error
    parsed = x509.load_der_x509_certificate(der)
    return Certificate(
        address=address,
        sha256=parsed.fingerprint(hashes.SHA256()).hex(),
        subject=parsed.subject.rfc4514_string(),
        issuer=parsed.issuer.rfc4514_string(),
        not_after=parsed.not_valid_after_utc,
        trusted_by_system=system_trusts(address),
    )
