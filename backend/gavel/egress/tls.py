"""Whom to believe at the other end of TLS: the system's authorities, a given authority (PEM) or one pinned certificate.

Trusting anyone is not on offer. The certificate is checked inside the handshake, so a stranger never sees a credential.
"""

import hashlib
import re
import socket
import ssl
from collections.abc import Iterator
from typing import Any, Final, cast

from pydantic import BaseModel, Field, field_validator, model_validator
from pydantic.config import JsonDict

from gavel.domain.errors import (
    CertificateError,
    DeadlineError,
    NameResolutionError,
    SourceError,
    SourceUnreachableError,
    WrongKindError,
)
from gavel.egress.network import CONNECT_S, READ_S, Address, open_tcp, parse_address, remaining_s, total_deadline
from gavel.egress.reserved import NeverConnectedError, refuse_never_connected

# Of a setting that few have to think about: forms fold it away.
ADVANCED: Final[JsonDict] = {"advanced": True}
# Of a setting that says where a secret is sent or whom it is shown to: a stored secret never follows when it changes.
DESTINATION: Final[JsonDict] = {"destination": True}
_FINGERPRINT = re.compile(r"[0-9a-f]{64}")


class TlsTrust(BaseModel):
    """The settings that say which certificate is accepted. With neither field set, the system's authorities decide.

    Forms are made from these settings' schemas: `format` says what is offered beside a field.
    """

    ca_pem: str | None = Field(
        default=None,
        title="Certificate authority",
        description="PEM text of the private authority that signed the certificate. The host name is checked too.",
        json_schema_extra={"format": "multiline", **ADVANCED, **DESTINATION},
    )
    fingerprint_sha256: str | None = Field(
        default=None,
        title="Certificate fingerprint (SHA-256)",
        description="Optional: 64 hex digits, colons allowed. Exactly this certificate is accepted then, self-signed or not. "
        "Empty: only one that is trusted already.",
        json_schema_extra={"format": "certificate-sha256", **DESTINATION},
    )

    @field_validator("ca_pem", "fingerprint_sha256", mode="before")
    @classmethod
    def _blank_is_absent(cls, value: object) -> object:
        return None if isinstance(value, str) and not value.strip() else value

    @field_validator("fingerprint_sha256")
    @classmethod
    def _hex(cls, value: str | None) -> str | None:
        if value is None:
            return None
        digits = re.sub(r"[:\s]", "", value).lower()
        if not _FINGERPRINT.fullmatch(digits):
            raise ValueError("a SHA-256 fingerprint has 64 hex digits; a shorter one is SHA-1 and not accepted")
        return digits

    @field_validator("ca_pem")
    @classmethod
    def _readable_pem(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(cadata=value)
            except (ssl.SSLError, ValueError) as error:
                raise ValueError("not a certificate in PEM form (-----BEGIN CERTIFICATE----- ...)") from error
        return value

    @model_validator(mode="after")
    def _one_way(self) -> "TlsTrust":
        if self.ca_pem and self.fingerprint_sha256:
            raise ValueError("give either a certificate authority or a fingerprint, not both")
        return self


class PinMismatchError(ssl.SSLError):
    """The peer proved to own another certificate than the pinned one. `presented` is its SHA-256 in hex."""

    def __init__(self, presented: str, pinned: str) -> None:
        super().__init__(f"presented certificate {presented} is not the pinned {pinned}")
        self.presented = presented
        self.pinned = pinned


class TrustContext(ssl.SSLContext):
    """A TLS context that also enforces a pin inside the handshake and the total deadline in every read and write."""

    pin: str | None = None


class GuardedSocket(ssl.SSLSocket):
    """TLS socket of a `TrustContext`. Works under any library that calls `SSLContext.wrap_socket`."""

    def do_handshake(self, block: bool = False) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            # Libraries resolve names by themselves, and a name may lead elsewhere the second time.
            refuse_never_connected(self.getpeername()[0])
        self._within_deadline(super().do_handshake, block)
        pin = getattr(self.context, "pin", None)
        presented = hashlib.sha256(self.getpeercert(binary_form=True) or b"").hexdigest()
        if pin is not None and presented != pin:
            raise PinMismatchError(presented, pin)

    def read(self, *args: Any) -> Any:
        return self._within_deadline(super().read, *args)

    def send(self, *args: Any) -> int:
        return cast("int", self._within_deadline(super().send, *args))

    def _within_deadline(self, operation: Any, *args: Any) -> Any:
        own = self.gettimeout()
        self.settimeout(remaining_s(own))
        try:
            return operation(*args)
        finally:
            self.settimeout(own)


def ssl_context(trust: TlsTrust) -> TrustContext:
    """The context for all connections to a source. Fits every library that calls `SSLContext.wrap_socket`."""
    context = TrustContext(ssl.PROTOCOL_TLS_CLIENT)
    context.sslsocket_class = GuardedSocket
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if trust.fingerprint_sha256:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.pin = trust.fingerprint_sha256
    elif trust.ca_pem:
        context.load_verify_locations(cadata=trust.ca_pem)
    else:
        context.load_default_certs()
    return context


def open_tls(
    address: Address, context: TrustContext, *, connect_s: float = CONNECT_S, read_s: float = READ_S
) -> ssl.SSLSocket:
    """A TLS connection whose peer is trusted. Raises OSError; `network_error` puts it in words."""
    sock = open_tcp(address, timeout_s=connect_s)
    sock.settimeout(read_s)
    try:
        return context.wrap_socket(sock, server_hostname=address.host)
    except BaseException:
        sock.close()
        raise


def fetch_fingerprint(address: str, timeout_s: float = 5.0) -> str:
    """SHA-256 (64 hex digits) of the certificate that `host[:port]` presents now, trusted or not; see `presented_der`."""
    return hashlib.sha256(presented_der(address, timeout_s)).hexdigest()


def presented_der(address: str, timeout_s: float = 5.0) -> bytes:
    """The certificate that `host[:port]` presents now, trusted or not, in DER. Sends nothing but the handshake.

    For the "trust this certificate?" dialog. Raises ValueError for an unusable address, else a SourceError.
    """
    where = parse_address(address)
    curious = TrustContext(ssl.PROTOCOL_TLS_CLIENT)
    curious.sslsocket_class = GuardedSocket
    curious.check_hostname = False
    curious.verify_mode = ssl.CERT_NONE
    try:
        with total_deadline(timeout_s), open_tls(where, curious, read_s=timeout_s) as sock:
            return sock.getpeercert(binary_form=True) or b""
    except OSError as error:
        raise network_error(where, error) from error


def system_trusts(address: str, timeout_s: float = 5.0) -> bool:
    """Whether the system's authorities vouch for what `host[:port]` presents now."""
    try:
        with total_deadline(timeout_s), open_tls(parse_address(address), ssl_context(TlsTrust()), read_s=timeout_s):
            return True
    except OSError:
        return False


def network_error(address: Address, error: BaseException) -> SourceError:
    """What an OSError below a call to `address` means, in words to act on, also when an HTTP library has wrapped it."""
    for cause in _causes(error):
        if isinstance(cause, OSError):
            return _in_words(address, cause)
    return SourceUnreachableError(f"{address}: the connection failed ({error}).")


def _in_words(address: Address, error: OSError) -> SourceError:
    match error:
        case PinMismatchError():
            return _changed(address, error)
        case ssl.SSLCertVerificationError():
            return _untrusted(address, error)
        case socket.gaierror():
            reason = f"the name {address.host!r} does not resolve ({error.strerror}). Check the spelling and the DNS."
            return NameResolutionError(f"{address}: {reason}")
        case NeverConnectedError():
            return SourceUnreachableError(
                f"{address}: leads to {error}. Give the address of the source's management port."
            )
        case TimeoutError():
            reason = f"no answer in time ({error}). Check the address, the port and the firewalls in between."
            return DeadlineError(f"{address}: {reason}")
        case ssl.SSLEOFError() | ssl.SSLZeroReturnError():
            return SourceUnreachableError(
                f"{address}: the connection was cut off. If it repeats, look at the source's health."
            )
        case ssl.SSLError():
            reason = f"does not speak TLS as expected ({error.reason or error}). Check host and port."
            return WrongKindError(f"{address}: {reason}")
    reason = f"not reachable ({error.strerror or error}). Check the address, the port and that the service runs."
    return SourceUnreachableError(f"{address}: {reason}")


def _changed(address: Address, error: PinMismatchError) -> CertificateError:
    return CertificateError(
        f"{address}: the certificate is not the pinned one. Presented: {error.presented}; pinned: {error.pinned}. "
        "If it was renewed on purpose, pin the presented one; if not, the connection may be intercepted. No credentials were sent.",
        presented_sha256=error.presented,
    )


def _untrusted(address: Address, error: ssl.SSLCertVerificationError) -> CertificateError:
    presented: str | None = None
    try:
        presented = fetch_fingerprint(str(address), CONNECT_S)
        told = f"Its SHA-256 is {presented}. "
    except SourceError as failure:
        told = f"Its fingerprint could not be read ({failure}). "
    return CertificateError(
        f"{address}: the certificate is not trusted ({error.verify_message or error.reason}). {told}"
        "Give the authority's PEM, or pin this fingerprint after comparing it at the source. No credentials were sent.",
        presented_sha256=presented,
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """The error and what it came from, outermost first."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__
