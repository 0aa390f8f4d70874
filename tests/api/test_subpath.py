"""Gavel below a path of a reverse proxy: https://example.com/gavel, whether the proxy passes the path on or takes it off."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient
from tests.api.serving import served
from tests.conftest import ROOT, missing

from gavel.api.app import build
from gavel.config import Settings

HTML = {"accept": "text/html"}
# Opens the first page, follows two links of the menu, and prints what was asked for and where it led.
LOOK = """
import { chromium } from '@playwright/test'
const [program, address] = process.argv.slice(1)
const browser = await chromium.launch({ executablePath: program, args: ['--no-sandbox'] })
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
const asked = []
page.on('request', (request) => asked.push(new URL(request.url()).pathname))
await page.goto(address)
await page.getByRole('link', { name: 'Sources', exact: true }).first().click()
await page.getByRole('heading', { level: 1, name: 'Sources' }).waitFor({ timeout: 120000 })
await page.getByText('No sources yet').first().waitFor({ timeout: 120000 })
const links = await page.locator('a[href^="/"]').evaluateAll((found) => found.map((link) => link.getAttribute('href').split('?')[0]))
const headings = [await page.locator('h1').first().innerText()]
await page.getByRole('link', { name: 'Datastores' }).first().click()
await page.getByRole('heading', { level: 1, name: 'Datastores' }).waitFor({ timeout: 120000 })
headings.push(await page.locator('h1').first().innerText())
console.log(JSON.stringify({ links, asked, headings, then: new URL(page.url()).pathname }))
await browser.close()
"""


@pytest.fixture
def below(settings: Settings, client: TestClient) -> Iterator[TestClient]:
    """Before a Gavel that people reach below a path. `client` made its setup token."""
    public = settings.model_copy(update={"public_url": "https://example.com/gavel/"})
    with TestClient(build(public), base_url="https://example.com") as found:
        yield found


def test_subpath_is_served_with_and_without_the_path(below: TestClient) -> None:
    for prefix in ("", "/gavel"):
        assert below.get(f"{prefix}/api/v1/session").json()["role"] == "stranger", prefix
        assert below.get(f"{prefix}/vms/3", headers=HTML).status_code == 200, prefix
    assert below.get("/gavelled/api/v1/session").status_code == 404


def test_subpath_alone_is_the_first_page(below: TestClient) -> None:
    alone, with_slash = (below.get(path, headers=HTML, follow_redirects=False) for path in ("/gavel", "/gavel/"))
    assert (alone.status_code, with_slash.status_code) == (200, 200)
    # As every answer: the headers are set further in than the path is taken off.
    assert alone.headers["strict-transport-security"] == with_slash.headers["strict-transport-security"]
    assert below.get("/gavel", headers=HTML | {"host": "elsewhere.example"}).status_code == 421


def test_subpath_is_the_only_place_that_the_session_cookie_is_sent_to(below: TestClient, admin_token: str) -> None:
    answer = below.post("/gavel/api/v1/session", json={"token": admin_token})
    assert answer.status_code == 200, answer.text
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith("__Secure-gavel_session_")
    assert "; Path=/gavel;" in cookie
    assert below.get("/gavel/api/v1/sources").status_code == 200
    gone = below.delete("/gavel/api/v1/session", headers={"sec-fetch-site": "same-origin"})
    assert "; Path=/gavel;" in gone.headers["set-cookie"]


def test_subpath_stands_in_the_page_and_in_the_api_reference(
    below: TestClient, settings: Settings, admin_token: str
) -> None:
    if not (settings.frontend_dir / "index.html").is_file():
        missing("The pages are not built: run `make setup`.")
    page = below.get("/gavel/datastores/4", headers=HTML).text
    assert 'data-base="/gavel"' in page
    addresses = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert addresses
    assert all(address.startswith("/gavel/") for address in addresses)
    for address in addresses:
        assert below.get(address).status_code == 200, address
    bearer = {"authorization": f"Bearer {admin_token}"}
    reference = below.get("/gavel/api/v1/docs", headers=bearer).text
    assert "url: '/gavel/api/v1/openapi.json'" in reference
    assert all(address.startswith("/gavel/") for address in re.findall(r'(?:src|href)="([^"]+)"', reference))
    assert below.get("/gavel/api/v1/openapi.json", headers=bearer).json()["servers"] == [{"url": "/gavel"}]


def test_without_a_subpath_pages_name_their_files_from_the_root(client: TestClient, settings: Settings) -> None:
    if not (settings.frontend_dir / "index.html").is_file():
        missing("The pages are not built: run `make setup`.")
    page = client.get("/datastores/4", headers=HTML).text
    assert 'data-base=""' in page
    assert all(re.match(r"/[^/]", address) for address in re.findall(r'(?:src|href)="([^"]+)"', page))


def test_subpath_works_in_a_browser(settings: Settings, client: TestClient) -> None:
    """The page loads its code, asks the API and makes its links below the path; a link leads on."""
    found = subprocess.run(
        [sys.executable, "scripts/browser.py"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    node = shutil.which("node", path=f"{ROOT / '.tools/bin'}{os.pathsep}{os.environ['PATH']}")
    if found.returncode or node is None or not (settings.frontend_dir / "index.html").is_file():
        missing("The page is opened in a browser: run `make setup`; scripts/browser.py says how to get one.")
    app = build(settings.model_copy(update={"public_url": "http://127.0.0.1/gavel"}))
    with served(app) as port:
        done = subprocess.run(
            [node, "--input-type=module", "--eval", LOOK, found.stdout.strip(), f"http://127.0.0.1:{port}/gavel"],
            cwd=ROOT / "frontend", capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert "/gavel/datastores" in seen["links"]
    assert [link for link in seen["links"] if not re.match("/gavel(/|$)", link)] == []
    first, *others = seen["asked"]
    assert first == "/gavel"
    assert [address for address in others if not address.startswith("/gavel/")] == []
    assert seen["then"] == "/gavel/datastores"
    assert seen["headings"] == ["Sources", "Datastores"]
