"""Runs the whole product, embedded, against a lab of many entities and reports how it keeps up.

    python -m tests.benchmarks.load [--entities 20000] [--minutes 60] [--data-dir DIR] [--settle-minutes 20]

Entities are what is sampled every 20 or 30 seconds: disks, host devices and volumes; paths are not counted. What it reports begins three
minutes after the start, when the hour before it has been read as well, after `settle-minutes` at the latest. With DIR, a second run goes
on where the first one ended; without, everything is gone afterwards. It ends what it started, also by Ctrl-C. The processes of the
lab are not counted.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from tests.benchmarks.load.answers import Asking
from tests.benchmarks.load.processes import DATABASE, LAB, Memory, cpu_s, memory, wait_for_nobody
from tests.benchmarks.load.promptness import Promptness
from tests.benchmarks.load.streams import figures, skipped
from tests.product.running import Product

_ASK_EVERY_S = 5.0
_REMEMBER_EVERY_S = 30.0
# After a start all is read that came meanwhile.
_UNDER_WAY_S = 180.0
_TOKEN = "admin-token"
_MIB = 2**20


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    with _folder(options.data_dir) as folder, _running(folder, scale(options.entities)) as product:
        _say(
            f"{options.entities:,} entities, {scale(options.entities)}; up after {product.up_at - product.began_at:.1f} s"
        )
        _free_the_lab(product)
        _settle(product, options.settle_minutes * 60)
        _measure(product, options.minutes * 60)
    return 0


def scale(entities: int) -> str:
    """The lab's `--scale` for so many disks, devices and volumes: nine disks for four devices and seven volumes."""
    clusters = max(1, entities // 2_000)
    return f"clusters={clusters},vms={entities * 15 // 100},bare_volumes={entities * 33 // 100}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.load", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
    parser.add_argument("--entities", type=int, default=20_000)
    parser.add_argument("--minutes", type=float, default=60.0, help="how long is measured (60)")
    parser.add_argument("--settle-minutes", type=float, default=20.0, help="how long to wait for the past at most (20)")
    parser.add_argument("--data-dir", type=Path, help="kept, and gone on with by the next run")
    return parser


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    if kept is not None:
        kept.mkdir(parents=True, exist_ok=True)
        yield kept.resolve()
        return
    with tempfile.TemporaryDirectory(prefix="gavel-load-") as folder:
        # The server of PostgreSQL may run under another account.
        Path(folder).chmod(0o755)
        yield Path(folder)


@contextmanager
def _running(folder: Path, lab_scale: str) -> Iterator[Product]:
    product = Product(folder, GAVEL_LAB_SCALE=lab_scale)
    token = folder / _TOKEN
    if token.exists():
        product.admin_token = token.read_text()
    try:
        product.start()
        token.touch(mode=0o600)
        token.write_text(product.admin_token)
        yield product
    finally:
        product.end()


def _free_the_lab(product: Product) -> None:
    try:
        wait_for_nobody(product)
    except PermissionError:
        _say("the lab keeps the lowest priority, and answers late where all cores are in use: only root may raise it")


def _settle(product: Product, at_most_s: float) -> None:
    """Until all sources have been read, and their past as well."""
    began = time.monotonic()
    streams = 0
    while time.monotonic() - began < at_most_s:
        streams, owed = len(product.watermarks()), product.pending()
        if streams and not owed and time.monotonic() - began > _UNDER_WAY_S:
            break
        time.sleep(5)
    _say(
        f"settled for {time.monotonic() - began:.0f} s: {streams} streams, {product.pending()} gaps are still to be read"
    )


def _measure(product: Product, for_s: float) -> None:
    since, began = datetime.now(UTC), time.monotonic()
    cpu_before, memories = cpu_s(product), []
    asking, next_memory = Asking(product), began
    with Promptness(product) as promptness:
        while (now := time.monotonic()) - began < for_s:
            if now >= next_memory:
                memories.append(memory(product))
                next_memory += _REMEMBER_EVERY_S
            asking.once()
            time.sleep(max(0.0, now + _ASK_EVERY_S - time.monotonic()))
    took_s = time.monotonic() - began
    spent = {name: after - cpu_before.get(name, 0.0) for name, after in cpu_s(product).items()}
    spent[DATABASE] -= promptness.cpu_s
    _report(product, since, took_s, spent, memories)
    for line in (*promptness.lines(), *asking.lines()):
        _say(line)


def _report(
    product: Product,
    since: datetime,
    took_s: float,
    spent: Mapping[str, float],
    memories: Sequence[Mapping[str, Memory]],
) -> None:
    _say(f"measured for {took_s / 60:.1f} minutes")
    for stream, found in sorted(figures(product, since).items()):
        _say(f"{stream}: {found}")
    _say(f"left to backfill: {skipped(product, since)}; gaps to be read in the end: {product.pending()}")
    ours = {name: seconds for name, seconds in spent.items() if name != LAB}
    _say(f"cores: {sum(ours.values()) / took_s:.2f} of Gavel, {spent.get(LAB, 0.0) / took_s:.2f} of the lab")
    held = [sum(one.pss for name, one in look.items() if name != LAB) / _MIB for look in memories]
    _say(f"PSS of Gavel: median {np.median(held):.0f} MiB, at most {max(held):.0f} MiB")
    for name in sorted(ours, key=lambda name: -ours[name]):
        last = memories[-1].get(name, Memory())
        _say(
            f"  {name:<14}{ours[name] / took_s:6.3f} cores, PSS {last.pss / _MIB:5.0f} MiB"
            f" (private {last.private / _MIB:.0f}, shared {last.shared / _MIB:.0f})"
        )


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
