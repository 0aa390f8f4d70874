"""Runs the checks of one command (check, test, e2e, ...), all of them even when one fails, and sums up.

    .venv/bin/python scripts/run_checks.py check | test | e2e | peers | truth | chaos | alerts | bench | shots | vitals

The exit status is 0 only if every check passed. A check that does not end is ended: nothing here hangs.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv/bin"
BROWSER_SEARCH = (sys.executable, "scripts/browser.py")
NO_BROWSER = 3
PYTEST_CLOSING_LINE = re.compile(r"^(?:=+ )?\d+ (?:passed|failed|error|skipped|deselected)\b.* in [\d.]+s\b")
PYTEST = ("pytest", "-q", "-p", "no:cacheprovider")
MIGRATIONS = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "migrations/versions").glob("*.sql"))
DOCKERFILES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "deploy/docker").glob("*.Dockerfile"))


@dataclass(frozen=True)
class Check:
    """One program to run; it passes when it ends with 0 within its deadline."""

    name: str
    command: tuple[str, ...]
    folder: str = "."
    deadline_s: int = 300
    shown: bool = False
    # Neighbours of one name run side by side: they mostly wait, each for a product of its own.
    together: str | None = None


@dataclass(frozen=True)
class Outcome:
    check: Check
    status: str
    seconds: float
    closing_line: str | None = None


def tool(name: str, *arguments: str) -> tuple[str, ...]:
    return (str(BIN / name), *arguments)


def pytest(name: str, *arguments: str, deadline_s: int) -> Check:
    return Check(name, tool(*PYTEST, *arguments), deadline_s=deadline_s, shown=True)


STATIC = (
    Check("ruff check", tool("ruff", "check", ".")),
    Check("ruff format", tool("ruff", "format", "--check", ".")),
    Check("mypy", tool("mypy")),
    Check("import contracts", tool("lint-imports", "--no-cache")),
    Check("dependencies (deptry)", tool("deptry", ".")),
    Check("migrations (squawk)", tool("squawk", *MIGRATIONS)),
    Check("Dockerfiles (hadolint)", tool("hadolint", "--config", "deploy/docker/hadolint.yaml", *DOCKERFILES)),
    Check(
        "compose file (its schema)",
        tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", "docker-compose.yml"),
    ),
    Check("front end: checks", ("npm", "run", "--silent", "check"), "frontend"),
    Check("front end: generated client", ("npm", "run", "--silent", "codegen:check"), "frontend"),
)
BUILD = Check("front end: build", (sys.executable, "scripts/bootstrap.py", "all"))
UNIT_TESTS = Check("front end: tests", ("npm", "run", "--silent", "test"), "frontend")
SLOWEST = "--durations=20"
# One worker more than cores: each waits for servers and disks now and then.
PARTS = pytest("tests: parts", SLOWEST, "-n", "3", "--dist", "loadfile", "--ignore=tests/product", deadline_s=1500)
LIVING = "living products"
E2E = Check(
    "browser tests", ("npm", "run", "--silent", "e2e"), "frontend", deadline_s=1500, shown=True, together=LIVING
)
ALONE = ("-p", "no:randomly", "-s")
# What nobody here wrote: clients of arrays and vCenters against the lab, the collectors against a simulator and a real array's answers.
PEERS = (
    "tests/peers",
    "tests/collectors/hosts/vcenter/test_vcsim.py",
    "tests/collectors/arrays/flasharray/test_captured_bodies.py",
)
TRUTH = pytest("truth", *ALONE, "tests/truth", deadline_s=4 * 3600)
TRUTH_TENTH = pytest("truth: a tenth", *ALONE, "tests/truth", "--labs=20", deadline_s=600)
# Living products, each through a story in order, a product to a file.
WHOLE = pytest(
    "tests: the whole product",
    "-p",
    "no:randomly",
    "-s",
    SLOWEST,
    "-n",
    "3",
    "--dist",
    "loadfile",
    "tests/product",
    deadline_s=1500,
)

COMMANDS: dict[str, tuple[Check, ...]] = {
    "check": STATIC,
    "test": (*STATIC, BUILD, UNIT_TESTS, PARTS, TRUTH_TENTH, replace(WHOLE, together=LIVING), E2E),
    "e2e": (BUILD, E2E),
    "peers": (pytest("peers", *ALONE, *PEERS, deadline_s=1800),),
    "truth": (TRUTH,),
    "chaos": (pytest("chaos", *ALONE, "tests/chaos/test_campaign.py", deadline_s=4 * 3600),),
    "alerts": (pytest("alerts", *ALONE, "tests/chaos/test_alerts.py", deadline_s=2 * 3600),),
    "bench": (pytest("bench", *ALONE, "tests/benchmarks", deadline_s=4 * 3600),),
    "shots": (BUILD, Check("screenshots", ("npm", "run", "--silent", "shots"), "frontend", 3600, shown=True)),
    "vitals": (BUILD, Check("web vitals", ("npm", "run", "--silent", "vitals"), "frontend", 3600, shown=True)),
}
NEEDS_BROWSER = {E2E.name, "screenshots", "web vitals"}


running: list[subprocess.Popen[str]] = []
ending = threading.Event()


# --- running ----------------------------------------------------------------------------------------------------------


def run(check: Check) -> Outcome:
    """Run one check in a process group of its own, so that a hanging one leaves no children behind."""
    print(f"\n--- {check.name}" if check.shown else f"--- {check.name}", flush=True)
    started = time.monotonic()
    try:
        process = subprocess.Popen(
            check.command,
            cwd=ROOT / check.folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        print(f"could not be started: {error}", flush=True)
        return Outcome(check, "FAILED", 0.0)
    running.append(process)
    if ending.is_set():  # told while this one was being started
        os.killpg(process.pid, signal.SIGTERM)
    with process, ended_after(check.deadline_s, process):
        lines = list(output_of(process, shown=check.shown))
        returncode = process.wait()
    running.remove(process)
    if returncode and not check.shown:
        print("".join(lines), flush=True)
    status = "FAILED" if returncode else "ok"
    return Outcome(check, status, time.monotonic() - started, closing_line(lines))


@contextmanager
def ended_after(deadline_s: float, process: subprocess.Popen[str]) -> Iterator[None]:
    """End the whole process group of `process` after the deadline."""

    def end() -> None:
        print(f"ended after its deadline of {deadline_s} s", flush=True)
        os.killpg(process.pid, signal.SIGKILL)

    late = threading.Timer(deadline_s, end)
    late.start()
    try:
        yield
    finally:
        late.cancel()


def end_running() -> None:
    """What was started in groups of its own does not hear of Ctrl-C by itself."""
    ending.set()
    for process in tuple(running):
        os.killpg(process.pid, signal.SIGTERM)


def output_of(process: subprocess.Popen[str], *, shown: bool) -> Iterator[str]:
    if process.stdout is None:
        raise RuntimeError("the output of a check is always piped")
    for line in process.stdout:
        if shown:
            print(line, end="", flush=True)
        yield line


def closing_line(lines: list[str]) -> str | None:
    """Pytest's own last word (`12 passed in 3.4s`), or None when the program was not pytest or said none."""
    found = [line.strip() for line in lines if PYTEST_CLOSING_LINE.match(line.strip())]
    return found[-1] if found else None


