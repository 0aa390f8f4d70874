"""The long campaigns, which `make test` does not run, can at least begin: whatever they import of the product is still there."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CAMPAIGNS = ("tests/benchmarks", "tests/chaos", "tests/peers", "tests/stories")
# A hang only: it takes seconds.
DEADLINE_S = 600


def test_every_long_campaign_is_collected() -> None:
    # Plugins are half of the cost and none of them collects anything here; the socket one owns options of pyproject.toml.
    collect = ("-m", "pytest", "--collect-only", "-q", "-p", "pytest_socket", "-p", "no:cacheprovider")
    done = subprocess.run(
        [sys.executable, *collect, *CAMPAIGNS],
        cwd=ROOT,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    for campaign in CAMPAIGNS:
        assert f"{campaign}/test_" in done.stdout
