"""Names with markup from the database to every page in a real browser: nothing runs, nothing is loaded, everything is text."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from sqlalchemy import text
from tests.alerting.use.alert_scene import KERNEL, alert_scene
from tests.conftest import ROOT, missing
from tests.hostile.api.markup import MARK, PAYLOADS, payload, rename_all
from tests.hostile.api.server import Server, fill, serving
from tests.product.running import tell

from gavel.db.engine import Role, open_engine

# In a whole run each object has each name, and each kind of object is looked at in each tab.
WHOLE = int(os.environ.get("REQUESTS") or 0) > 10_000
TURNS = len(PAYLOADS) if WHOLE else 1
FRONTEND = ROOT / "frontend"
TABLES = {
    "vms": "vm", "datastores": "datastore", "hosts": "esxi_host", "volumes": "volume", "arrays": "storage_array", "sources": "source",
}  # fmt: skip
PLAYWRIGHT = FRONTEND / "node_modules/@playwright/test/cli.js"


@pytest.fixture(scope="module")
def chromium() -> str:
    found = subprocess.run(
        [sys.executable, "scripts/browser.py"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if found.returncode or not PLAYWRIGHT.is_file() or not (FRONTEND / "dist/index.html").is_file():
        missing("The pages are looked at in a browser: run `make setup`; scripts/browser.py says how to get one.")
    return found.stdout.strip()


@pytest.fixture(scope="module")
def server(module_postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with alert_scene(module_postgres_url) as scene:
        scene.rule(name='<img src=x onerror=alert(1)> "zq"', labels={"team": "<script>alert(1)</script> zq"})
        scene.step(KERNEL)
    fill(module_postgres_url, is_new=False)
    with serving(module_postgres_url, tmp_path_factory.mktemp("markup")) as found:
        yield found


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(one)


def test_markup_in_names_comes_through_the_api_as_it_was_given(server: Server, module_postgres_url: str) -> None:
    """Nothing is escaped, cut or left out on the way: that is the pages' work, or a message's."""
    engine = open_engine(module_postgres_url, Role.WORKER)
    seen = set[str]()
    try:
        with engine.connect() as connection:
            ids = {
                kind: list(connection.execute(text(f"SELECT id FROM {TABLES[kind]} ORDER BY id")).scalars())
                for kind in TABLES
            }
        for turn in range(0, len(PAYLOADS), len(PAYLOADS) // TURNS // 6 or 1):
            rename_all(engine, turn)
            for kind, rows in ids.items():
                answer = httpx.get(f"{server.url}/api/v1/{kind}", params={"limit": 500}, timeout=30)
                assert answer.status_code == 200, answer.text
                assert answer.headers["content-type"] == "application/json"
                assert answer.headers["x-content-type-options"] == "nosniff"
                shown = set(strings(answer.json()))
                for number, row in enumerate(rows):
                    assert f"{payload(number + turn)} {MARK}{row}" in shown, f"{kind} {row}"
                    seen.add(payload(number + turn))
            told = set(
                strings(
                    httpx.get(
                        f"{server.url}/api/v1/alerts/history", params={"from": "-2d", "to": "now"}, timeout=30
                    ).json()
                )
            )
            assert f"{payload(turn)} {MARK}" in told
    finally:
        engine.dispose()
    assert seen == set(PAYLOADS)


def test_markup_in_names_is_text_on_every_page(server: Server, module_postgres_url: str, chromium: str) -> None:
    node = shutil.which("node", path=f"{ROOT / '.tools/bin'}{os.pathsep}{os.environ['PATH']}")
    if node is None:
        missing("Node.js drives the browser: run `make setup`.")
    environment = os.environ | {
        "GAVEL_E2E_URL": server.url,
        "GAVEL_CHROMIUM": chromium,
        "GAVEL_E2E_EVERY_TAB": "1" if WHOLE else "",
    }
    engine = open_engine(module_postgres_url, Role.WORKER)
    try:
        for turn in range(TURNS):
            renamed = rename_all(engine, turn)
            assert renamed > 40
            command = [node, str(PLAYWRIGHT), "test", "--project=markup", "--output", f"test-results/markup-{turn}"]
            done = subprocess.run(
                command, cwd=FRONTEND, env=environment, capture_output=True, text=True, timeout=1500, check=False
            )
            tell(f"turn {turn}: {renamed} names; " + " ".join(done.stdout.strip().splitlines()[-1:]))
            assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-1000:]
    finally:
        engine.dispose()
