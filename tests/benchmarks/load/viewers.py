"""Many open pages on one API process: from the commit of new rows to each stream of events, and to the pixels of a real browser.

    python -m tests.benchmarks.load.viewers [--viewers 500] [--minutes 5]

Starts a product with the lab, opens so many streams and one browser on the overview (Chromium, by `GAVEL_CHROMIUM` or Playwright's own),
and reports. A commit is when PostgreSQL notifies this process, which listens as the API does. It ends what it started.
"""

import argparse
import asyncio
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise
from pathlib import Path

import numpy as np
from tests.benchmarks.load.processes import cpu_s, memory
from tests.product.running import Product

from gavel.db.live import listen
from gavel.embedded import postgres

_ROOT = Path(__file__).resolve().parents[3]
_GOAL_S = 1.5
_QUIET_S = 20.0
_MIB = 2**20


@dataclass
class Updates:
    """Seconds since the epoch. commits_s: of each news of the database; published_s: by revision; received_s: at every viewer."""

    commits_s: list[float] = field(default_factory=list)
    published_s: dict[int, float] = field(default_factory=dict)
    received_s: dict[int, list[float]] = field(default_factory=dict)

    def take(self, body: Mapping[str, object]) -> None:
        revision = int(str(body["revision"]))
        self.published_s[revision] = datetime.fromisoformat(str(body["at"])).timestamp()
        self.received_s.setdefault(revision, []).append(time.time())

    def committed_s(self) -> dict[int, float]:
        """Of each update: the first commit that it tells of, which came after the update before it."""
        commits, found = np.sort(np.array(self.commits_s)), {}
        ordered = sorted(self.published_s)
        for before, revision in pairwise(ordered):
            after = commits[(commits > self.published_s[before] - 0.05) & (commits <= self.published_s[revision])]
            if revision == before + 1 and len(after):
                found[revision] = float(after[0])
        return found


async def _view(port: int, updates: Updates, until: float) -> None:
    """One stream of events, read as a browser does, over a connection of its own."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(
            f"GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/event-stream\r\n\r\n".encode()
        )
        await writer.drain()
        status = await reader.readline()
        if b" 200 " not in status:
            raise RuntimeError(f"/live answered {status!r}")
        while (left := until - time.time()) > 0:
            try:
                line = await asyncio.wait_for(reader.readline(), left)
            except TimeoutError:
                return
            if not line:
                raise RuntimeError("/live ended by itself")
            if line.startswith(b"data:"):
                updates.take(json.loads(line[5:]))
    finally:
        writer.close()


async def _view_all(port: int, viewers: int, updates: Updates, until: float) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(viewers):
            group.create_task(_view(port, updates, until))


def _hear(url: str, updates: Updates, stopping: threading.Event) -> None:
    for news in listen(url, pause_s=0.25):
        if stopping.is_set():
            return
        if news:
            updates.commits_s.append(time.time())


@contextmanager
def _browser(address: str, seconds: float) -> Iterator[subprocess.Popen[bytes]]:
    """Looks at the overview and writes a line per update: its revision, and when what was asked for after it had been painted."""
    node = shutil.which("node", path=f"{_ROOT / '.tools/bin'}{os.pathsep}{os.environ['PATH']}")
    assert node is not None
    program = [node, "e2e/painted.mjs", address, str(seconds)]
    child = subprocess.Popen(program, cwd=_ROOT / "frontend", stdout=subprocess.PIPE)
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def _painted_s(words: bytes) -> dict[int, float]:
    lines = (line.split() for line in words.decode().splitlines())
    return {int(revision): float(at_ms) / 1000 for revision, at_ms in lines}


def _told(what: str, delays_s: Sequence[float], goal: str = "") -> None:
    if not delays_s:
        _say(f"{what}: none")
        return
    p50, p95, most = np.percentile(delays_s, (50, 95, 100))
    _say(f"{what}: {len(delays_s)}, p50 {p50:.2f} s, p95 {p95:.2f} s, longest {most:.2f} s{goal}")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.load.viewers", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--viewers", type=int, default=500)
    parser.add_argument("--minutes", type=float, default=5.0)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="gavel-viewers-") as folder:
        # The server of PostgreSQL may run under another account.
        Path(folder).chmod(0o755)
        product = Product(Path(folder))
        try:
            product.start()
            product.wait_for(lambda: not product.pending(), "the past", 600)
            _measure(product, options.viewers, options.minutes * 60)
        finally:
            product.end()
    return 0


def _measure(product: Product, viewers: int, seconds: float) -> None:
    updates, stopping = Updates(), threading.Event()
    url, port = (
        postgres.database_url(postgres.default_socket_dir(product.data_dir / "postgres")),
        product.api.base_url.port,
    )
    assert port is not None
    hearing = threading.Thread(target=_hear, args=(url, updates, stopping), daemon=True)
    hearing.start()
    time.sleep(_QUIET_S)
    before, began = cpu_s(product)["api"], time.time()
    with _browser(f"http://127.0.0.1:{port}", seconds) as browser:
        asyncio.run(_view_all(port, viewers, updates, began + seconds))
        spent = cpu_s(product)["api"] - before
        words, _ = browser.communicate(timeout=60)
    stopping.set()
    committed = updates.committed_s()
    received = [at - committed[one] for one, times in updates.received_s.items() if one in committed for at in times]
    painted = [at - committed[one] for one, at in _painted_s(words).items() if one in committed]
    missed = sum(viewers - len(updates.received_s[one]) for one in committed)
    _say(f"{viewers} viewers for {seconds / 60:.1f} minutes, {len(committed)} updates, {missed} not received")
    _told("commit to a viewer", received)
    _told("commit to pixel", painted, f" (goal p95 {_GOAL_S:.1f} s)")
    _say(f"API: {spent / seconds:.3f} cores, PSS {memory(product)['api'].pss / _MIB:.0f} MiB")


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
