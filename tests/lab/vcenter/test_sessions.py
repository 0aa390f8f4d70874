"""Logging in and out, expiry, and what is shown to whom."""

import gc
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pyVmomi import vim
from tests.lab.vcenter.labs import Place
from tests.lab.vcenter.reading import Collector
from tests.lab.vcenter.wire import CURRENT_TIME, LOGIN, Wire, fault_of

from gavel_lab.lab import Lab
from gavel_lab.serve import Request


def test_an_unchanged_client_logs_in_with_the_certificate_checked(place: Place, vsphere: Any) -> None:
    about = vsphere.RetrieveContent().about
    assert (about.version, about.apiVersion) == (place.vcenter.version, place.vcenter.api_version)
    assert about.instanceUuid == place.vcenter.instance_uuid
    assert vsphere.CurrentTime().timestamp() == pytest.approx(
        place.lab.clocks.vcenters[place.vcenter.index].now(), abs=0.001
    )


@pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")
def test_a_wrong_password_is_an_invalid_login(place: Place) -> None:
    with pytest.raises(vim.fault.InvalidLogin, match="incorrect user name or password"), place.connection("wrong"):
        pass
    gc.collect()  # the client leaves the refused connection open: let it go here, where that is expected


def test_a_session_is_listed_while_it_lives(vsphere: Any) -> None:
    manager = vsphere.RetrieveContent().sessionManager
    own = manager.currentSession
    assert manager.SessionIsActive(own.key, own.userName)
    assert not manager.SessionIsActive("another", own.userName)


@pytest.mark.parametrize("cookie", ["", 'vmware_soap_session="forged"'])
def test_nothing_but_the_service_content_is_told_without_a_session(lab: Lab, cookie: str) -> None:
    stranger = Wire(lab, lab.environment.vcenters[0])
    stranger.headers["cookie"] = cookie
    content = '<RetrieveServiceContent xmlns="urn:vim25"><_this type="ServiceInstance">ServiceInstance</_this></RetrieveServiceContent>'
    assert stranger.send(content).status == 200
    assert stranger.fault(CURRENT_TIME) == ("NotAuthenticated", "The session is not authenticated.")


def test_an_expired_session_is_not_authenticated_and_a_new_login_works(lab: Lab, wire: Wire) -> None:
    assert wire.send(CURRENT_TIME).status == 200
    lab.faults.add({"source": wire.vcenter.name, "kind": "expire_sessions"})
    assert wire.fault(CURRENT_TIME)[0] == "NotAuthenticated"
    assert wire.login().send(CURRENT_TIME).status == 200


def test_after_logging_out_the_cookie_is_worth_nothing(wire: Wire) -> None:
    wire.answer('<Logout xmlns="urn:vim25"><_this type="SessionManager">SessionManager</_this></Logout>')
    assert wire.fault(CURRENT_TIME)[0] == "NotAuthenticated"


def test_the_account_may_look_at_everything_and_change_nothing(lab: Lab, wire: Wire) -> None:
    vm = next(vm for vm in lab.environment.vms if vm.vcenter == wire.vcenter.index)
    call = f'<PowerOffVM_Task xmlns="urn:vim25"><_this type="VirtualMachine">{vm.moref}</_this></PowerOffVM_Task>'
    assert wire.fault(call) == ("NoPermission", "Permission to perform this operation was denied.")


def test_logging_out_ends_a_wait_for_updates(place: Place) -> None:
    with place.connection() as waiting, ThreadPoolExecutor(1) as pool:
        collector = waiting.RetrieveContent().propertyCollector.CreatePropertyCollector()
        update = pool.submit(collector.WaitForUpdatesEx, "", Collector.WaitOptions(maxWaitSeconds=60))
        waiting.RetrieveContent().sessionManager.Logout()
        with pytest.raises(vim.fault.NotAuthenticated):
            update.result(30)


def test_the_oldest_idle_session_makes_room_for_the_newest(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gavel_lab.vcenter.sessions.MAX_SESSIONS", 3)
    first = dict(wire.headers)
    for _ in range(3):
        wire.login()
    assert wire.send(CURRENT_TIME).status == 200
    wire.headers = first
    assert wire.fault(CURRENT_TIME)[0] == "NotAuthenticated"


def test_the_version_file_names_the_servers_own_version_first(place: Place) -> None:
    app = Wire(place.lab, place.vcenter).app
    response = app(Request("GET", "/sdk/vimServiceVersions.xml", "", {}, b""))
    own, *prior = [part.split("<", 1)[0] for part in response.body.decode().split("<version>")[1:]]
    assert own == place.vcenter.api_version
    assert own not in prior
    assert "8.0.2.0" in prior


def test_another_path_is_not_found(wire: Wire) -> None:
    assert wire.app(Request("GET", "/ui/", "", {}, b"")).status == 404
    assert wire.app(Request("GET", "/sdk", "", {}, b"")).status == 405


def test_an_older_client_is_not_shown_newer_properties(wire: Wire) -> None:
    call = (
        '<RetrieveProperties xmlns="urn:vim25"><_this type="PropertyCollector">propertyCollector</_this><specSet>'
        "<propSet><type>HostSystem</type><pathSet>config.storageDevice</pathSet></propSet>"
        f'<objectSet><obj type="HostSystem">{wire.a_host}</obj></objectSet></specSet></RetrieveProperties>'
    )
    assert b"applicationProtocol" in wire.send(call, "9.0.0.0").body
    assert b"applicationProtocol" not in wire.send(call, "7.0.3.0").body


def test_a_login_without_a_password_names_the_missing_parameter(lab: Lab) -> None:
    stranger = Wire(lab, lab.environment.vcenters[0])
    kind, text = fault_of(stranger.send(LOGIN.format("x", "y").replace("<password>y</password>", "")))
    assert kind == "InvalidRequest"
    assert "password" in text
