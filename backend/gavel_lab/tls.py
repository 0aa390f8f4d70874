"""Self-signed certificates of the sources, made once and kept, so that a pin stays true over restarts."""

import datetime as dt
import ipaddress
import os
import ssl
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

# Whatever the clock of the lab or of a client says, a test of anything else never meets an expired certificate.
_VALID_FROM = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_VALID_UNTIL = dt.datetime(2100, 1, 1, tzinfo=dt.UTC)
_CERTIFICATE, _KEY = "{}.crt", "{}.key"


@dataclass(frozen=True)
class Identity:
    """A certificate with its key. `sha256` is what a client pins: 64 lower-case hex digits of the DER form."""

    context: ssl.SSLContext
    certificate: Path
    sha256: str


def identity(folder: Path, name: str) -> Identity:
    """The certificate of a source, from `folder` or new. Raises OSError or ValueError naming the file that is unusable."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    certificate, key = folder / _CERTIFICATE.format(name), folder / _KEY.format(name)
    if not (certificate.exists() and key.exists()):
        _create(certificate, key, name)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
        loaded = x509.load_pem_x509_certificate(certificate.read_bytes())
    except (ssl.SSLError, ValueError) as error:
        raise ValueError(f"{certificate} and {key} are not a certificate and its key: {error}. Delete both.") from error
    return Identity(context, certificate, loaded.fingerprint(hashes.SHA256()).hex())


def _create(certificate: Path, key: Path, name: str) -> None:
    private = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    alternatives = [
        x509.DNSName(name),
        x509.DNSName("localhost"),
        x509.IPAddress(ipaddress.IPv4Address("127.0.0.1")),
    ]
    signed = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_VALID_FROM)
        .not_valid_after(_VALID_UNTIL)
        .add_extension(x509.SubjectAlternativeName(alternatives), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(private, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    secret = private.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    _write(key, secret, 0o600)
    _write(certificate, signed.public_bytes(pem), 0o644)


def _write(path: Path, content: bytes, mode: int) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, mode)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
