"""What the lab's FlashArray costs: CPU per page of 1,000 rows, over 5,000 volumes.

Pages of one poll share the solved minute, so the first one is told apart: it pays for the queueing model.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable

import pytest

from gavel_lab.clocks import LabTime
from gavel_lab.flasharray.server import create
from gavel_lab.lab import create_lab
from gavel_lab.scale import Scale
from gavel_lab.serve import Request, Response

AT = 1_795_213_032.831
VOLUMES = 5_000
PAGES = 5
GOAL_S_PER_PAGE = 0.05

Ask = Callable[[str, str], Response]


@pytest.fixture(scope="module", params=["2.15", "2.52"])
def ask(request: pytest.FixtureRequest) -> Ask:
    """Calls of one session with an array that lists 5,000 volumes, in the version it offers."""
    version = request.param
    lab = create_lab(scale=Scale(bare_volumes=2 * VOLUMES), lab_time=LabTime(AT, speed=0))
    array = next(array for array in lab.environment.arrays if array.rest_version == version)
    app = create(lab, array)
    login = app(Request("POST", f"/api/{version}/login", "", {"api-token": array.api_token}, b""))
    headers = {"x-auth-token": login.headers["x-auth-token"]}
    return lambda path, query: app(Request("GET", f"/api/{version}/{path}", query, headers, b""))


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("volumes", "destroyed=false"),
        ("volumes/performance", "resolution=30000&end_time=1795213020000"),
        ("volumes/performance", ""),
    ],
)
def test_a_page_of_a_thousand_rows(
    ask: Ask, path: str, query: str, record_property: Callable[[str, object], None], capsys: pytest.CaptureFixture[str]
) -> None:
    costs_s, size = [], 0
    for page in range(PAGES):
        started = time.process_time()
        response = ask(path, f"{query}&limit=1000&offset={page * 1000}".lstrip("&"))
        costs_s.append(time.process_time() - started)
        size += len(response.body)
        assert len(json.loads(response.body)["items"]) == 1_000
    first, others = costs_s[0], statistics.median(costs_s[1:])
    record_property("first_page_cpu_s", first)
    record_property("page_cpu_s", others)
    with capsys.disabled():
        what = f"{path}?{query}" if query else f"{path} (real time)"
        cost = f"first page {first * 1e3:.0f} ms, others {others * 1e3:.1f} ms CPU, {size / PAGES / 1e6:.2f} MB"
        sys.stdout.write(f"\n{what}: {cost}\n")
    assert others <= GOAL_S_PER_PAGE
