"""Turns request bytes into calls and results into response bytes, on pyVmomi's own type catalogue.

Both directions use the classes the real SDK uses, so a property or parameter that does not exist cannot slip through.
"""

import io
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from xml.parsers.expat import ParserCreate
from xml.sax.saxutils import escape

from lxml import etree
from pyVmomi import SoapAdapter, VmomiSupport, vim, vmodl

NAMESPACE = "urn:vim25"
ENVELOPE = "http://schemas.xmlsoap.org/soap/envelope/"
MAX_REQUEST_BYTES = 64 * 1024 * 1024
MAX_REQUEST_ELEMENTS = 500_000  # the real server's hard limit per document

_NAMESPACES = {VmomiSupport.XMLNS_XSI: "xsi", VmomiSupport.XMLNS_XSD: "xsd", NAMESPACE: ""}
_OLDEST_VERSION = "vim.version.version1"
_START = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    f'<soapenv:Envelope xmlns:soapenc="http://schemas.xmlsoap.org/soap/encoding/" xmlns:soapenv="{ENVELOPE}" '
    f'xmlns:xsd="{VmomiSupport.XMLNS_XSD}" xmlns:xsi="{VmomiSupport.XMLNS_XSI}"><soapenv:Body>'
).encode()
_END = b"</soapenv:Body></soapenv:Envelope>"


class Markup(bytes):
    """An answer already in XML: the children of the response element, written without going through objects."""


class FaultError(Exception):
    """A call that fails the way vCenter fails: `detail` is the vmodl fault object, the message its human text."""

    def __init__(self, detail: Any, message: str) -> None:
        super().__init__(message)
        self.detail = detail
        self.message = message


@dataclass(frozen=True, slots=True)
class Call:
    """One SOAP call. `receiver` is the managed object's id; `element` holds the arguments, not yet decoded."""

    method: str
    receiver_type: str
    receiver: str
    element: Any
    version: str
    text: str = ""  # the request as faults look for their `match` in it


def local_name(element: Any) -> str:
    name: str = element.tag
    return name.rpartition("}")[2]


def text_of(element: Any, name: str) -> str:
    """Text of the first child of that name; empty when there is none."""
    child = next((one for one in element if local_name(one) == name), None)
    return "" if child is None else (child.text or "").strip()


def invalid_request(message: str) -> FaultError:
    return FaultError(vmodl.fault.InvalidRequest(), message)


def _missing_parameter(name: str, method: str) -> FaultError:
    return invalid_request(
        f"\nRequired parameter {name} is missing\n\nwhile parsing call information for method {method}"
    )


def parse_call(body: bytes, version: str, text: str = "") -> Call:
    """The call inside a SOAP envelope. Raises FaultError (InvalidRequest) for anything that is not one."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(body, parser)
    except etree.XMLSyntaxError as error:
        raise invalid_request(f"\nParse error: {error}") from error
    if root.getroottree().docinfo.doctype:
        raise invalid_request("\nA document type declaration is not allowed")
    if root.xpath("count(//*)") > MAX_REQUEST_ELEMENTS:
        raise invalid_request(
            f"\nRequest is too large: more than {MAX_REQUEST_ELEMENTS} XML elements\n\nwhile parsing SOAP body"
        )
    body_element = root.find(f"{{{ENVELOPE}}}Body")
    if body_element is None or len(body_element) != 1:
        raise invalid_request("\nExpected one call inside the SOAP body")
    element = body_element[0]
    receiver = next((child for child in element if local_name(child) == "_this"), None)
    if receiver is None:
        raise _missing_parameter("_this", local_name(element))
    return Call(local_name(element), receiver.get("type", ""), (receiver.text or "").strip(), element, version, text)


def catalogued(method: str) -> Any | None:
    """pyVmomi's description of a method, or None when the API has no such method."""
    try:
        return VmomiSupport.GetWsdlMethod(NAMESPACE, method).info
    except KeyError:
        return None


