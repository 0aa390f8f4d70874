"""Every body of every endpoint and version is what the vendor's description allows, and what a captured array sends."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.lab.flasharray.client import Client
from tests.lab.flasharray.openapi import DESCRIBED, Description

from gavel_lab.flasharray.catalogue import ENDPOINTS
from gavel_lab.flasharray.versions import parse
from gavel_lab.serve import Request

Describe = Callable[[str], Description]
HISTORY = {"resolution": 30_000}
# Counters that are null on real arrays too.
NULL_COUNTERS = {"queue_depth", "service_usec_per_read_op_cache_reduction"}


def paths_of(version: str) -> list[str]:
    number = parse(version)
    assert number
    return [path for path, endpoint in ENDPOINTS.items() if endpoint.since <= number]


def versions_of(client: Client) -> list[str]:
    return [version for version in DESCRIBED if version in client.array.rest_versions]


def test_every_endpoint_of_every_version_answers_a_valid_body(client: Client, description: Describe) -> None:
    checked = 0
    for version in versions_of(client):
        for path in paths_of(version):
            validator = Draft202012Validator(description(version).schema(path))
            for parameters in [{}, {"limit": 3}, *_more(path, version)]:
                body = client.get(path, version, **parameters)
                mistakes = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(body)]
                assert not mistakes, (version, path, parameters, mistakes[:5])
                checked += 1
    assert checked > 100


def _more(path: str, version: str) -> list[dict[str, Any]]:
    number = parse(version)
    assert number
    known = ENDPOINTS[path].parameters_of(number)
    asked: list[dict[str, Any]] = []
    if "resolution" in known:
        asked += [HISTORY, {"resolution": 86_400_000}]
    if "total_only" in known:
        asked.append({"total_only": True})
    if "destroyed" in known:
        asked += [{"destroyed": True}, {"destroyed": False}]
    return asked


def test_login_answers_the_described_body(client: Client, description: Describe) -> None:
    body = json.loads(client.login().body)
    assert not list(Draft202012Validator(description(versions_of(client)[-1]).login_schema()).iter_errors(body))
    assert body == {"items": [{"username": client.array.username}]}


def test_no_counter_of_a_performance_row_is_missing(client: Client) -> None:
    for path in ENDPOINTS:
        if "/performance" not in path or path.startswith("network-interfaces"):
            continue
        for row in client.get(path)["items"]:
            counters = {name: value for name, value in row.items() if "per_" in name or name == "time"}
            assert {name for name, value in counters.items() if value is None} <= NULL_COUNTERS, (path, row["name"])


def test_the_version_list_needs_no_session_and_is_ascending_by_number(client: Client) -> None:
    response = client.app(Request("GET", "/api/api_version", "", {}, b""))
    numbers = [tuple(map(int, text.split("."))) for text in json.loads(response.body)["version"]]
    assert response.status == 200
    assert numbers == sorted(numbers)
    assert numbers[-1] == tuple(map(int, client.array.rest_version.split(".")))


def test_the_old_array_offers_the_versions_a_captured_one_does(old: Client, shared: Path) -> None:
    captured = json.loads((shared / "data/flasharray/captured/versions.json").read_text())
    assert json.loads(old.app(Request("GET", "/api/api_version", "", {}, b"")).body) == captured


CAPTURED = {
    "arrays.json": "arrays",
    "arrays_performance.json": "arrays/performance",
    "connections.json": "connections",
    "hosts.json": "hosts",
    "hosts_performance.json": "hosts/performance",
    "pods.json": "pods",
    "pods_performance.json": "pods/performance",
    "volumes.json": "volumes",
    "volumes_performance.json": "volumes/performance",
}


@pytest.mark.parametrize("file", CAPTURED)
def test_the_old_array_sends_the_keys_and_kinds_of_a_captured_one(old: Client, shared: Path, file: str) -> None:
    captured = json.loads((shared / "data/flasharray/captured" / file).read_text())
    ours, theirs = _kinds(old.get(CAPTURED[file])), _kinds(captured)
    # Aggregated rows of the captured array carry a few keys its description does not have.
    assert {key for key in theirs if ".total" not in key} == {key for key in ours if ".total" not in key}
    for key in ours.keys() & theirs.keys():
        unknown = theirs[key] == {"null"} or ours[key] == {"null"}
        assert unknown or ours[key] - {"null"} == theirs[key] - {"null"}, key


def _kinds(value: Any, prefix: str = "") -> dict[str, set[str]]:
    """JSON kinds seen at every path of a body."""
    seen: dict[str, set[str]] = {prefix: {_kind(value)}} if prefix else {}
    inner = value if isinstance(value, list) else []
    for item in inner:
        _merge(seen, _kinds(item, f"{prefix}[]"))
    for name, part in value.items() if isinstance(value, dict) else ():
        _merge(seen, _kinds(part, f"{prefix}.{name}"))
    return seen


def _merge(into: dict[str, set[str]], more: dict[str, set[str]]) -> None:
    for key, kinds in more.items():
        into.setdefault(key, set()).update(kinds)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    kinds = ((bool, "boolean"), (int | float, "number"), (str, "string"), (list, "list"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "object")
