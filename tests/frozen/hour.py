"""The hour that browser tests and products under test begin with: made once, kept as long as neither the product nor its lab changes.

    .venv/bin/python -m tests.frozen.hour FOLDER    copies it there, and makes it first where it is missing
    .venv/bin/python -m tests.frozen.hour --accept  makes its codes the ones that tests expect (tests/frozen/codes.txt)
    .venv/bin/python -m tests.frozen.hour --twice   makes it once more, and says in which tables the two differ

It ends at one instant, which is a constant (`tests.frozen.instant`). Its content is equal byte for byte wherever it is made on
one machine, and its codes are equal everywhere.
"""

import argparse
import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.frozen.codes import differences
from tests.frozen.instant import AT, SEED_VARIABLE

ROOT = Path(__file__).resolve().parents[2]
KEPT_IN = ROOT / ".cache/hours"
# What makes the numbers: another hour for other code.
MADE_BY = ("backend/gavel", "backend/gavel_lab", "backend/requirements.txt", "migrations", "tests/frozen")
EXPECTED = ROOT / "tests/frozen/codes.txt"
ACCEPT = ".venv/bin/python -m tests.frozen.hour --accept"


@dataclass(frozen=True)
class Hour:
    """`at`: when it ends, in seconds since the epoch. `content`: table → digest of its rows."""

    at: float
    content: Mapping[str, str]


def read_hour(folder: Path) -> Hour:
    """The hour in `folder`, or in a copy of it."""
    return Hour(**json.loads((folder / "hour.json").read_text()))


def read_codes(folder: Path) -> list[str]:
    return (folder / "codes.txt").read_text().splitlines()


def hour() -> Path:
    """Folder of the hour of today's code: `data` is a product's data directory. A second caller waits while it is made."""
    with _alone():
        return _kept()


def copy_hour(into: Path) -> None:
    """A copy that belongs to the caller, its database to the account that it runs as."""
    # A process with other code removes this hour.
    with _alone():
        subprocess.run(["cp", "-a", f"{_kept()}/.", str(into)], check=True)


def _kept() -> Path:
    folder = KEPT_IN / key()
    if not (folder / "hour.json").exists():
        _make(folder)
    return folder


@contextmanager
def _alone() -> Iterator[None]:
    KEPT_IN.mkdir(parents=True, exist_ok=True)
    with (KEPT_IN / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def key() -> str:
    seen = hashlib.sha256(AT.isoformat().encode())
    for name in MADE_BY:
        place = ROOT / name
        files = [place] if place.is_file() else (file for file in place.rglob("*") if file.is_file())
        for file in sorted(file for file in files if _is_a_maker(file)):
            seen.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes() + b"\0")
    return seen.hexdigest()[:16]


def _is_a_maker(file: Path) -> bool:
    return "__pycache__" not in file.parts and file != EXPECTED and not file.name.startswith("test_")


def _make(folder: Path) -> None:
    for old in KEPT_IN.iterdir():
        if old.is_dir():
            shutil.rmtree(old)
    fresh = folder.with_suffix(".new")
    fresh.mkdir()
    began = time.monotonic()
    make_in(fresh)
    fresh.rename(folder)
    sys.stderr.write(f"  an hour is held in {folder}, made in {time.monotonic() - began:.0f} s\n")


def make_in(folder: Path) -> None:
    """In a process of its own, for which only the held clock is set."""
    kept = (SEED_VARIABLE,)
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GAVEL_") or name in kept}
    made = subprocess.run(
        [sys.executable, "-m", "tests.frozen.making", str(folder)],
        cwd=ROOT, env=environment | {"GAVEL_TEST_CLOCK": f"@{AT.timestamp():.0f}", "GAVEL_LOG_LEVEL": "warning"},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if made.returncode:
        raise RuntimeError(f"no hour could be made:\n{made.stdout}{made.stderr}")


def accept() -> None:
    found = read_codes(hour())
    for line in differences(EXPECTED.read_text().splitlines() if EXPECTED.exists() else [], found):
        sys.stdout.write(f"{line}\n")
    EXPECTED.write_text("".join(f"{line}\n" for line in found))


def twice() -> int:
    """Makes it once more; 1 where the two differ."""
    held = read_hour(hour())
    with tempfile.TemporaryDirectory() as folder:
        make_in(Path(folder))
        other = read_hour(Path(folder))
    differing = sorted(
        name for name in held.content.keys() | other.content.keys() if held.content.get(name) != other.content.get(name)
    )
    sys.stdout.write(f"two makings differ in {', '.join(differing)}\n" if differing else "two makings are equal\n")
    return 1 if differing else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path, nargs="?", help="copies it there")
    parser.add_argument("--accept", action="store_true", help="makes its codes the ones that tests expect")
    parser.add_argument(
        "--twice", action="store_true", help="makes it once more, and says in which tables the two differ"
    )
    chosen = parser.parse_args()
    if chosen.folder:
        copy_hour(chosen.folder)
    if chosen.accept:
        accept()
    return twice() if chosen.twice else 0


if __name__ == "__main__":
    sys.exit(main())
