"""What starts the browser tests: words that fit no test are an error, not a run of none."""

import shutil
import subprocess
from pathlib import Path

import pytest

FRONTEND = Path(__file__).resolve().parents[2] / "frontend"


@pytest.mark.parametrize("project", ["living", "e2e"])
def test_browser_tests_that_do_not_exist_fail_before_anything_is_started(project: str) -> None:
    node = shutil.which("node") or str(FRONTEND.parent / ".tools/bin/node")
    done = subprocess.run(
        [node, "e2e/run.mjs", project, "no-such-file.spec.ts"],
        cwd=FRONTEND, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "No test of" in done.stderr
