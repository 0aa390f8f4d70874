"""A session with a vCenter that misbehaves ends in an error that says what to do, in time, and never costs an account."""

from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import SecretStr
from pyVmomi import vim
from tests.collectors.hosts.vcenter.conftest import PASSWORD, USER, Scripted
from tests.collectors.hosts.vcenter.payloads import recording
from tests.collectors.hosts.vcenter.script import drip, fault, hang_up, silence
from tests.collectors.hosts.vcenter.script import http as reply
from tests.collectors.tls import tcp_server

from gavel.collectors.hosts.vcenter import preflight, wire
from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.collector import VcenterCollector
from gavel.collectors.hosts.vcenter.settings import VcenterSettings
from gavel.domain.errors import (
    AuthenticationError,
    CertificateError,
    DeadlineError,
    OverloadedError,
    PermissionMissingError,
    ProtocolError,
    SourceError,
    SourceUnreachableError,
    WrongKindError,
)
from gavel.domain.source import CheckState
from gavel.egress import kept_connection
from gavel.egress.network import READ_S, TOTAL_S

# What every answer to `CurrentTime` here says.
RECORDED = datetime(2026, 11, 21, 4, 0, 0, 500_000, UTC)


def current_time(client: VcenterClient) -> datetime:
    found: datetime = client.ask(lambda: vim.ServiceInstance("ServiceInstance", client.stub).CurrentTime())
    return found


@pytest.fixture
def short_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "TOTAL_S", 0.6)
    monkeypatch.setattr(kept_connection, "READ_S", 0.4)


# --- logging in ---------------------------------------------------------------------------------------------------------


def test_one_login_serves_many_calls_and_closing_logs_out(scripted: Scripted) -> None:
    client = scripted.client()
    for _ in range(3):
        assert current_time(client) == datetime(2026, 11, 21, 4, 0, 0, 500_000, UTC)
    client.close()
    asked = scripted.script.asked
    assert asked == ["GET", "RetrieveServiceContent", "Login", *["CurrentTime"] * 3, "Logout"]
    assert scripted.script.cookies[3:] == ['vmware_soap_session="5a2f"'] * 4


def test_an_expired_session_is_opened_once_more_by_itself(scripted: Scripted) -> None:
    scripted.script.answers["CurrentTime"] = [fault("not_authenticated"), reply(recording("current_time.xml"))]
    client = scripted.client()
    assert current_time(client) == RECORDED
    assert scripted.script.asked.count("Login") == 2
    assert client.session == 2


def test_a_session_that_is_never_accepted_is_not_opened_for_ever(scripted: Scripted) -> None:
    scripted.script.answers["CurrentTime"] = [fault("not_authenticated")]
    with pytest.raises(AuthenticationError, match="right after its login"):
        current_time(scripted.client())
    assert scripted.script.asked.count("Login") == 2


def test_a_wrong_password_is_sent_once_whatever_is_asked_afterwards(scripted: Scripted) -> None:
    scripted.script.answers["Login"] = [fault("invalid_login")]
    client = scripted.client()
    for _ in range(3):
        with pytest.raises(AuthenticationError, match=USER):
            current_time(client)
    assert scripted.script.asked.count("Login") == 1


def test_a_refused_login_names_accounts_that_sign_in_otherwise_and_an_expired_password(scripted: Scripted) -> None:
    scripted.script.answers["Login"] = [fault("invalid_login")]
    with pytest.raises(
        AuthenticationError, match=r"second factor or a SAML token.*local account.*gavel@vsphere\.local"
    ):
        current_time(scripted.client())
    expired = recording("fault_invalid_login.xml").replace(b"InvalidLogin", b"PasswordExpired")
    scripted.script.answers["Login"] = [reply(expired, 500)]
    with pytest.raises(AuthenticationError, match="its password has expired"):
        current_time(scripted.client())


def test_no_error_shows_the_password(scripted: Scripted) -> None:
    scripted.script.answers["Login"] = [fault("invalid_login")]
    with pytest.raises(AuthenticationError) as caught:
        current_time(scripted.client())
    settings = scripted.settings
    assert PASSWORD not in f"{caught.value!r} {settings!r} {settings.model_dump_json()}"


def test_a_missing_privilege_is_named_with_its_place(scripted: Scripted) -> None:
    scripted.script.answers["CurrentTime"] = [fault("no_permission")]
    with pytest.raises(PermissionMissingError, match=r"System\.View on group-d1.*Read-only"):
        current_time(scripted.client())


