"""A stranger is refused inside the handshake and in words that say what to do."""

import http.client
import ipaddress
import socket
import ssl
from pathlib import Path

import httpx
import pytest
import time_machine
from pydantic import ValidationError
from tests.collectors.tls import Identity, drip, make_identity, stay_silent, tcp_server, tls_server
from tests.ports import reserve_port
from tests.waiting import HANG_S

from gavel.domain.errors import (
    CertificateError,
    DeadlineError,
    NameResolutionError,
    SourceUnreachableError,
    WrongKindError,
)
from gavel.egress.network import parse_address, retry_after_s, total_deadline
from gavel.egress.reserved import NeverConnectedError, refuse_never_connected
from gavel.egress.tls import PinMismatchError, TlsTrust, fetch_fingerprint, network_error, open_tls, ssl_context


@pytest.fixture(scope="module")
def identity(tmp_path_factory: pytest.TempPathFactory) -> Identity:
    return make_identity(tmp_path_factory.mktemp("tls"))


def answer(connection: ssl.SSLSocket, received: bytearray) -> None:
    received += connection.recv(65536)
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def test_the_pinned_certificate_is_accepted(identity: Identity) -> None:
    with tls_server(identity, answer) as server:
        trust = TlsTrust(fingerprint_sha256=identity.fingerprint.upper())
        with httpx.Client(verify=ssl_context(trust), trust_env=False) as client:
            assert client.get(f"https://{server.address}/").text == "ok"


def test_another_certificate_than_the_pinned_one_never_sees_a_credential(identity: Identity, tmp_path: Path) -> None:
    other = make_identity(tmp_path, "other")
    with tls_server(other, answer) as server:
        where = parse_address(server.address)
        connection = http.client.HTTPSConnection(
            where.host, where.port, context=ssl_context(TlsTrust(fingerprint_sha256=identity.fingerprint))
        )
        with pytest.raises(PinMismatchError) as caught:
            connection.request("POST", "/", b"secret")
        assert bytes(server.received) == b""
    error = network_error(where, caught.value)
    assert isinstance(error, CertificateError)
    assert other.fingerprint in str(error)
    assert identity.fingerprint in str(error)


def test_a_given_authority_is_accepted_and_a_stranger_is_named_with_its_fingerprint(identity: Identity) -> None:
    with tls_server(identity, stay_silent) as server:
        where = parse_address(server.address)
        open_tls(where, ssl_context(TlsTrust(ca_pem=identity.pem))).close()
        with pytest.raises(ssl.SSLCertVerificationError) as caught:
            open_tls(where, ssl_context(TlsTrust()))
        error = network_error(where, caught.value)
    assert isinstance(error, CertificateError)
    assert identity.fingerprint in str(error)


def test_the_words_survive_the_wrapping_of_an_http_library(identity: Identity) -> None:
    with tls_server(identity, stay_silent) as server:
        client = httpx.Client(verify=ssl_context(TlsTrust()), trust_env=False)
        with client, pytest.raises(httpx.ConnectError) as caught:
            client.get(f"https://{server.address}/")
        assert isinstance(network_error(parse_address(server.address), caught.value), CertificateError)


def test_the_fingerprint_is_fetched_without_sending_anything(identity: Identity) -> None:
    with tls_server(identity, stay_silent) as server:
        assert fetch_fingerprint(server.address) == identity.fingerprint
        assert bytes(server.received) == b""


def test_a_dripping_peer_ends_at_the_total_deadline(identity: Identity) -> None:
    trust = TlsTrust(fingerprint_sha256=identity.fingerprint)
    with tls_server(identity, drip) as server, httpx.Client(verify=ssl_context(trust), trust_env=False) as client:
        with total_deadline(0.5), pytest.raises((httpx.ReadError, httpx.ReadTimeout)) as caught:
            client.get(f"https://{server.address}/", timeout=HANG_S)
        assert isinstance(network_error(parse_address(server.address), caught.value), DeadlineError)


def test_a_peer_silent_in_the_handshake_ends_in_a_deadline() -> None:
    with tcp_server(stay_silent) as server, pytest.raises(DeadlineError, match=r"127\.0\.0\.1"):
        fetch_fingerprint(server.address, timeout_s=0.3)


def test_a_peer_without_tls_is_named_as_such() -> None:
    def plain(connection: socket.socket, received: bytearray) -> None:
        received += connection.recv(1024)
        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

    with tcp_server(plain) as server, pytest.raises(WrongKindError, match="TLS"):
        fetch_fingerprint(server.address)


