"""Mistakes of a newcomer who tests a source before it is added: each gets a sentence with the place, the cause and the remedy."""

import re
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.product.hostile import Hostiles, hostiles
from tests.product.mistakes import CASES, PASSWORD, TOKEN, Case, settings

from gavel.api.app import build
from gavel.config import Settings
from gavel_lab.lab import create_lab
from gavel_lab.sources import serve_lab

# As many trials as the API makes at a time. Six of them wait for an answer that never comes.
AT_ONCE = 4
SILENT = ("black_hole", "silent_server", "drip")


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sequence[Mapping[str, Any]]]:
    """The lab's, as it announces them."""
    served = serve_lab(create_lab(1, step_s=60), 0, tmp_path_factory.mktemp("lab"))
    yield served.announcement
    served.stop()


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostiles]:
    with hostiles(tmp_path_factory.mktemp("hostile")) as found:
        yield found


@pytest.fixture(scope="module")
def answers(
    module_postgres_url: str,
    sources: Sequence[Mapping[str, Any]],
    hostile: Hostiles,
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, dict[str, Any]]:
    """What the API answers to every case, the slow ones first."""
    own = Settings(
        database_url=module_postgres_url, data_dir=Path(tmp_path_factory.mktemp("data")), broker_url="memory://"
    )
    with TestClient(build(own), base_url="http://127.0.0.1:8321") as client:
        token = client.post("/api/v1/session", json={"token": own.setup_token_file.read_text().strip()})
        client.cookies.clear()
        client.headers["authorization"] = f"Bearer {token.json()['admin_token']}"

        def attempt(case: Case) -> dict[str, Any]:
            body = {"kind": case.kind, "settings": settings(sources, hostile, case)}
            found: dict[str, Any] = client.post("/api/v1/sources/test", json=body).raise_for_status().json()
            return found

        names = sorted(CASES, key=lambda name: CASES[name].address not in SILENT)
        with ThreadPoolExecutor(AT_ONCE) as people:
            return dict(zip(names, people.map(attempt, [CASES[name] for name in names]), strict=True))


@pytest.mark.parametrize("name", CASES)
def test_source_mistake_is_named_with_the_place_and_the_remedy(
    answers: dict[str, dict[str, Any]], sources: Sequence[Mapping[str, Any]], hostile: Hostiles, name: str
) -> None:
    answer = answers[name]
    failed = [check for check in answer["checks"] if check["state"] == "failed"]
    assert not answer["passed"]
    assert len(failed) == 1, failed
    assert re.search(CASES[name].says, failed[0]["detail"], re.DOTALL), failed[0]
    assert settings(sources, hostile, CASES[name])["address"] in failed[0]["detail"], failed[0]
    assert failed[0]["remedy"], failed[0]
    assert not re.search(r"Traceback|<class|object at 0x", str(answer))
    assert TOKEN not in str(answer)
    assert PASSWORD not in str(answer)
