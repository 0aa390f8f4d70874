"""Writes the dependency locks: every version with its hashes, and no registry's name in any of them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
UV = ROOT / ".tools/uv/bin/uv"
OLDEST_PYTHON = "3.11"
DEV = "backend/requirements-dev.txt"

# The dev lock is solved first and constrains the others, so that all three agree on every version.
LOCKS: dict[str, list[str]] = {
    DEV: ["pyproject.toml", "--extra=embedded", "--extra=lab", "--group=build", "--group=dev"],
    "backend/requirements-embedded.txt": [
        "pyproject.toml",
        "--extra=embedded",
        "--extra=lab",
        "--group=build",
        f"--constraints={DEV}",
    ],
    "backend/requirements.txt": ["pyproject.toml", "--group=build", f"--constraints={DEV}"],
    "scripts/tools.txt": ["scripts/tools.in"],
    "scripts/node.txt": ["scripts/node.in"],
    "scripts/go.txt": ["scripts/go.in"],
    "tests/peers/requirements.txt": ["tests/peers/requirements.in"],
}


def compile_lock(target: str, sources: list[str], *, upgrade: bool) -> int:
    """Solve `sources` for every platform and write `target`; returns the exit status of the solver."""
    command = [
        str(UV),
        "pip",
        "compile",
        "--quiet",
        "--universal",
        f"--python-version={OLDEST_PYTHON}",
        "--generate-hashes",
        "--no-emit-index-url",
        "--no-emit-find-links",
        "--no-annotate",
        "--custom-compile-command=make lock",
        f"--output-file={target}",
        *(["--upgrade"] if upgrade else []),
        *sources,
    ]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def main() -> int:
    upgrade = os.environ.get("UPGRADE", "") not in ("", "0")
    for target, sources in LOCKS.items():
        if not (ROOT / sources[0]).is_file():
            print(f"lock: {sources[0]} is missing, so {target} was not written.", file=sys.stderr)
            return 1
        if status := compile_lock(target, sources, upgrade=upgrade):
            print(f"lock: {target} could not be solved (see above); nothing after it was written.", file=sys.stderr)
            return status
        print(f"lock: {target}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