# --- who answers --------------------------------------------------------------------------------------------------------


def test_an_esxi_host_is_told_from_a_vcenter_before_the_password_is_sent(scripted: Scripted) -> None:
    scripted.script.answers["RetrieveServiceContent"] = [reply(recording("service_content_esxi_host.xml"))]
    with pytest.raises(WrongKindError, match=r"VMware ESXi.*vCenter that manages this host"):
        current_time(scripted.client())
    assert "Login" not in scripted.script.asked


@pytest.mark.parametrize(
    "answer", [reply(b"not found", 404), reply(recording("proxy_error.html")), reply(b"{}"), reply(b"")]
)
def test_what_is_no_vcenter_is_said_to_be_none(scripted: Scripted, answer: bytes) -> None:
    scripted.script.answers["GET"] = [answer]
    with pytest.raises(WrongKindError, match="not a vCenter"):
        current_time(scripted.client())
    assert "Login" not in scripted.script.asked


def test_another_vcenter_behind_the_same_name_gets_no_credentials(scripted: Scripted) -> None:
    client = scripted.client()
    current_time(client)
    scripted.script.answers["CurrentTime"] = [fault("not_authenticated")]
    scripted.script.answers["RetrieveServiceContent"] = [reply(recording("service_content_another_vcenter.xml"))]
    with pytest.raises(WrongKindError, match="another vCenter"):
        current_time(client)
    assert scripted.script.asked.count("Login") == 1


def test_a_certificate_that_is_not_the_pinned_one_stops_everything(scripted: Scripted) -> None:
    with pytest.raises(CertificateError, match=str(scripted.settings.fingerprint_sha256)):
        current_time(scripted.client(fingerprint_sha256="0" * 64))
    assert scripted.script.asked == []


def test_a_self_signed_certificate_without_a_pin_is_refused_with_its_fingerprint(scripted: Scripted) -> None:
    with pytest.raises(CertificateError, match=str(scripted.settings.fingerprint_sha256)):
        current_time(scripted.client(fingerprint_sha256=None))
    assert scripted.script.asked == []


# --- broken answers -----------------------------------------------------------------------------------------------------

WHOLE = reply(recording("current_time.xml"))


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (reply(recording("proxy_error.html")), ProtocolError, "in SOAP.*Bad Gateway"),
        (reply(b"<html>", 403), ProtocolError, "HTTP 403"),
        (reply(b""), ProtocolError, "empty"),
        (reply(bytes(range(128, 256))), ProtocolError, "128 bytes that are no text"),
        (reply("Größe über 80 Zeichen: ".encode() * 9), ProtocolError, "Größe über"),
        (reply(recording("query_perf_cut_off.xml")), ProtocolError, "not SOAP"),
        (reply(b"busy", 503, retry_after="7"), OverloadedError, "busy"),
        (reply(b"slow down", 429), OverloadedError, "429"),
        (WHOLE.replace(b"Content-Length: ", b"Content-Length: 1"), SourceUnreachableError, "cut off"),
        (b"SSH-2.0-OpenSSH_9.6\r\n", ProtocolError, "HTTP"),
    ],
)
def test_a_broken_answer_is_named(scripted: Scripted, answer: bytes, error: type[SourceError], words: str) -> None:
    def once(connection: Any) -> None:
        connection.sendall(answer)
        connection.close()

    scripted.script.answers["CurrentTime"] = [once, WHOLE]
    client = scripted.client()
    with pytest.raises(error, match=words):
        current_time(client)
    assert current_time(client) == RECORDED, "the next call starts on a fresh connection"


def test_the_sources_wish_to_wait_is_handed_on(scripted: Scripted) -> None:
    scripted.script.answers["CurrentTime"] = [reply(b"", 503, retry_after="7")]
    with pytest.raises(OverloadedError) as caught:
        current_time(scripted.client())
    assert caught.value.retry_after_s == 7


def test_a_kept_connection_that_the_other_side_closed_is_opened_again(scripted: Scripted) -> None:
    client = scripted.client()
    current_time(client)
    scripted.script.answers["CurrentTime"] = [hang_up, WHOLE]
    assert current_time(client) == RECORDED
    assert scripted.script.asked.count("Login") == 1


def test_a_reply_beyond_all_reason_is_abandoned(scripted: Scripted, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "_LARGEST_REPLY", 1000)
    scripted.script.answers["CurrentTime"] = [reply(b" " * 100_000)]
    with pytest.raises(ProtocolError, match="abandoned"):
        current_time(scripted.client())


