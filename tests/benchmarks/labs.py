"""A lab of any size in a process of its own, and what it says of its sources."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

_START_S = 300


Sources = dict[str, dict[str, Any]]


@contextmanager
def running_lab(folder: Path, *options: str) -> Iterator[Sources]:
    """Name of a source → its kind, address and settings as Gavel takes them, while the lab runs."""
    with lab_process(folder, *options) as (sources, _):
        yield sources


@contextmanager
def lab_process(folder: Path, *options: str) -> Iterator[tuple[Sources, int]]:
    """The same, with the id of the lab's process."""
    announcement = folder / "sources.json"
    command = [
        sys.executable,
        "-m",
        "gavel_lab",
        "--port",
        "0",
        "--data-dir",
        str(folder),
        "--announce",
        str(announcement),
    ]
    with (
        (folder / "lab.log").open("w") as output,
        subprocess.Popen([*command, *options], stdout=output, stderr=output) as lab,
    ):
        try:
            deadline = time.monotonic() + _START_S
            while not announcement.exists():
                if lab.poll() is not None or time.monotonic() > deadline:
                    raise RuntimeError(f"the lab did not start: {(folder / 'lab.log').read_text()}")
                time.sleep(0.1)
            announced = json.loads(announcement.read_text())
            yield {source["name"]: _as_gavel_takes_it(source) for source in announced}, lab.pid
        finally:
            lab.terminate()


def _as_gavel_takes_it(source: dict[str, Any]) -> dict[str, Any]:
    secrets = dict(source["settings"])
    pin = secrets.pop("tls_sha256")
    return {"kind": source["kind"], "settings": {"address": source["address"], "fingerprint_sha256": pin, **secrets}}