def not_found(type_name: str, moref: str) -> FaultError:
    """The object a call is about does not exist."""
    try:
        kind = VmomiSupport.GuessWsdlType(type_name)
    except KeyError:
        kind = vim.ManagedEntity
    return FaultError(
        vmodl.fault.ManagedObjectNotFound(obj=kind(moref)),
        f"The object '{type_name}:{moref}' has already been deleted or has not been completely created",
    )


def required(method: str) -> Any:
    """The description of a method that is known to exist."""
    return VmomiSupport.GetWsdlMethod(NAMESPACE, method).info


def is_newer(version: str, than: str) -> bool:
    """Whether an API version includes another one (and is not it)."""
    return version != than and than in VmomiSupport.GetVersionParents(version)


def decode(element: Any, expected: Any, version: str) -> Any:
    """One request element as the object a client serialised it from."""
    decoder = SoapAdapter.SoapDeserializer(None, version)
    parser = ParserCreate(namespace_separator=SoapAdapter.NS_SEP)
    decoder.Deserialize(parser, expected)
    parser.Parse(etree.tostring(element, with_tail=False), True)
    return decoder.GetResult()


def arguments(call: Call, parameters: Iterable[Any]) -> dict[str, Any]:
    """Decoded arguments by name; absent optional ones are None (lists: empty). Raises FaultError on a wrong or missing one."""
    found: dict[str, Any] = {}
    for parameter in parameters:
        elements = [child for child in call.element if local_name(child) == parameter.name]
        is_list = issubclass(parameter.type, list)
        if not elements and not parameter.flags & VmomiSupport.F_OPTIONAL:
            raise _missing_parameter(parameter.name, call.method)
        try:
            values = [
                decode(element, parameter.type.Item if is_list else parameter.type, call.version)
                for element in elements
            ]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise invalid_request(
                f"\nwhile parsing parameter {parameter.name} of method {call.method}: {error}"
            ) from error
        found[parameter.name] = values if is_list else (values[0] if values else None)
    return found


def markup(name: str, value: Any, declared: Any, version: str) -> bytes:
    """`value` as the element `name`, for a place declared as type `declared`; None and empty lists give nothing."""
    if value is None or (isinstance(value, list) and not value and declared is not object):
        return b""
    writer = io.StringIO()
    serializer = SoapAdapter.SoapSerializer(writer, version, _NAMESPACES)
    serializer.outermostAttrs = ""
    place = VmomiSupport.Object(name=name, type=declared, flags=VmomiSupport.F_OPTIONAL, version=_OLDEST_VERSION)
    serializer.Serialize(value, place)
    # pyVmomi leaves the word "Reference" out of the type of a single reference; the API's schema has it.
    return writer.getvalue().replace(' xsi:type="ManagedObject"', ' xsi:type="ManagedObjectReference"').encode()


def response(method: str, inner: bytes) -> bytes:
    return b"".join(
        (_START, f'<{method}Response xmlns="{NAMESPACE}">'.encode(), inner, f"</{method}Response>".encode(), _END)
    )


def fault_response(fault: FaultError, version: str) -> bytes:
    """The vendor's fault envelope: faultcode, text, and the typed fault under <detail>."""
    name = f"{VmomiSupport.GetWsdlName(type(fault.detail))}Fault"
    writer = io.StringIO()
    serializer = SoapAdapter.SoapSerializer(writer, version, _NAMESPACES)
    serializer.outermostAttrs = ""
    serializer.SerializeFaultDetail(
        fault.detail, VmomiSupport.Object(name=name, type=object, flags=0, version=_OLDEST_VERSION)
    )
    detail = writer.getvalue().replace(f"<{name}", f'<{name} xmlns="{NAMESPACE}"', 1)
    text = (
        "<soapenv:Fault><faultcode>ServerFaultCode</faultcode>"
        f"<faultstring>{escape(fault.message)}</faultstring><detail>{detail}</detail></soapenv:Fault>"
    )
    return _START + text.encode() + _END
