"""Runs test files that a seed draws, each in a process of its own: none may depend on what another one leaves behind.

.venv/bin/python scripts/alone.py SEED COUNT
"""

from __future__ import annotations

import random
import subprocess
import sys

import quick
from scheduling import ROOT

PYTEST = (str(ROOT / ".venv/bin/pytest"), "-q", "-p", "no:cacheprovider", "-p", "no:randomly")


def drawn(seed: int, count: int) -> list[str]:
    """Files of `make test` that start no whole product."""
    names = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("test_*.py"))
    short = [name for name in names if not name.startswith(quick.LONG)]
    return random.Random(seed).sample(short, min(count, len(short)))  # noqa: S311 (not a secret)


def main(arguments: list[str]) -> int:
    seed, count = map(int, arguments)
    failed = []
    for name in drawn(seed, count):
        # Output of both ends in one log in the order in which it came.
        sys.stdout.write(f"{name}\n")
        sys.stdout.flush()
        if subprocess.run((*PYTEST, name), cwd=ROOT, check=False).returncode:
            failed.append(name)
    sys.stdout.writelines(f"FAILED {name} - it fails alone\n" for name in failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
