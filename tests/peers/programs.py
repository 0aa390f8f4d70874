"""Builds and runs the peers that are not Python: Go programs, kept in the repository's cache once built."""

import os
import shutil
import subprocess
from pathlib import Path

from tests.conftest import missing

HERE = Path(__file__).resolve().parent
BUILD_DEADLINE_S = 1500
RUN_DEADLINE_S = 180


def built(peer: str) -> Path:
    """The program of tests/peers/<peer>, built unless it is there. Skips (fails in CI) without Go or its modules."""
    if shutil.which(os.environ.get("GO", "go")) is None:
        missing("This needs Go 1.25 or newer: set GO to its command.")
    done = subprocess.run(
        [str(HERE / peer / "build.sh")], capture_output=True, text=True, timeout=BUILD_DEADLINE_S, check=False
    )
    if done.returncode:
        missing(f"{peer} could not be built: {done.stderr.strip()[-2000:]}")
    return Path(done.stdout.strip())


def run(program: Path, *arguments: str, environment: dict[str, str] | None = None) -> str:
    """What a program prints; fails with its errors when it does not succeed."""
    done = subprocess.run(
        [str(program), *arguments],
        capture_output=True,
        text=True,
        timeout=RUN_DEADLINE_S,
        env={**os.environ, **(environment or {})},
        check=False,
    )
    assert done.returncode == 0, f"{program.name} ended with {done.returncode}:\n{done.stderr[-4000:]}"
    return done.stdout
