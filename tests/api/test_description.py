"""The API's description against what the API does: how it refuses, and how one signs in."""

from typing import Any

import pytest
from fastapi.testclient import TestClient
from jsonschema import Draft202012Validator
from tests.api.description import document

from gavel.api.examples import EXAMPLES
from gavel.api.problems import REFUSALS

PROBLEM = "#/components/schemas/Problem"
# What may be asked of by anybody, wherever Gavel listens.
OPEN = {"sign_in", "sign_out", "alert_picture"}


@pytest.fixture(scope="module")
def described() -> Any:
    return document()


def operations(described: Any) -> dict[str, Any]:
    return {one["operationId"]: one for path in described["paths"].values() for one in path.values()}


def refused_body(described: Any, answer: Any) -> Any:
    """The schema of a refusal, wherever it is written."""
    if "$ref" in answer:
        answer = described["components"]["responses"][answer["$ref"].rpartition("/")[2]]
    (media_type,) = answer["content"]
    return media_type, answer["content"][media_type]["schema"]["$ref"]


def test_every_refusal_is_described_as_a_problem(described: Any) -> None:
    told = {
        (name, status): refused_body(described, answer)
        for name, one in operations(described).items()
        for status, answer in one["responses"].items()
        if not status.startswith("2")
    }
    assert told.pop(("health", "503")) == ("application/json", "#/components/schemas/Health")
    assert set(told.values()) == {("application/problem+json", PROBLEM)}
    assert {int(status) for _, status in told} == set(REFUSALS)
    assert "HTTPValidationError" not in described["components"]["schemas"]
    assert described["components"]["schemas"]["Problem"]["properties"].keys() == {
        "type", "title", "status", "detail", "errors",
    }  # fmt: skip


def test_whatever_may_be_kept_from_strangers_says_how_to_sign_in(described: Any) -> None:
    schemes = described["components"]["securitySchemes"]
    assert (schemes["session"]["in"], schemes["session"]["name"]) == ("cookie", "gavel_session")
    assert (schemes["token"]["type"], schemes["token"]["scheme"]) == ("http", "bearer")
    for name, one in operations(described).items():
        assert one.get("security", []) == ([] if name in OPEN else [{"token": []}, {"session": []}]), name


REFUSED: tuple[tuple[str, str, str, dict[str, Any], int], ...] = (
    ("get", "/sources", "sources", {"headers": {"host": "evil.example"}}, 421),
    ("get", "/sources", "sources", {"headers": {"authorization": "Bearer gvl_none"}}, 401),
    ("post", "/session", "sign_in", {"json": {"token": "gvl_" + 40 * "0"}}, 401),
    ("post", "/wall-token", "new_wall_token", {}, 403),
    ("get", "/vms/7", "one_vm", {}, 404),
    ("get", "/vms/seven", "one_vm", {}, 422),
    ("get", "/overview?limit=0", "overview", {}, 422),
    ("get", "/datastores/1/series?from=yesterday", "datastore_series", {}, 422),
)


@pytest.mark.parametrize(("method", "path", "name", "asked", "status"), REFUSED)
def test_what_is_refused_is_refused_as_described(
    client: TestClient, described: Any, method: str, path: str, name: str, asked: dict[str, Any], status: int
) -> None:
    answer = client.request(method, f"/api/v1{path}", **asked)
    assert answer.status_code == status
    holds_to(described, answer, name)


def test_a_name_that_is_taken_is_refused_as_described(admin: TestClient, described: Any) -> None:
    schema = described["components"]["schemas"]["RuleBody"]
    rule = {key: EXAMPLES["alert_rules"][0][key] for key in schema["properties"]}
    assert admin.post("/api/v1/alert-rules", json=rule).status_code == 201
    answer = admin.post("/api/v1/alert-rules", json=rule)
    assert answer.status_code == 409
    holds_to(described, answer, "add_alert_rule")


def holds_to(described: Any, answer: Any, name: str) -> None:
    media_type, schema = refused_body(described, operations(described)[name]["responses"][str(answer.status_code)])
    assert answer.headers["content-type"] == media_type
    Draft202012Validator({"$ref": schema, "components": described["components"]}).validate(answer.json())
    assert answer.json()["status"] == answer.status_code
