"""The certificate an address presents, for a person to look at before trusting it."""

from dataclasses import dataclass
from datetime import datetime

from cryptography import x509
from cryptography.hazmat.primitives import hashes

from gavel.domain.errors import SettingsError
from gavel.trust import presented_der, system_trusts


@dataclass(frozen=True, slots=True)
class Certificate:
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
