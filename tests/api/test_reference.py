"""The page of the API's description: everything on it is Gavel's own, and it is fenced in so that nothing else could be."""

import re
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from gavel.api.app import build
from gavel.config import Settings

PAGE = "/api/v1/docs"
_LOADED = re.compile(r"(?:src|href)=\"([^\"]*)\"|url: '([^']*)'|@import|https?:", re.IGNORECASE)


@pytest.fixture
def reader(settings: Settings) -> Iterator[TestClient]:
    assets = settings.data_dir / "dist/assets"
    assets.mkdir(parents=True)
    for name in ("swagger-ui-0a1b.css", "swagger-ui-0a1b.js"):
        (assets / name).write_text("")
    built = settings.model_copy(update={"frontend_dir": assets.parent})
    with TestClient(build(built), base_url="http://127.0.0.1:8321") as found:
        yield found


def test_reference_loads_nothing_from_elsewhere(reader: TestClient) -> None:
    page = reader.get(PAGE).text
    loaded = ["".join(found.groups("")) for found in _LOADED.finditer(page)]
    assert "/assets/swagger-ui-0a1b.js" in loaded
    assert "/api/v1/openapi.json" in loaded
    assert [one for one in loaded if not re.match(r"/[^/]", one)] == []


def test_reference_runs_its_own_script_and_its_one_line_only(reader: TestClient) -> None:
    first, second = reader.get(PAGE), reader.get(PAGE)
    policy = dict(part.strip().split(" ", 1) for part in first.headers["content-security-policy"].split(";"))
    (nonce,) = re.findall(r"<script nonce=\"([^\"]+)\">", first.text)
    assert policy["script-src"] == f"'self' 'nonce-{nonce}'"
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert nonce not in second.text
    assert not [words for words in policy.values() if "http" in words or "*" in words]
