"""The HTTP side of one vCenter: /sdk, its version file, logging in and out, and the way from a request to its method."""

import re
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from typing import Any

from pyVmomi import VmomiSupport, vim, vmodl

from gavel_lab.environment import VCenter
from gavel_lab.lab import Lab
from gavel_lab.serve import App, Response
from gavel_lab.serve import Request as HttpRequest
from gavel_lab.vcenter import rest, soap
from gavel_lab.vcenter.esxcli import ESXCLI_METHODS
from gavel_lab.vcenter.methods import METHODS, Method, Request
from gavel_lab.vcenter.sessions import Session, not_authenticated, user_session
from gavel_lab.vcenter.site import Site
from gavel_lab.vcenter.soap import Call, FaultError, Markup
from gavel_lab.vcenter.tree import Node
from gavel_lab.vcenter.world import World, content
from gavel_lab.wire_faults import text_of

COOKIE = "vmware_soap_session"
XML = "text/xml; charset=utf-8"
_PRIOR_VERSIONS = ("8.0.2.0", "8.0.1.0", "8.0.0.2", "8.0.0.1", "8.0.0.0", "7.0.3.2", "7.0.3.0", "7.0.2.0", "7.0.1.0",
                   "7.0.0.0", "6.7.3", "6.7", "6.5", "6.0", "5.5")  # fmt: skip
_READ_ONLY = ("System.Anonymous", "System.Read", "System.View")  # privileges of the built-in read-only role
_ACTION = re.compile(r"urn:(vim25/[0-9A-Za-z.]+)")


def create(lab: Lab, vcenter: VCenter) -> App:
    """The vCenter as a function from HTTP request to response."""
    return Server(World(Site(lab, vcenter))).handle


class Server:
    """Answers HTTP requests. Thread-safe."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._vcenter = world.site.vcenter
        faults, name = world.site.lab.faults, self._vcenter.name
        self._rest = rest.RestServer(world.site, lambda: faults.session_generation(name))
        self._version = VmomiSupport.versionMap[f"vim25/{self._vcenter.api_version}"]

    def handle(self, request: HttpRequest) -> Response:
        path = request.path.rstrip("/")
        if request.path.startswith(rest.PREFIXES):
            return self._rest.handle(request)
        if path == "/sdk/vimServiceVersions.xml":
            return Response(200, self._versions(), XML)
        if path not in ("/sdk", "/sdk/vimService"):
            return Response(404, b"Not Found", "text/plain")
        if request.method != "POST":
            return Response(405, b"Method Not Allowed", "text/plain", {"Allow": "POST"})
        if len(request.body) > soap.MAX_REQUEST_BYTES:
            return Response(413, b"Request Entity Too Large", "text/plain")
        return self._soap(request)

    def _versions(self) -> bytes:
        own = self._vcenter.api_version
        older = [one for one in ("8.0.3.0", *_PRIOR_VERSIONS) if one != own]
        listed = "".join(f"<version>{one}</version>" for one in older)
        return (
            '<?xml version="1.0" encoding="UTF-8" ?><namespaces version="1.0"><namespace><name>urn:vim25</name>'
            f"<version>{own}</version><priorVersions>{listed}</priorVersions></namespace></namespaces>"
        ).encode()

    def _soap(self, request: HttpRequest) -> Response:
        version = self._negotiated(request.headers)
        try:
            call = soap.parse_call(request.body, version, text_of(request.method, request.path, request.body))
            inner, headers = self._call(call, request.headers)
        except FaultError as fault:
            return Response(500, soap.fault_response(fault, version), XML)
        return Response(200, soap.response(call.method, inner), XML, headers)

    def _negotiated(self, headers: Mapping[str, str]) -> str:
        """The API version the client speaks, at most our own: it decides which properties it may be shown."""
        asked = _ACTION.search(headers.get("soapaction", ""))
        version = VmomiSupport.versionMap.get(asked.group(1)) if asked else None
        if version is None or soap.is_newer(version, self._version):
            return str(self._version)
        return str(version)

    def _call(self, call: Call, headers: Mapping[str, str]) -> tuple[bytes, dict[str, str]]:
        cookie = _cookie(headers)
        session = self._world.sessions.find(cookie)
        if call.method == "Login":
            return self._login(call, headers)
        if call.method == "RetrieveServiceContent":
            return self._written(call, content(self._world.site)), {}
        if session is None:
            raise not_authenticated(vim.SessionManager("SessionManager"))
        if call.method == "Logout":
            self._world.sessions.close(cookie)
            return b"", {}
        return self._authenticated(call, session), {}

    def _login(self, call: Call, headers: Mapping[str, str]) -> tuple[bytes, dict[str, str]]:
        given = soap.arguments(call, soap.required("Login").params)
        if (given["userName"], given["password"]) != (self._vcenter.username, self._vcenter.password):
            raise FaultError(
                vim.fault.InvalidLogin(), "Cannot complete login due to an incorrect user name or password."
            )
        cookie, session = self._world.sessions.open(given["userName"], headers.get("user-agent", ""))
        return self._written(call, user_session(session)), {
            "Set-Cookie": f'{COOKIE}="{cookie}"; Path=/; HttpOnly; Secure;'
        }

    def _authenticated(self, call: Call, session: Session) -> bytes:
        node = self._world.find(session, call.receiver)
        self._refuse(call, node)
        if call.method in ESXCLI_METHODS:
            return ESXCLI_METHODS[call.method](self._world.site, call)
        if node is None:
            raise soap.not_found(call.receiver_type, call.receiver)
        if call.method == "Fetch":
            return self._fetch(call, session, node)
        if call.method == "QueryPerf":
            return self._world.performance.query(call.element, call.text)
        method = _permitted(call, node)
        arguments = soap.arguments(call, soap.required(call.method).params)
        return self._written(call, method(Request(self._world, session, call, node, arguments)))

    def _refuse(self, call: Call, node: Node | None) -> None:
        """Where the account was left without a privilege on purpose. Asking which privileges it has needs none."""
        fault = self._world.refused(call)
        if fault and node is not None and call.method != "HasPrivilegeOnEntity":
            raise _no_permission(node, str(fault.parameters["privilege"]))

    def _written(self, call: Call, result: Any) -> bytes:
        if isinstance(result, Markup):
            return result
        return soap.markup("returnval", result, soap.required(call.method).result, call.version)

    def _fetch(self, call: Call, session: Session, node: Node) -> bytes:
        """pyVmomi's own call behind `host.name`: one property, returned as its declared type."""
        path = soap.text_of(call.element, "prop")
        return self._world.fetch(session, node, path, call.version)


def _permitted(call: Call, node: Node) -> Method:
    """The method of a call. The lab's account may only read: what needs more is NoPermission, the rest is not there."""
    info = soap.catalogued(call.method)
    if info is not None and issubclass(node.type, info.type):
        if call.method in METHODS:
            return METHODS[call.method]
        if info.privId and info.privId not in _READ_ONLY:
            raise _no_permission(node, info.privId)
    raise FaultError(
        vmodl.fault.MethodNotFound(receiver=node.type(node.moref), method=call.method),
        f"Method {call.method} is not implemented on {call.receiver_type}:{call.receiver}",
    )


def _no_permission(node: Node, privilege: str) -> FaultError:
    return FaultError(
        vim.fault.NoPermission(object=node.type(node.moref), privilegeId=privilege),
        "Permission to perform this operation was denied.",
    )


def _cookie(headers: Mapping[str, str]) -> str | None:
    try:
        jar = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return None
    return jar[COOKIE].value if COOKIE in jar else None
