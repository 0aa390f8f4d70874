"""What is not a well-formed, known call is refused in the vendor's shape, and never costs much."""

import pytest
from tests.lab.vcenter.wire import ENVELOPE, Wire, fault_of

from gavel_lab.vcenter.soap import MAX_REQUEST_ELEMENTS

UNKNOWN_OBJECT = (
    '<RetrieveProperties xmlns="urn:vim25"><_this type="PropertyCollector">propertyCollector</_this><specSet><propSet>'
    "<type>HostSystem</type><pathSet>{path}</pathSet></propSet>"
    '<objectSet><obj type="HostSystem">{moref}</obj></objectSet></specSet></RetrieveProperties>'
)


@pytest.mark.parametrize("body", [b"", b"not xml", b"<a/>", b"<a><b></a>", b"\x00\xff", ENVELOPE.format("").encode()])
def test_a_body_that_is_no_call_is_an_invalid_request(wire: Wire, body: bytes) -> None:
    assert fault_of(wire.raw(body))[0] == "InvalidRequest"


def test_entities_are_neither_read_nor_expanded(wire: Wire) -> None:
    head = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/hostname">]>'
    body = head + ENVELOPE.format('<Login xmlns="urn:vim25"><_this type="SessionManager">&b;&f;</_this></Login>')
    kind, text = fault_of(wire.raw(body.encode()))
    assert kind == "InvalidRequest"
    assert "document type" in text.lower() or "parse error" in text.lower()


def test_a_document_of_too_many_elements_is_refused_as_the_real_server_does(wire: Wire) -> None:
    metrics = "<metricId/>" * (MAX_REQUEST_ELEMENTS + 1)
    call = f'<QueryPerf xmlns="urn:vim25"><_this type="PerformanceManager">PerfMgr</_this><querySpec>{metrics}</querySpec></QueryPerf>'
    kind, text = wire.fault(call)
    assert kind == "InvalidRequest"
    assert str(MAX_REQUEST_ELEMENTS) in text


def test_a_method_nobody_knows_is_method_not_found(wire: Wire) -> None:
    call = '<MakeCoffee xmlns="urn:vim25"><_this type="ServiceInstance">ServiceInstance</_this></MakeCoffee>'
    assert wire.fault(call)[0] == "MethodNotFound"


def test_a_method_of_another_type_is_method_not_found(wire: Wire) -> None:
    call = '<CurrentTime xmlns="urn:vim25"><_this type="SessionManager">SessionManager</_this></CurrentTime>'
    assert wire.fault(call)[0] == "MethodNotFound"


def test_an_object_nobody_knows_is_named(wire: Wire) -> None:
    kind, text = wire.fault(UNKNOWN_OBJECT.format(path="name", moref="host-99999"))
    assert kind == "ManagedObjectNotFound"
    assert "host-99999" in text


def test_a_property_the_type_does_not_have_is_named(wire: Wire) -> None:
    host = wire.a_host
    kind, text = wire.fault(UNKNOWN_OBJECT.format(path="config.nonsense", moref=host))
    assert (kind, "config.nonsense" in text) == ("InvalidProperty", True)


def test_a_session_cannot_pile_up_views_without_end(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gavel_lab.vcenter.sessions.MAX_OBJECTS_PER_SESSION", 2)
    call = (
        '<CreateContainerView xmlns="urn:vim25"><_this type="ViewManager">ViewManager</_this>'
        '<container type="Folder">group-d1</container><recursive>true</recursive></CreateContainerView>'
    )
    assert [wire.send(call).status for _ in range(3)] == [200, 200, 500]
