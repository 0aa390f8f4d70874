"""The hour that browser tests look at: made once by a whole product and its lab, kept as long as neither changes.

    .venv/bin/python -m tests.frozen.hour FOLDER          copies it there, and makes it first where it is missing
    .venv/bin/python -m tests.frozen.hour FOLDER --young  the same, unless a product would have much to read since then

`gavel up` reads the lab's whole hour and attributes it, and is then stopped like any other. Nothing in it is written by
hand. It is held at the minute at which it was made, so the stories in it stand at different points from one hour to the next.
"""

import argparse
import fcntl
import hashlib
import json
import math
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from tests.product import ledgers
from tests.product.comparing import KEPT_S
from tests.product.running import Product, tell

ROOT = Path(__file__).resolve().parents[2]
KEPT_IN = ROOT / ".cache/hours"
# What makes the numbers: another hour for other code.
MADE_BY = ("backend/gavel", "backend/gavel_lab", "backend/requirements.txt", "migrations", "tests/frozen/hour.py")
_FIRST_DATA_S, _HOUR_S = 120, 400
# A product that goes on from an hour this old has soon read what it missed; from an older one it begins as well anew.
YOUNG_S = 20 * 60.0


@dataclass(frozen=True)
class Hour:
    """`at`: when it was held, in seconds since the epoch."""

    at: float


def read_hour(folder: Path) -> Hour:
    """The hour in `folder`, or in a copy of it."""
    return Hour(**json.loads((folder / "hour.json").read_text()))


def hour() -> Path:
    """Folder of the hour of today's code: `data` is a product's data directory. Whoever comes while it is made waits for it."""
    KEPT_IN.mkdir(parents=True, exist_ok=True)
    with _alone():
        folder = KEPT_IN / key()
        if not (folder / "hour.json").exists():
            _make(folder)
        return folder


def copy_hour(into: Path, *, within_s: float = math.inf) -> bool:
    """A copy that belongs to whoever takes it, its database to the account that it runs as. None where it is older than `within_s`."""
    folder = hour()
    if time.time() - read_hour(folder).at > within_s:
        return False
    subprocess.run(["cp", "-a", f"{folder}/.", str(into)], check=True)
    return True


@contextmanager
def _alone() -> Iterator[None]:
    with (KEPT_IN / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def key() -> str:
    seen = hashlib.sha256()
    for name in MADE_BY:
        place = ROOT / name
        files = [place] if place.is_file() else (file for file in place.rglob("*") if file.is_file())
        for file in sorted(file for file in files if "__pycache__" not in file.parts):
            seen.update(f"{file.relative_to(ROOT)}\0".encode() + file.read_bytes() + b"\0")
    return seen.hexdigest()[:16]


def _make(folder: Path) -> None:
    for old in KEPT_IN.iterdir():
        if old.is_dir():
            shutil.rmtree(old)
    fresh = folder.with_suffix(".new")
    fresh.mkdir()
    product = Product(fresh)
    began = time.monotonic()
    try:
        product.come_up()
        wait_for_the_hour(product)
        ledgers.settled(product)
        product.stop()
    finally:
        product.end()
    for left in ("up.log", "data/logs", "data/processes.json"):
        path = fresh / left
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    (fresh / "hour.json").write_text(json.dumps(asdict(Hour(at=time.time()))))
    fresh.rename(folder)
    tell(f"an hour is held in {folder}, made in {time.monotonic() - began:.0f} s")


def wait_for_the_hour(product: Product) -> None:
    """Until it has read both sides of everything as far back as the lab keeps it."""

    def both_sides() -> bool:
        found = product.ask(
            "SELECT EXISTS (SELECT FROM array_volume_sample) AND EXISTS (SELECT FROM host_device_sample)"
        )
        return bool(found[0][0])

    product.wait_for(both_sides, "numbers of both sides", _FIRST_DATA_S)
    tell(f"first data of both sides {time.time() - product.up_at:.1f} s after it was up")
    product.wait_for(lambda: _has_the_hour(product), "the last hour", _HOUR_S)
    tell(f"the last hour {time.time() - product.up_at:.1f} s after it was up")


def _has_the_hour(product: Product) -> bool:
    """All four sources have been read once, owe nothing, and reach back as far as they keep."""
    oldest = product.ask(
        "SELECT extract(epoch FROM min(a.ts))::float8, extract(epoch FROM min(h.ts))::float8 FROM "
        "(SELECT min(ts) AS ts FROM array_volume_sample) a, (SELECT min(ts) AS ts FROM host_device_sample) h"
    )[0]
    back = time.time() - KEPT_S
    return (
        len(product.watermarks()) >= 10
        and product.pending() == 0
        and all(at is not None and at < back for at in oldest)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--young", action="store_true", help=f"only one of the last {YOUNG_S / 60:.0f} minutes")
    chosen = parser.parse_args()
    copy_hour(chosen.folder, within_s=YOUNG_S if chosen.young else math.inf)


if __name__ == "__main__":
    main()
