"""SOAP on the wire: pyVmomi writes requests and reads replies, the connection and its deadlines are ours."""

import contextlib
import io
import re
from collections.abc import Iterator
from typing import Any, Final

from lxml import etree
from pyVmomi import vim
from pyVmomi.SoapAdapter import SoapResponseDeserializer, SoapStubAdapterBase
from pyVmomi.VmomiSupport import GetServiceVersions, versionIdMap

from gavel.collectors.hosts.vcenter.wire import SDK_PATH, Reply, TooLargeError, Wire
from gavel.domain.errors import ProtocolError, WrongKindError

ENVELOPE_START: Final = (
    b'<?xml version="1.0" encoding="UTF-8"?>\n'
    b'<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"'
    b' xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">'
    b"<soapenv:Body>"
)
ENVELOPE_END: Final = b"</soapenv:Body></soapenv:Envelope>"
_STARTS_LIKE: Final = 80
_MOST_TAGS: Final = 1_500_000
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")


class SoapStub(SoapStubAdapterBase):
    """What pyVmomi's managed objects call through. The session cookie lives here and nowhere else."""

    def __init__(self, wire: Wire, version: str) -> None:
        super().__init__(version)  # type: ignore[no-untyped-call]
        self.wire = wire
        self.requestContext = None
        self._cookie: str | None = None

    def InvokeMethod(self, mo: Any, info: Any, args: Any) -> Any:  # noqa: N802 - pyVmomi's name
        """Calls a method. Raises the server's fault as pyVmomi types it, or a SourceError."""
        return self.result(info, *self.answer(mo, info, args))

    def answer(self, mo: Any, info: Any, args: Any) -> tuple[bytes, int]:
        """Body and status of the reply to a call, for `result`. Raises SourceErrors."""
        body: bytes = self.SerializeRequest(mo, info, args)  # type: ignore[no-untyped-call]
        with self.exchange(body) as reply:
            return reply.content(), reply.status

    def result(self, info: Any, content: bytes, status: int) -> Any:
        """The object that an answer holds, or its fault raised."""
        result = self._deserialized(content, info.result, status)
        if status != 200 or isinstance(result, Exception) or f"{info.wsdlName}Response".encode() not in content:
            raise self._as_fault(result, content)
        return result

    @contextlib.contextmanager
    def exchange(self, body: bytes) -> Iterator[Reply]:
        """A POST of a complete envelope within the session, as `Wire.exchange`; keeps the cookie that a login sets."""
        headers = {"Content-Type": "text/xml; charset=UTF-8", "SOAPAction": self.versionId}
        if self._cookie:
            headers["Cookie"] = f"vmware_soap_session={self._cookie}"
        with self.wire.exchange("POST", SDK_PATH, body, headers) as reply:
            self._cookie = reply.session_cookie or self._cookie
            yield reply

    def forget_session(self) -> None:
        self._cookie = None

    def fault(self, reply: Reply) -> Exception:
        """The fault a raw call was answered with."""
        content = reply.content()
        return self._as_fault(self._deserialized(content, object, reply.status), content)

    def _deserialized(self, content: bytes, result: Any, status: int) -> Any:
        if status not in {200, 500}:
            raise ProtocolError(f"{self.wire.address}: HTTP {status} in answer to a SOAP call; not a vCenter's SDK?")
        self._refuse_bulk(content)
        try:
            # Given as a file, because only then pyVmomi looks at whether the document ends.
            return SoapResponseDeserializer(self).Deserialize(io.BytesIO(content), result)
        except Exception as error:  # pyVmomi raises anything on what it cannot read
            raise ProtocolError(
                f"{self.wire.address}: the answer is not SOAP ({_shown(content)}): {error}. "
                "Check that no proxy answers in place of the vCenter."
            ) from error

    def _refuse_bulk(self, content: bytes) -> None:
        """Before anything is made of it: a document type (no vCenter sends one; entities grow) and more elements than an answer has."""
        if has_doctype(content):
            raise ProtocolError(
                f"{self.wire.address}: not an answer in SOAP but a document of a type ({_shown(content)})."
            )
        if content.count(b"<") > _MOST_TAGS:
            raise TooLargeError(
                f"{self.wire.address}: an answer of more than {_MOST_TAGS:,} tags, which no vCenter sends; given up."
            )

    def _as_fault(self, result: Any, content: bytes) -> Exception:
        if isinstance(result, Exception):
            return result
        return ProtocolError(f"{self.wire.address}: neither an answer nor a fault in SOAP ({_shown(content)}).")


def open_stub(wire: Wire) -> SoapStub:
    """A stub in the newest API version both sides know. Sends no credentials. WrongKindError when it is no vSphere."""
    with wire.exchange("GET", f"{SDK_PATH}/vimServiceVersions.xml") as reply:
        content = reply.content()
    offered = _offered_versions(content) if reply.status == 200 else set()
    known: list[str] = GetServiceVersions("vim25")
    for version in known:
        if versionIdMap[version] in offered:
            return SoapStub(wire, version)
    found = f"offers only {', '.join(sorted(offered))}" if offered else f"HTTP {reply.status}, {_shown(content)}"
    raise WrongKindError(
        f"{wire.address}: this is not a vCenter: {SDK_PATH}/vimServiceVersions.xml is missing or unknown ({found}). "
        "Give the address of a vCenter Server 6.5 or newer."
    )


def has_doctype(content: bytes) -> bool:
    """Whether it is a document of a type, in whatever encoding: those beyond ASCII count as such, for SOAP is sent in UTF-8."""
    return b"<!DOCTYPE" in content or b"<!ENTITY" in content or content[:4].count(b"\0") > 0 or content[:2] in _UTF_16


def _offered_versions(content: bytes) -> set[str]:
    """API versions in a vimServiceVersions document, such as "8.0.3.0"; none when it is something else."""
    if has_doctype(content):
        return set()
    try:
        root = etree.fromstring(content, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return set()
    offered: set[str] = set()
    for namespace in root.iter("namespace"):
        if namespace.findtext("name") == "urn:vim25":
            offered |= {version.text or "" for version in namespace.iter("version")}
    return offered


# Stands for bytes that are no UTF-8; the cut may make one.
_NO_LETTER = "\N{REPLACEMENT CHARACTER}"


def _shown(content: bytes) -> str:
    if b"\0" in content or content[:_STARTS_LIKE].decode(errors="replace").count(_NO_LETTER) > 1:
        return f"{len(content)} bytes that are no text"
    text = re.sub(r"\s+", " ", content[: _STARTS_LIKE * 2].decode(errors="replace")).strip()
    return f"starts with {text[:_STARTS_LIKE]!r}" if text else "empty"


def service_content(stub: SoapStub) -> Any:
    """vim.ServiceInstanceContent; readable before a login. Raises WrongKindError for an ESXi host."""
    content = vim.ServiceInstance("ServiceInstance", stub).RetrieveContent()
    about = content.about
    if about.apiType != "VirtualCenter":
        raise WrongKindError(
            f"{stub.wire.address}: this is {about.fullName}, not a vCenter. Give the vCenter that manages this host."
        )
    return content
