"""Reading properties once: RetrieveProperties(Ex) with paging, and the XML both reading and watching are made of."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4
from xml.sax.saxutils import escape

from pyVmomi import vmodl

from gavel_lab.faults import FaultKind
from gavel_lab.vcenter.selection import NO_PROPERTIES, Selected, select
from gavel_lab.vcenter.services import PROTECTED
from gavel_lab.vcenter.sessions import Session
from gavel_lab.vcenter.soap import FaultError, Markup
from gavel_lab.vcenter.tree import Node, type_name
from gavel_lab.vcenter.world import World

PAGE_OBJECTS = 100  # the server's own limits; clients may ask for less
PAGE_BYTES = 8 * 1024 * 1024
MAX_OPEN_PAGES = 32


@dataclass
class Pages:
    """What is left of retrievals that did not fit one page, by token. Only the newest few are kept."""

    left: OrderedDict[str, Sequence[Selected]] = field(default_factory=OrderedDict)

    def keep(self, rest: Sequence[Selected]) -> str:
        token = uuid4().hex
        self.left[token] = rest
        while len(self.left) > MAX_OPEN_PAGES:
            self.left.popitem(last=False)
        return token

    def take(self, token: str) -> Sequence[Selected]:
        if token not in self.left:
            raise FaultError(
                vmodl.fault.InvalidArgument(invalidProperty="token"), "A specified parameter was not correct: token"
            )
        return self.left.pop(token)


def object_tag(name: str, node: Node) -> bytes:
    return f'<{name} type="{type_name(node)}">{escape(node.moref)}</{name}>'.encode()


def properties(world: World, session: Session, selected: Selected, version: str) -> list[tuple[str, bytes]]:
    """(path, `<val>` element) of every property that is set."""
    refused = set(unreadable(world, selected))
    written = (
        (path, world.markup(session, selected.node, path, version))
        for path in selected.paths
        if path != NO_PROPERTIES and path not in refused
    )
    return [(path, value) for path, value in written if value]


def unreadable(world: World, selected: Selected) -> list[str]:
    """Properties that the account may not read, although it sees the object."""
    faults, name = world.site.lab.faults, world.site.vcenter.name
    if selected.node.type in PROTECTED:
        return [path for path in selected.paths if path != NO_PROPERTIES]
    return [
        path
        for path in selected.paths
        if path != NO_PROPERTIES and faults.active(name, FaultKind.UNREADABLE, f"{selected.node.moref}/{path}")
    ]


def missing_set(node: Node, paths: Sequence[str]) -> bytes:
    """A `missingSet` element for each."""
    fault = (
        f'<fault><fault xsi:type="NoPermission"><object type="{type_name(node)}">{escape(node.moref)}</object>'
        f"<privilegeId>{PROTECTED.get(node.type, 'System.Read')}</privilegeId></fault>"
        "<localizedMessage>Permission to perform this operation was denied.</localizedMessage></fault>"
    )
    return "".join(f"<missingSet><path>{path}</path>{fault}</missingSet>" for path in paths).encode()


def _object(world: World, session: Session, selected: Selected, version: str) -> bytes:
    sets = [
        b"".join((b"<propSet><name>", path.encode(), b"</name>", value, b"</propSet>"))
        for path, value in properties(world, session, selected, version)
    ]
    missing = missing_set(selected.node, unreadable(world, selected))
    return object_tag("obj", selected.node) + b"".join(sets) + missing


def _all(world: World, session: Session, specs: Sequence[Any]) -> list[Selected]:
    return [one for spec in specs for one in select(world, session, spec)]


def retrieve_all(world: World, session: Session, specs: Sequence[Any], version: str) -> Markup:
    """RetrieveProperties: everything in one answer."""
    pieces = [
        b"<returnval>" + _object(world, session, one, version) + b"</returnval>" for one in _all(world, session, specs)
    ]
    return Markup(b"".join(pieces))


def retrieve_page(
    world: World, session: Session, pages: Pages, specs: Sequence[Any], limit: int | None, version: str
) -> Markup:
    """RetrievePropertiesEx: the first page."""
    return _page(world, session, pages, _all(world, session, specs), limit, version)


def continue_page(world: World, session: Session, pages: Pages, token: str, version: str) -> Markup:
    """ContinueRetrievePropertiesEx: the next page."""
    return _page(world, session, pages, pages.take(token), None, version)


def _page(
    world: World, session: Session, pages: Pages, selected: Sequence[Selected], limit: int | None, version: str
) -> Markup:
    if not selected:
        return Markup(b"")
    size = min(limit, PAGE_OBJECTS) if limit and limit > 0 else PAGE_OBJECTS
    written: list[bytes] = []
    total = 0
    for one in selected[:size]:
        written.append(b"<objects>" + _object(world, session, one, version) + b"</objects>")
        total += len(written[-1])
        if total > PAGE_BYTES:
            break
    rest = selected[len(written) :]
    token = f"<token>{pages.keep(rest)}</token>".encode() if rest else b""
    return Markup(b"".join((b"<returnval>", token, *written, b"</returnval>")))
