"""One logged-in session with a vCenter: who it is, a login when needed and once more when it expired, faults in words."""

from collections.abc import Callable
from typing import Any, TypeVar

from pyVmomi import vim, vmodl

from gavel.collectors.hosts.vcenter.faults import in_words
from gavel.collectors.hosts.vcenter.parse import moid
from gavel.collectors.hosts.vcenter.settings import VcenterSettings
from gavel.collectors.hosts.vcenter.soap import SoapStub, open_stub, service_content
from gavel.collectors.hosts.vcenter.wire import Wire
from gavel.domain.errors import (
    AuthenticationError,
    OverloadedError,
    PermissionMissingError,
    ProtocolError,
    SourceError,
    WrongKindError,
)
from gavel.domain.inventory import VcenterInfo
from gavel.egress.network import LOGOUT_S, parse_address, total_deadline
from gavel.egress.tls import ssl_context

T = TypeVar("T")


class VcenterClient:
    """Everything that is asked of one vCenter goes through `ask`, which logs in, once more if need be, and words faults.

    `session` counts logins: what was created on the server under an earlier one is gone. A refused password is never
    sent again by this client.
    """

    def __init__(self, settings: VcenterSettings) -> None:
        self._settings = settings
        self.address = parse_address(settings.address)
        self.wire = Wire(self.address, ssl_context(settings))
        self.session = 0
        self._stub: SoapStub | None = None
        self._content: Any = None
        self._identity: str | None = None
        self._logged_in = False
        self._refused: AuthenticationError | None = None

    @property
    def stub(self) -> SoapStub:
        return self._connected()[0]

    @property
    def content(self) -> Any:
        """vim.ServiceInstanceContent; connects, but does not log in."""
        return self._connected()[1]

    def about(self) -> VcenterInfo:
        """Who answers. Needs no login."""
        about = self.ask(lambda: self.content, login=False).about
        return VcenterInfo(
            key=about.instanceUuid,
            name=str(self.address),
            version=about.version,
            build=about.build,
            api_version=about.apiVersion,
        )

    def ask(self, question: Callable[[], T], *, login: bool = True) -> T:
        """The answer to a question that uses `content` and `stub`. Raises only SourceErrors."""
        try:
            if login:
                self._log_in()
            return question()
        except vim.fault.NotAuthenticated:
            self._logged_in = False
        except Exception as error:
            raise self._in_words(error) from error
        try:
            self._log_in()
            return question()
        except vim.fault.NotAuthenticated as error:
            raise AuthenticationError(
                f"{self.address}: the session of {self._settings.username!r} is refused right after its login. "
                "Check the vCenter's session limits."
            ) from error
        except Exception as error:
            raise self._in_words(error) from error

    def close(self) -> None:
        """Logs out; a vCenter that is away will end the session by itself."""
        try:
            if self._logged_in:
                with total_deadline(LOGOUT_S):
                    self.content.sessionManager.Logout()
        except (SourceError, vmodl.MethodFault):
            pass
        finally:
            self._logged_in = False
            self.wire.disconnect()

    def _connected(self) -> tuple[SoapStub, Any]:
        if self._stub is None:
            stub = open_stub(self.wire)
            self._content = service_content(stub)
            self._stub = stub
        return self._stub, self._content

    def _log_in(self) -> None:
        if self._refused:
            raise self._refused
        if self._logged_in:
            return
        self._stub = None  # whoever answers now may be another one than before
        content = self.content
        self._check_identity(content.about)
        try:
            content.sessionManager.Login(self._settings.username, self._settings.password.get_secret_value(), None)
        except vim.fault.InvalidLogin as error:
            self._refused = AuthenticationError(self._refused_words(error))
            raise self._refused from error
        self._logged_in = True
        self.session += 1

    def _refused_words(self, error: Any) -> str:
        who = f"{self.address}: login refused for {self._settings.username!r}"
        if isinstance(error, vim.fault.PasswordExpired):
            return (
                f"{who}: its password has expired. Set a new one in vCenter and under Sources; it is not tried before."
            )
        return (
            f"{who}. Check user name and password under Sources; it is not tried again until they are changed. An account that signs in"
            " through another identity provider, with a second factor or a SAML token, cannot be used: give a local account of the"
            " vCenter's own SSO domain, such as gavel@vsphere.local."
        )

    def _check_identity(self, about: Any) -> None:
        if self._identity not in {None, about.instanceUuid}:
            raise WrongKindError(
                f"{self.address}: another vCenter answers there now (instance {about.instanceUuid}, was {self._identity}). "
                "Add it as a source of its own, or correct the address."
            )
        self._identity = about.instanceUuid

    def _in_words(self, error: Exception) -> Exception:
        """The SourceError for a fault; what is no fault of the other side stays what it is."""
        if isinstance(error, vim.fault.NoPermission):
            place = moid(error.object) if error.object is not None else "an object"
            return PermissionMissingError(
                f"{self.address}: {self._settings.username!r} lacks the privilege {error.privilegeId} on {place}. "
                "Give the role Read-only on the vCenter's root, propagated to children.",
                privilege=error.privilegeId,
            )
        if isinstance(error, (vim.fault.Timedout, vmodl.fault.HostCommunication, vmodl.fault.RequestCanceled)):
            return OverloadedError(f"{self.address}: the vCenter could not answer now ({in_words(error)}).")
        if isinstance(error, vmodl.MethodFault):
            return ProtocolError(f"{self.address}: the vCenter answered with a fault ({in_words(error)}).")
        return error
