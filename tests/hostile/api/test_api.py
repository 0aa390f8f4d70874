"""Whatever is asked of the API, it answers in time, in bounded memory and without a fault: some here, 100,000 in `make hostile`."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.api.description import document
from tests.hostile.api.campaign import MOST_MEMORY_MIB, OUTSIDE, STREAM, Campaign
from tests.hostile.api.server import Server, fill, serving
from tests.product.running import tell

REQUESTS = int(os.environ.get("REQUESTS") or 1000)
SEED = int(os.environ.get("SEED") or 1)
# Of Schemathesis, for each operation and phase; its requests come on top.
EXAMPLES = max(2, REQUESTS // 2500)
# The boundaries of every schema are some thousand requests.
PHASES = "examples,coverage,fuzzing" if REQUESTS > 10_000 else "examples,fuzzing"

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc")


@pytest.fixture(scope="module")
def described() -> Any:
    return document()


@pytest.fixture(scope="module")
def server(module_postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    fill(module_postgres_url)
    with serving(module_postgres_url, tmp_path_factory.mktemp("hostile")) as found:
        yield found


def test_hostile_requests_are_answered_in_time_without_a_fault_and_in_bounded_memory(
    server: Server, described: Any
) -> None:
    report = Campaign(server, described, SEED).run(REQUESTS)
    tell(f"seed {SEED}\n  {report}")
    assert report.requests >= REQUESTS
    assert not report.faults, report.faults[0]
    assert not report.late, report.late[0]
    assert report.memory_mib <= MOST_MEMORY_MIB
    # The answers are no accident of a server that refuses everything.
    assert report.statuses[200] > report.requests // 50
    assert "Traceback" not in server.log.read_text()


def _wait_until_unthrottled(server: Server) -> None:
    """The requests of another test may have used up what this address may guess wrong in a minute."""
    url, headers = f"{server.url}/api/v1/openapi.json", {"authorization": f"Bearer {server.admin_token}"}
    for _ in range(150):
        if httpx.get(url, headers=headers, timeout=10).status_code == 200:
            return
        time.sleep(1)
    raise AssertionError("still throttled after 150 s")


@pytest.mark.parametrize("who", ["stranger", "admin"])
def test_schemathesis_finds_no_fault_and_nothing_undescribed(
    server: Server, described: Any, who: str, tmp_path: Path
) -> None:
    command = [
        str(Path(sys.executable).with_name("schemathesis")), "run", f"{server.url}/api/v1/openapi.json", "--no-color",
        "--checks", "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance",
        "--max-examples", str(EXAMPLES), "--phases", PHASES, "--seed", str(SEED), "--workers", "1",
        "--generation-database", "none", "--no-shrink", "--continue-on-failure", "--max-response-time", "20",
        "--suppress-health-check", "all", "--warnings", "off", "--exclude-operation-id", STREAM,
        "--exclude-operation-id", "health",
    ]  # fmt: skip
    _wait_until_unthrottled(server)
    if who == "admin":
        command += ["-H", f"Authorization: Bearer {server.admin_token}"]
        excluded = OUTSIDE | {"sign_out_everywhere", "remove_source"}
        command += [word for one in sorted(excluded) for word in ("--exclude-operation-id", one)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=3600, check=False)
    tell(f"schemathesis, {who}: " + " · ".join(done.stdout.strip().splitlines()[-12:]))
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
