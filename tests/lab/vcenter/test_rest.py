"""The REST side of a vCenter of the lab: a session of its own, tagging under /api and /rest, and refusals as vCenter has them."""

import base64
import http.client
import json
import ssl
from typing import Any

import pytest
from tests.lab.vcenter.labs import Place
from tests.waiting import HANG_S

from gavel_lab.vcenter.rest import HEADER

TAGGING = "/api/cis/tagging"


def ask(place: Place, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    context = ssl.create_default_context(cafile=str(place.certificate))
    connection = http.client.HTTPSConnection("127.0.0.1", place.port, context=context, timeout=HANG_S)
    try:
        sent = None if body is None else json.dumps(body)
        connection.request(method, path, sent, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        content = answer.read()
        return answer.status, json.loads(content) if content else None
    finally:
        connection.close()


def basic(place: Place, password: str | None = None) -> str:
    account = f"{place.vcenter.username}:{place.vcenter.password if password is None else password}"
    return "Basic " + base64.b64encode(account.encode()).decode()


@pytest.fixture
def session(place: Place) -> dict[str, str]:
    status, token = ask(place, "POST", "/api/session", Authorization=basic(place))
    assert status == 201
    return {HEADER.replace("-", "_"): token}


def test_a_session_begins_with_the_account_and_ends_when_it_is_deleted(place: Place, session: dict[str, str]) -> None:
    assert ask(place, "GET", "/api/session", **session) == (200, {"user": place.vcenter.username})
    assert ask(place, "DELETE", "/api/session", **session) == (204, None)
    assert ask(place, "GET", f"{TAGGING}/tag", **session)[0] == 401


@pytest.mark.parametrize("authorization", ["", "Basic !!!", "Bearer x", "wrong"])
def test_a_session_is_refused_without_the_account(place: Place, authorization: str) -> None:
    given = basic(place, "wrong") if authorization == "wrong" else authorization
    status, problem = ask(place, "POST", "/api/session", Authorization=given)
    assert (status, problem["error_type"]) == (401, "UNAUTHENTICATED")


def test_tags_of_objects_come_in_one_call_and_objects_without_any_are_left_out(
    place: Place, session: dict[str, str]
) -> None:
    vms = [vm for vm in place.lab.environment.vms if vm.vcenter == place.vcenter.index]
    wanted = [{"id": vm.moref, "type": "VirtualMachine"} for vm in vms] + [{"id": "group-d1", "type": "Folder"}]
    path = f"{TAGGING}/tag-association?action=list-attached-tags-on-objects"
    status, found = ask(place, "POST", path, {"object_ids": wanted}, **session)
    assert status == 200
    assert {one["object_id"]["id"] for one in found} == {vm.moref for vm in vms}
    status, tag = ask(place, "GET", f"{TAGGING}/tag/{found[0]['tag_ids'][0]}", **session)
    assert status == 200
    status, category = ask(place, "GET", f"{TAGGING}/category/{tag['category_id']}", **session)
    assert (status, category["name"]) == (200, "environment")


def test_what_is_not_there_is_not_found_in_the_form_of_each_interface(place: Place, session: dict[str, str]) -> None:
    missing = "urn:vmomi:InventoryServiceTag:none:GLOBAL"
    status, problem = ask(place, "GET", f"{TAGGING}/tag/{missing}", **session)
    assert (status, problem["error_type"]) == (404, "NOT_FOUND")
    status, problem = ask(place, "GET", f"/rest/com/vmware/cis/tagging/tag/id:{missing}", **session)
    assert (status, problem["type"]) == (404, "com.vmware.vapi.std.errors.not_found")
