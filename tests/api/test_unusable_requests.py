"""Requests nobody should send: refused with 4xx, with the headers of every answer, and never with a fault of ours."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from pydantic import TypeAdapter, ValidationError
from tests.api.description import document

from gavel.api.app import build
from gavel.api.inputs import FileName
from gavel.config import Settings


@pytest.fixture(scope="module")
def client(module_postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """One for all: what is refused changes nothing."""
    settings = Settings(
        database_url=module_postgres_url, data_dir=tmp_path_factory.mktemp("data"), broker_url="memory://"
    )
    with TestClient(build(settings), base_url="http://127.0.0.1:8321", raise_server_exceptions=False) as found:
        token = settings.setup_token_file.read_text().strip()
        found.admin_token = found.post("/api/v1/session", json={"token": token}).json()["admin_token"]  # type: ignore[attr-defined]
        found.cookies.clear()
        yield found


@pytest.fixture
def admin(client: TestClient) -> Iterator[TestClient]:
    client.headers["authorization"] = f"Bearer {client.admin_token}"  # type: ignore[attr-defined]
    yield client
    del client.headers["authorization"]


CSP = "default-src 'none'; frame-ancestors 'none'"


@pytest.mark.parametrize(
    "host",
    [
        "[",
        "[::1",
        "]",
        "a[b]",
        "[::zz]",
        "[]",
        "127.0.0.1:8321:1",
        "evil@[",
        "%5b",
        "evil.example@127.0.0.1",
        "127.0.0.1/evil",
        "127.0.0.1:",
    ],
)
def test_host_that_is_none_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/api/v1/session", headers={"host": host}).status_code == 421


@pytest.mark.parametrize("origin", ["http://[", "http://]", "null", "", "http://[::zz]"])
def test_origin_that_is_none_is_refused(client: TestClient, origin: str) -> None:
    answer = client.post("/api/v1/session", json={"token": "x" * 20}, headers={"origin": origin})
    assert answer.status_code == 403


@pytest.mark.parametrize("kind", ["Application/JSON", "application/json; charset=utf-8", "APPLICATION/json"])
def test_json_by_any_spelling_is_taken(client: TestClient, kind: str) -> None:
    body = json.dumps({"token": "gvl_" + 40 * "0"})
    assert client.post("/api/v1/session", content=body, headers={"content-type": kind}).status_code == 401


@pytest.mark.parametrize(
    "path", ["/api/v1/nowhere", "/nowhere", "/api/v1/vms/x", "/assets/nothing.js", "/api/v1/health"]
)
def test_every_answer_may_load_nothing_and_be_framed_nowhere(client: TestClient, path: str) -> None:
    headers = client.get(path).headers
    assert headers["content-security-policy"] == CSP
    assert headers["x-content-type-options"] == "nosniff"


def test_refused_hosts_get_the_headers_too(client: TestClient) -> None:
    answer = client.get("/", headers={"host": "evil.example"})
    assert (answer.status_code, answer.headers["content-security-policy"]) == (421, CSP)


def test_fault_of_ours_is_a_problem_with_the_headers_too(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("not foreseen")

    monkeypatch.setattr("gavel.api.routes.entities.search", broken)
    answer = client.get("/api/v1/search?q=a")
    assert answer.status_code == 500
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["content-security-policy"] == CSP
    assert "not foreseen" not in answer.text


BEYOND = (0, -1, 2**31, 2**63, 2**64, 10**30)
IDS = (
    "/vms/{}", "/vms/{}/series", "/vms/{}/diagnosis", "/datastores/{}", "/hosts/{}", "/volumes/{}", "/arrays/{}", "/sources/{}",
    "/sources/{}/runs", "/sources/{}/gaps", "/channels/{}", "/alert-rules/{}", "/vms?source={}", "/unmatched?source={}",
    "/notifications?channel_id={}",
)  # fmt: skip


def _refused_by_field(client: TestClient, path: str) -> None:
    """Before it came to the database, whose refusal would name no field."""
    answer = client.get(f"/api/v1{path}")
    assert answer.status_code == 422, path
    assert answer.json()["errors"], path


@pytest.mark.parametrize("path", IDS)
def test_ids_beyond_their_column_are_refused(client: TestClient, path: str) -> None:
    for number in BEYOND:
        _refused_by_field(client, path.format(number))


@pytest.mark.parametrize("path", ["/alerts/{}", "/notifications/{}"])
def test_long_ids_beyond_their_column_are_refused(client: TestClient, path: str) -> None:
    for number in (0, -1, 2**63, 2**64):
        _refused_by_field(client, path.format(number))
    assert client.get(f"/api/v1{path.format(2**63 - 1)}").status_code == 404


@pytest.mark.parametrize(
    "path", ["vms", "volumes", "arrays", "hosts", "datastores", "alerts/history", "overview", "unmatched"]
)
@pytest.mark.parametrize("sign", ["%00", "%1b", "%7f", "%0a", "%C2%9b"])
def test_search_with_control_characters_is_refused(client: TestClient, path: str, sign: str) -> None:
    assert client.get(f"/api/v1/{path}?search=a{sign}b").status_code == 422


@pytest.mark.parametrize(
    "window",
    [
        "from=0001-01-01T00:00:00Z&to=0002-01-01T00:00:00Z",
        "from=1969-12-31T23:00:00Z&to=1970-01-01T01:00:00Z",
        "from=9999-12-31T00:00:00Z&to=9999-12-31T23:59:59Z",
        "from=0001-01-01T00:00:00%2B14:00",
        "from=9999-12-31T23:59:59-14:00&to=now",
        "from=-99999w",
        "from=",
        "to=",
        "from=%00",
    ],
)
def test_time_range_outside_the_calendar_is_refused(client: TestClient, window: str) -> None:
    assert client.get(f"/api/v1/vms/1/series?{window}").status_code == 422


NUL = "a\x00b"
NOW = "2026-11-21T12:00:00Z"
SETTINGS = {"address": "192.0.2.1", "api_token": "x" * 20}
BODIES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("post", "/sources", {"kind": "flasharray", "name": NUL, "settings": SETTINGS}),
    ("post", "/sources", {"kind": "flasharray", "name": "a", "settings": SETTINGS | {"address": NUL}}),
    ("post", "/sources", {"kind": "flasharray", "name": "a", "settings": SETTINGS | {"api_token": "ключ-ключ-ключ"}}),
    ("post", "/sources", {"kind": "flasharray", "name": "a", "settings": SETTINGS | {"api_token": "a b c d e f"}}),
    ("post", "/sources", {"kind": "flasharray", "name": "a", "settings": {NUL: 1}}),
    ("post", "/sources", {"kind": "flasharray", "name": "a", "settings": {"address": [{"x": "\ud800"}]}}),
    ("post", "/sources/test", {"kind": "flasharray", "settings": SETTINGS, "source_id": 99999999999}),
    ("post", "/certificate", {"address": NUL}),
    ("post", "/channels", {"kind": "webhook", "name": NUL, "settings": {"url": "https://example.org"}}),
    ("post", "/channels", {"kind": "webhook", "name": "a", "settings": {"url": f"https://{NUL}"}}),
    ("post", "/channels", {"kind": "webhook", "name": "a", "settings": {}, "second_id": 99999999999}),
    ("patch", "/channels/1", {"second_id": 99999999999}),
    ("post", "/channels/test", {"kind": "webhook", "settings": {}, "channel_id": 99999999999}),
    ("post", "/alerts/1/acknowledge", {"by": NUL, "note": ""}),
    ("post", "/alerts/1/acknowledge", {"by": "me", "note": NUL}),
    ("post", "/silences", {"matchers": [{"label": NUL, "pattern": "a"}], "until_at": NOW, "reason": "x", "by": "me"}),
    ("post", "/silences", {"matchers": [{"label": "a", "pattern": "a"}], "until_at": "9999-12-31T23:59:59Z", "reason": "x", "by": "me"}),
    ("post", "/maintenance-windows", {"name": "a", "first_day": "9999-12-31", "starts": "23:00", "lasts_min": 10080, "zone": "UTC"}),
    ("post", "/maintenance-windows", {"name": "a", "first_day": "2026-01-01", "starts": "23:00", "lasts_min": 60, "zone": NUL}),
    ("post", "/alert-rules/import", {"yaml": NUL}),
    ("post", "/alert-rules/import", {"yaml": 'rules: [{key: a, name: "a\\0b", of: datastore, when: [{latency: total, at_least: 2ms}]}]'}),
    ("post", "/session", {"token": "gvl_" + NUL * 10}),
)  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body"), BODIES)
def test_body_with_what_cannot_be_stored_is_refused(
    admin: TestClient, method: str, path: str, body: dict[str, Any]
) -> None:
    content = json.dumps(body)
    answer = admin.request(method, f"/api/v1{path}", content=content, headers={"content-type": "application/json"})
    assert answer.status_code == 422, answer.text
    assert "ключ" not in answer.text


@pytest.mark.parametrize("body", ["{", "", "\ud800", "[" * 200_000, '{"a": 1}}', "\x00"])
def test_body_that_is_no_json_is_refused_as_described(client: TestClient, body: str) -> None:
    content = body.encode(errors="surrogatepass")
    answer = client.post("/api/v1/session", content=content, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 422)
    assert answer.headers["content-type"] == "application/problem+json"
    paths: Any = document()["paths"]
    assert {"400", "411", "413", "415", "421", "422"} <= paths["/api/v1/session"]["post"]["responses"].keys()


# --- by the description -----------------------------------------------------------------------------------------------


def unbounded(schema: Any, described: Any, at: str) -> list[str]:
    """Where a schema takes numbers or texts that no column holds."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return unbounded(described["components"]["schemas"][name], described, f"{at}:{name}")
    found: list[str] = []
    for part in (*schema.get("anyOf", ()), *schema.get("allOf", ())):
        beside = {"pattern": schema["pattern"]} if "pattern" in schema else {}
        found += unbounded(beside | part, described, at)
    kind = schema.get("type")
    if kind == "integer" and not (
        {"maximum", "exclusiveMaximum"} & set(schema) and {"minimum", "exclusiveMinimum"} & set(schema)
    ):
        found.append(f"{at}: integer without bounds")
    if kind == "string" and not {"pattern", "enum", "const", "format"} & set(schema):
        found.append(f"{at}: text that may hold control characters")
    if kind == "array":
        found += unbounded(schema["items"], described, f"{at}[]")
    for name, part in schema.get("properties", {}).items():
        found += unbounded(part, described, f"{at}.{name}")
    if isinstance(schema.get("additionalProperties"), dict):
        found += unbounded(schema["additionalProperties"], described, f"{at}.*")
    return found


