"""A fault of vSphere in words a reader knows: its message where it has one, else what its type says."""

import re
from typing import Any, Final

from lxml import etree

from gavel.collectors.hosts.vcenter.soap import has_doctype

_WORDS: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


_XML: Final = etree.XMLParser(resolve_entities=False, no_network=True)
_TYPE: Final = "{http://www.w3.org/2001/XMLSchema-instance}type"
# A key of a message catalogue, such as "EsxCLI.CLIFault.summary", which stands where a message should.
_KEY: Final = re.compile(r"[\w.-]+\.[\w.-]+")


def in_words(fault: Any) -> str:
    """ "No permission", "Host not connected: Unable to communicate with the remote host"; also of a LocalizedMethodFault."""
    if (inner := getattr(fault, "fault", None)) is not None:
        return _joined(type(inner).__name__, getattr(fault, "localizedMessage", None) or getattr(inner, "msg", None))
    return _joined(type(fault).__name__, getattr(fault, "msg", None))


def _joined(kind: str, text: object) -> str:
    name, message = type_in_words(kind), _line(str(text or ""))
    return f"{name}: {message}" if message else name


def type_in_words(name: str) -> str:
    """ "vim.fault.NotFound" or "LocalizedMethodFault" as words: "not found"."""
    words = _WORDS.findall(name.rpartition(".")[2])
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in words).capitalize()


def of_esxcli(message: str, detail: str) -> tuple[str, str]:
    """Type and words of a fault that came within an answer, where `detail` is XML inside a text: a LocalizedMethodFault, or what a
    command printed (`errMsg`). The type is empty where it is not given."""
    try:
        content = detail.encode()
        root = etree.fromstring(content, _XML) if content.strip() and not has_doctype(content) else None
    except etree.XMLSyntaxError:
        root = None
    if root is None:
        return "", _first(message, "" if "<" in detail else detail) or "no reason is given"
    kinds = (element.get(_TYPE) for element in root.iter("{*}fault", "{*}Fault", "{*}obj"))
    kind = next((found.rpartition(":")[2] for found in kinds if found), "")
    printed = "; ".join(filter(None, (_line(element.text) for element in root.iter("{*}errMsg"))))
    privilege = _line(next(root.iter("{*}privilegeId"), root).text) if kind == "NoPermission" else ""
    if privilege:
        return kind, f"the privilege {privilege} is missing"
    localized = _line(next((element.text for element in root.iter("{*}localizedMessage")), ""))
    return kind, printed or _first(localized, message) or type_in_words(kind) or "no reason is given"


def _first(*messages: str) -> str:
    return next((line for line in map(_line, messages) if line and not _KEY.fullmatch(line)), "")


def _line(text: str | None) -> str:
    return " ".join((text or "").split()).rstrip(".")
