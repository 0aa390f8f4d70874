"""What an array does not have it refuses, in the vendor's shape, naming the object or parameter at fault."""

import json
from typing import Any

import pytest
from tests.lab.flasharray.client import Client

from gavel_lab.flasharray.catalogue import ENDPOINTS
from gavel_lab.flasharray.versions import parse
from gavel_lab.serve import Request


@pytest.mark.parametrize("version", ["1.19", "2.12", "2.16", "2.99", "3.0"])
def test_a_version_the_array_does_not_offer_is_not_found(old: Client, version: str) -> None:
    status, errors = old.refused("volumes", version)
    assert status == 404
    assert errors[0]["context"] == f"/api/{version}/volumes"


@pytest.mark.parametrize("path", ["volumes/space", "alerts", "volume", "volumes/", "volumes/performance/by-pod"])
def test_an_endpoint_nobody_described_is_not_found(client: Client, path: str) -> None:
    assert client.refused(path)[0] == 404


@pytest.mark.parametrize(
    ("path", "before"),
    [("arrays", "2.1"), ("directories", "2.2"), ("network-interfaces", "2.3"), ("hosts/performance/balance", "2.3")],
)
def test_an_endpoint_is_not_found_before_the_version_that_brought_it(client: Client, path: str, before: str) -> None:
    assert client.refused(path, before)[0] == 404
    later = {"2.1": "2.2", "2.2": "2.3", "2.3": "2.4"}[before]
    client.get(path, later)


def test_host_history_arrives_with_2_16(new: Client) -> None:
    status, errors = new.refused("hosts/performance", "2.15", resolution=30_000)
    assert (status, errors[0]["context"]) == (400, "resolution")
    assert new.get("hosts/performance", "2.16", resolution=30_000)["items"]


def test_every_endpoint_refuses_parameters_its_version_does_not_have(client: Client) -> None:
    every = {name for endpoint in ENDPOINTS.values() for name in endpoint.parameters} | {"nonsense", "Limit"}
    number = parse(client.array.rest_version)
    assert number
    for path, endpoint in ENDPOINTS.items():
        for name in sorted(every - endpoint.parameters_of(number)):
            status, errors = client.refused(path, **{name: "1"})
            assert (status, errors[0]["context"]) == (400, name), path


@pytest.mark.parametrize(
    ("parameters", "context"),
    [
        ({"limit": -1}, "limit"),
        ({"limit": "ten"}, "limit"),
        ({"offset": "1.5"}, "offset"),
        ({"total_only": "yes"}, "total_only"),
        ({"resolution": 45_000}, "resolution"),
        ({"resolution": 1_000}, "resolution"),
        ({"start_time": 2_000, "end_time": 1_000}, "start_time"),
        ({"sort": "-name"}, "sort"),
        ({"sort": "nothing"}, "sort"),
        ({"sort": ""}, "sort"),
        ({"filter": "name="}, "filter"),
        ({"filter": "nothing='a'"}, "filter"),
        ({"names": "a,,b"}, "names"),
        ({"names": "sql-01", "ids": "x"}, "names"),
    ],
)
def test_a_parameter_that_makes_no_sense_is_named(client: Client, parameters: dict[str, Any], context: str) -> None:
    status, errors = client.refused("volumes/performance", **parameters)
    assert (status, errors[0]["context"]) == (400, context)
    assert errors[0]["message"]


def test_a_parameter_given_twice_is_refused(client: Client) -> None:
    headers = {"x-auth-token": client.token}
    response = client.app(Request("GET", "/api/2.2/volumes", "limit=1&limit=2", headers, b""))
    assert (response.status, json.loads(response.body)["errors"][0]["context"]) == (400, "limit")


@pytest.mark.parametrize("path", ["volumes", "volumes/performance", "volumes/performance/by-array"])
def test_one_unknown_name_fails_the_whole_call(client: Client, path: str) -> None:
    known = client.get("volumes")["items"][0]["name"]
    status, errors = client.refused(path, names=[known, "gone-1", "gone-2"])
    assert status == 400
    assert [error["context"] for error in errors] == ["gone-1", "gone-2"]
    assert errors[0]["message"] == "Volume does not exist."


def test_asking_for_a_live_object_among_the_destroyed_is_an_error(client: Client) -> None:
    known = client.get("volumes")["items"][0]["name"]
    assert client.refused("volumes", names=known, destroyed=True)[0] == 400
    assert client.get("volumes", destroyed=True)["items"] == []


def test_errors_carry_a_location_context_from_2_38_on(new: Client) -> None:
    before, after = new.refused("volumes", "2.37", names="gone")[1], new.refused("volumes", "2.38", names="gone")[1]
    assert before == [{"context": "gone", "message": "Volume does not exist."}]
    assert after == [{**before[0], "location_context": None}]


def test_with_allow_errors_the_rest_is_answered_as_a_partial_result(new: Client) -> None:
    known = new.get("volumes")["items"][0]["name"]
    response = new.call("volumes", names=[known, "gone"], allow_errors=True)
    body = json.loads(response.body)
    assert response.status == 207
    assert [row["name"] for row in body["items"]] == [known]
    assert [error["context"] for error in body["errors"]] == ["gone"]


def test_the_only_context_of_the_fleet_is_the_array_itself(new: Client) -> None:
    everything = new.get("volumes")["items"]
    assert new.get("volumes", context_names=new.array.name)["items"] == everything
    assert new.refused("volumes", context_names="elsewhere")[1][0]["context"] == "elsewhere"
    response = new.call("volumes", context_names=f"{new.array.name},elsewhere", allow_errors=True)
    assert (response.status, json.loads(response.body)["items"]) == (207, everything)


@pytest.mark.parametrize("method", ["POST", "PATCH", "DELETE"])
def test_a_readonly_user_cannot_change_anything(client: Client, method: str) -> None:
    assert client.call("volumes", method=method).status == 403


def test_the_request_id_comes_back_and_is_made_up_where_none_was_sent(client: Client) -> None:
    headers = {"x-auth-token": client.token, "x-request-id": "gavel-7"}
    assert client.app(Request("GET", "/api/2.2/volumes", "", headers, b"")).headers["X-Request-ID"] == "gavel-7"
    one, other = client.call("volumes"), client.call("volumes")
    assert one.headers["X-Request-ID"] != other.headers["X-Request-ID"]