def test_a_closed_port_is_unreachable() -> None:
    with pytest.raises(SourceUnreachableError, match="refused"):
        fetch_fingerprint(f"127.0.0.1:{reserve_port()}")


def test_a_name_that_does_not_exist_is_named() -> None:
    with pytest.raises(NameResolutionError, match=r"no-such-vcenter\.invalid"):
        fetch_fingerprint("no-such-vcenter.invalid", timeout_s=4)


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("vc.example.org", "vc.example.org", 443),
        (" vc.example.org:8443 ", "vc.example.org", 8443),
        ("10.0.0.7:444", "10.0.0.7", 444),
        ("fe80::1", "fe80::1", 443),
        ("[fe80::1]:8443", "fe80::1", 8443),
        ("https://vc.example.org/", "vc.example.org", 443),
        (" HTTPS://[fe80::1]:8443", "fe80::1", 8443),
    ],
)
def test_addresses_are_host_and_port(text: str, host: str, port: int) -> None:
    assert (parse_address(text).host, parse_address(text).port) == (host, port)


@pytest.mark.parametrize(
    "text",
    ["", ":443", "https://", "http://vc", "https://vc/sdk", "vc/sdk", "admin@vc", "vc:0", "vc:99999", "vc:sdk", "a b"],
)
def test_other_texts_are_no_addresses(text: str) -> None:
    with pytest.raises(ValueError, match=r"host|port"):
        parse_address(text)


@pytest.mark.parametrize(
    "fields",
    [
        {"fingerprint_sha256": "ab" * 20},
        {"fingerprint_sha256": "zz" * 32},
        {"ca_pem": "hello"},
    ],
)
def test_unusable_trust_is_refused(fields: dict[str, str]) -> None:
    with pytest.raises(ValidationError):
        TlsTrust.model_validate(fields)


def test_authority_and_pin_together_are_refused(identity: Identity) -> None:
    with pytest.raises(ValidationError, match="not both"):
        TlsTrust(ca_pem=identity.pem, fingerprint_sha256=identity.fingerprint)


def test_blank_fields_mean_the_system_authorities() -> None:
    context = ssl_context(TlsTrust.model_validate({"ca_pem": "  ", "fingerprint_sha256": ""}))
    assert context.verify_mode is ssl.CERT_REQUIRED
    assert context.check_hostname


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("7", 7.0),
        ("soon", None),
        ("Sat, 21 Nov 2026 04:00:30 GMT", 30.0),
        ("Sat, 21 Nov 2026 03:00:00 GMT", 0),
    ],
)
@time_machine.travel("2026-11-21T04:00:00Z", tick=False)
def test_a_wish_to_wait_is_read_in_both_its_forms(header: str | None, seconds: float | None) -> None:
    assert retry_after_s(header) == seconds


@pytest.mark.parametrize(
    "address",
    [
        "169.254.169.254",
        "[fe80::1]:443",
        "[fd00:ec2::254]",
        "0.0.0.0:22",
        "[::ffff:169.254.169.254]",
        "[::]",
        "224.0.0.1",
    ],
)
def test_link_local_and_metadata_addresses_are_no_sources(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing about them is found out: the error is there before anything is sent."""
    monkeypatch.setattr(socket, "socket", None)
    with pytest.raises(SourceUnreachableError, match="never connected to"):
        fetch_fingerprint(address)


def test_a_name_that_leads_elsewhere_the_second_time_gets_no_handshake(
    identity: Identity, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Libraries resolve names by themselves: where a connection ends is looked at once more."""
    monkeypatch.setattr("gavel.egress.reserved.NEVER_CONNECTED", (ipaddress.ip_network("127.0.0.0/8"),))
    with tls_server(identity, lambda connection, received: received.extend(connection.recv(100))) as server:
        host, _, port = server.address.partition(":")
        context = ssl_context(TlsTrust(fingerprint_sha256=identity.fingerprint))
        with httpx.Client(verify=context, trust_env=False) as client, pytest.raises(httpx.ConnectError) as caught:
            client.get(f"https://{host}:{port}/")
        assert server.received == b""
    assert "never connected to" in str(network_error(parse_address(server.address), caught.value))


@pytest.mark.parametrize(
    "ip", ["192.0.0.192", "fd20:ce::254", "::ffff:192.0.0.192", "64:ff9b::c000:c0", "169.254.169.254"]
)
def test_metadata_addresses_of_clouds_are_never_connected(ip: str) -> None:
    with pytest.raises(NeverConnectedError):
        refuse_never_connected(ip)
