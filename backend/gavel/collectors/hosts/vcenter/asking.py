"""One call in raw XML, for what pyVmomi does not have or reads at too high a cost."""

from typing import Any, Final

from lxml import etree

from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.soap import ENVELOPE_END, ENVELOPE_START, has_doctype
from gavel.domain.errors import ProtocolError

XML: Final = etree.XMLParser(resolve_entities=False, no_network=True)


def answer_to(client: VcenterClient, method: str, arguments: str) -> Any:
    """The root element of the answer. `arguments`: the elements of the call, the first of them `_this`. Raises SourceErrors."""
    body = ENVELOPE_START + f'<{method} xmlns="urn:vim25">{arguments}</{method}>'.encode() + ENVELOPE_END

    def post() -> bytes:
        with client.stub.exchange(body) as reply:
            if reply.status != 200:
                raise client.stub.fault(reply)
            return reply.content()

    content = client.ask(post)
    if has_doctype(content):
        raise ProtocolError(
            f"{client.address}: the answer to {method} declares a document type, which no vCenter does."
        )
    try:
        return etree.fromstring(content, XML)
    except etree.XMLSyntaxError as error:
        raise ProtocolError(f"{client.address}: the answer to {method} is not XML ({error}).") from error