# --- deadlines ----------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("short_deadlines")
@pytest.mark.parametrize("method", ["GET", "RetrieveServiceContent", "Login", "CurrentTime"])
@pytest.mark.parametrize("trouble", [silence, drip])
def test_silence_and_dripping_end_in_a_deadline(scripted: Scripted, method: str, trouble: Any) -> None:
    scripted.script.answers[method] = [trouble]
    with pytest.raises(DeadlineError, match=r"127\.0\.0\.1"):
        current_time(scripted.client())


def test_closing_never_raises(scripted: Scripted) -> None:
    client = scripted.client()
    current_time(client)
    scripted.script.answers["Logout"] = [hang_up]
    client.close()
    client.close()


def test_a_call_may_take_eighteen_seconds_at_most() -> None:
    assert (TOTAL_S, READ_S) == (18.0, 15.0)


# --- preflight ----------------------------------------------------------------------------------------------------------


def states(settings: VcenterSettings) -> dict[str, CheckState]:
    collector = VcenterCollector(settings)
    try:
        return {check.name: check.state for check in collector.preflight().checks}
    finally:
        collector.close()


def failing(settings: VcenterSettings) -> tuple[str, str, str]:
    """Name, detail and remedy of the failed check."""
    collector = VcenterCollector(settings)
    found = [check for check in collector.preflight().checks if check.state is CheckState.FAILED]
    collector.close()
    (check,) = found
    return check.name, check.detail, check.remedy


@pytest.mark.parametrize(
    ("method", "answer", "check"),
    [
        ("GET", reply(b"", 404), "vCenter"),
        ("RetrieveServiceContent", reply(recording("service_content_esxi_host.xml")), "vCenter"),
        ("Login", fault("invalid_login"), "Login"),
    ],
)
def test_preflight_stops_at_what_is_wrong_and_says_what_to_do(
    scripted: Scripted, method: str, answer: bytes, check: str
) -> None:
    scripted.script.answers[method] = [answer]
    name, detail, remedy = failing(scripted.settings)
    assert name == check
    assert "127.0.0.1" in detail
    assert remedy
    found = states(scripted.settings)
    order = list(found)
    assert all(found[later] is CheckState.SKIPPED for later in order[order.index(check) + 1 :])
    assert all(found[earlier] is CheckState.OK for earlier in order[: order.index(check)])


def test_preflight_shows_the_fingerprint_to_pin(scripted: Scripted) -> None:
    name, detail, _ = failing(scripted.settings.model_copy(update={"fingerprint_sha256": None}))
    assert name == "Certificate"
    assert str(scripted.settings.fingerprint_sha256) in detail


def test_preflight_names_a_name_that_does_not_resolve() -> None:
    settings = VcenterSettings(address="no-such-vcenter.invalid", username=USER, password=SecretStr("x"))
    assert failing(settings)[0] == "Name"


def test_preflight_ends_against_a_black_hole(monkeypatch: pytest.MonkeyPatch) -> None:
    # Long enough for a busy machine to connect within it.
    monkeypatch.setattr(preflight, "_WITHIN_S", 4.0)

    def swallow(connection: Any, received: bytearray) -> None:
        while chunk := connection.recv(65_536):
            received += chunk

    with tcp_server(swallow) as server:
        settings = VcenterSettings(
            address=server.address, username=USER, password=SecretStr("x"), fingerprint_sha256="0" * 64
        )
        name, detail, remedy = failing(settings)
    assert name == "Certificate"
    assert "no answer in time" in detail
    assert "firewall" in remedy


# --- settings -----------------------------------------------------------------------------------------------------------


def test_the_form_is_made_from_a_schema_with_words_for_every_field() -> None:
    schema = VcenterSettings.model_json_schema()
    for name, described in schema["properties"].items():
        assert described.get("title"), name
        assert described.get("description"), name
    assert schema["properties"]["password"]["writeOnly"]


@pytest.mark.parametrize("field", [{"address": "https://vc/ui"}, {"poll_interval_s": 7}, {"username": ""}])
def test_unusable_settings_are_refused(field: dict[str, Any]) -> None:
    usable = {"address": "vc", "username": "u", "password": "p"}
    with pytest.raises(ValueError, match=next(iter(field))):
        VcenterSettings.model_validate(usable | field)