def must_have_browser() -> bool:
    return bool(os.environ.get("CI") or os.environ.get("GAVEL_REQUIRE_E2E"))


def find_browser() -> str | None:
    """None when a Chromium is ready (its path is then in GAVEL_CHROMIUM), else the status of what needed it."""
    done = subprocess.run(BROWSER_SEARCH, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        os.environ["GAVEL_CHROMIUM"] = done.stdout.strip()
        return None
    return "skipped" if done.returncode == NO_BROWSER and not must_have_browser() else "FAILED"


def run_with_needs(check: Check) -> Outcome:
    if check.name in NEEDS_BROWSER and (status := find_browser()):
        return Outcome(replace(check, name=f"{check.name} (no browser)"), status, 0.0)
    return run(check)


def run_all(checks: Iterable[Check]) -> list[Outcome]:
    """One after the other, but for neighbours that are to run together; in the order given."""
    outcomes: list[Outcome] = []
    for together, group in groupby(checks, key=lambda check: check.together):
        one_by_one = list(group)
        with ThreadPoolExecutor(len(one_by_one) if together else 1) as pool:
            try:
                outcomes += pool.map(run_with_needs, one_by_one)
            except KeyboardInterrupt:
                pool.shutdown(wait=False, cancel_futures=True)
                end_running()
                raise
    return outcomes


def totals(closing_lines: Iterable[str]) -> str:
    """All runs of pytest as one: `12 passed, 1 failed, 0 skipped`."""
    counts = Counter[str]()
    for line in closing_lines:
        for number, word in re.findall(r"(\d+) (passed|failed|errors?|skipped)", line):
            counts["failed" if word.startswith("error") else word] += int(number)
    return ", ".join(f"{counts[word]} {word}" for word in ("passed", "failed", "skipped"))


def sum_up(command: str, outcomes: list[Outcome], seconds: float) -> int:
    print("\n" + "-" * 60)
    for outcome in outcomes:
        print(f"{outcome.check.name:<40}{outcome.status:>8}{outcome.seconds:9.1f} s")
    count = Counter(outcome.status for outcome in outcomes)
    if closing_lines := [outcome.closing_line for outcome in outcomes if outcome.closing_line]:
        print(f"pytest: {totals(closing_lines)}")
    print(f"make {command}: {count['ok']} ok, {count['FAILED']} failed, {count['skipped']} skipped in {seconds:.0f} s")
    return 1 if count["FAILED"] else 0


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in COMMANDS:
        print(f"usage: run_checks.py {' | '.join(COMMANDS)}", file=sys.stderr)
        return 2
    started = time.monotonic()
    outcomes = run_all(COMMANDS[arguments[0]])
    return sum_up(arguments[0], outcomes, time.monotonic() - started)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
