"""What can go wrong with a source, named so that a person knows the cause, the object and what to do."""

from enum import StrEnum

from gavel.domain.text import clean_text


class ErrorKind(StrEnum):
    """Stable names of failure causes, as stored in `collection_run.error_kind` and shown in the UI."""

    AUTHENTICATION = "authentication"  # the credentials were refused; waiting does not help
    PERMISSION = "permission"  # logged in, but a privilege is missing
    CERTIFICATE = "certificate"  # TLS peer not trusted, expired, wrong name, or the pin changed
    NAME = "name"  # the host name does not resolve
    UNREACHABLE = "unreachable"  # refused, no route, reset
    TIMEOUT = "timeout"  # a connect, read or total deadline passed
    OVERLOADED = "overloaded"  # 429, 503, "server is busy"
    PROTOCOL = "protocol"  # an answer that is not what this kind of source sends
    WRONG_KIND = "wrong_kind"  # something answers there, but it is not such a source
    SETTINGS = "settings"  # what is stored for the source cannot be used: a secret that does not open, a field that does not fit
    DUPLICATE = "duplicate"  # the array or vCenter is read as another source already
    STORAGE = "storage"  # Gavel's own database refused the write
    INTERNAL = "internal"  # a fault of Gavel itself


class GavelError(Exception):
    """An expected failure. Its text names what was tried, on what, and what to do; it is shown to people as it is."""


class SettingsError(GavelError):
    """A setting or an argument is unusable as given."""


class SourceError(GavelError):
    """A source could not be read. The message may quote what the source sent: it is kept to one line of bounded length.

    `retry_after_s`: when it wishes to be asked again, if it said so.
    """

    kind = ErrorKind.INTERNAL

    def __init__(self, message: str, *, retry_after_s: float | None = None) -> None:
        super().__init__(clean_text(message))
        self.retry_after_s = retry_after_s


class AuthenticationError(SourceError):
    kind = ErrorKind.AUTHENTICATION


class PermissionMissingError(SourceError):
    """`privilege`: which one is missing, by the source's own name of it."""

    kind = ErrorKind.PERMISSION

    def __init__(self, message: str, *, privilege: str | None = None) -> None:
        super().__init__(message)
        self.privilege = privilege


class CertificateError(SourceError):
    """`presented_sha256`: of the certificate that was not trusted, 64 hex digits; None where it could not be read."""

    kind = ErrorKind.CERTIFICATE

    def __init__(self, message: str, *, presented_sha256: str | None = None) -> None:
        super().__init__(message)
        self.presented_sha256 = presented_sha256


class NameResolutionError(SourceError):
    kind = ErrorKind.NAME


class SourceUnreachableError(SourceError):
    kind = ErrorKind.UNREACHABLE


class DeadlineError(SourceError):
    kind = ErrorKind.TIMEOUT


class OverloadedError(SourceError):
    kind = ErrorKind.OVERLOADED


class ProtocolError(SourceError):
    kind = ErrorKind.PROTOCOL


class WrongKindError(SourceError):
    kind = ErrorKind.WRONG_KIND


class DuplicateError(SourceError):
    kind = ErrorKind.DUPLICATE