def test_every_number_is_bounded_and_every_text_is_plain_that_the_api_takes() -> None:
    described: Any = document()
    found: list[str] = []
    seen = 0
    for path, operations in described["paths"].items():
        for method, operation in operations.items():
            for parameter in operation.get("parameters", ()):
                seen += 1
                found += unbounded(parameter["schema"], described, f"{method} {path} {parameter['name']}")
            body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
            if body:
                seen += 1
                found += unbounded(body, described, f"{method} {path}")
    assert seen > 150
    assert found == []


@pytest.mark.parametrize("port", ["0", "65536", "99999"])
def test_a_host_with_a_port_that_cannot_be_is_refused(client: TestClient, port: str) -> None:
    assert client.get("/api/v1/health", headers={"host": f"127.0.0.1:{port}"}).status_code == 421
    assert client.get("/api/v1/health", headers={"host": "127.0.0.1:65535"}).status_code == 200


def test_head_is_answered_wherever_get_is_without_a_body(admin: TestClient) -> None:
    paths = [
        path for path, item in document()["paths"].items() if "get" in item and "{" not in path and "/live" not in path
    ]
    assert len(paths) > 30
    for path in (*paths, "/", "/volumes", "/nowhere.js"):
        got, head = admin.get(path), admin.head(path)
        assert (head.status_code, head.content) == (got.status_code, b""), path
        assert head.headers.get("content-type") == got.headers.get("content-type")
    assert admin.head("/api/v1/live").status_code == 200
    # Writing stays what it is.
    assert admin.head("/api/v1/wall-token").status_code == admin.get("/api/v1/wall-token").status_code == 404


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("../../etc/passwd\u202e<b>99.csv", "passwd\ufffd<b>99.csv"),
        ("C:\\captures\\esx-01.csv", "esx-01.csv"),
        ("esx-01.csv", "esx-01.csv"),
    ],
)
def test_a_file_name_of_an_upload_is_a_name_and_no_path(sent: str, kept: str) -> None:
    assert TypeAdapter(FileName).validate_python(sent) == kept


@pytest.mark.parametrize("sent", ["", "a/", "..\\"])
def test_a_file_without_a_name_is_refused(sent: str) -> None:
    with pytest.raises(ValidationError):
        TypeAdapter(FileName).validate_python(sent)
