"""Runs the checks of one command (check, quick, test, e2e, ...), all of them even when one fails, and sums up.

    .venv/bin/python scripts/run_checks.py check | quick | test | e2e | peers | truth | hostile | chaos | alerts
        | pushes | writes | bench | shots | vitals

The exit status is 0 only if every check passed. A check that does not end is ended: nothing here hangs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import quick
from scheduling import ROOT, SLOWNESS, Check, Outcome, busy_s, end_by_signals, run_all, say, slowness

BIN = ROOT / ".venv/bin"
BROWSER_SEARCH = (sys.executable, "scripts/browser.py")
NO_BROWSER = 3
PYTEST = ("pytest", "-q", "-p", "no:cacheprovider")
# Tests that kill processes meet what a busy machine does to them: CI tries such a test again, and says which it was.
SECOND_TRY = ("--reruns", "1", "-raR") if os.environ.get("CI") else ()
MIGRATIONS = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "migrations/versions").glob("*.sql"))
DOCKERFILES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "deploy/docker").glob("*.Dockerfile"))
# A machine that is this much slower than the one that deadlines were written on is worth a word.
NOTABLY = 1.5
OUTCOMES = {"error": "failed", "errors": "failed", "did not run": "failed"}


# What only counts gives way to products at work, whose stories have deadlines.
GIVES_WAY = ("nice", "-n", "5")


def tool(name: str, *arguments: str) -> tuple[str, ...]:
    return (str(BIN / name), *arguments)


def pytest(name: str, *arguments: str, deadline_s: int, cores: float = 1.0, gives_way: bool = False) -> Check:
    command = (*(GIVES_WAY if gives_way else ()), *tool(*PYTEST, *arguments))
    return Check(name, command, deadline_s=deadline_s, cores=cores)


def npm(name: str, script: str, *, cores: float = 1.0, gives_way: bool = True, deadline_s: int = 900) -> Check:
    command = (*(GIVES_WAY if gives_way else ()), "npm", "run", "--silent", script)
    return Check(name, command, "frontend", cores=cores, deadline_s=deadline_s)


STATIC = (
    Check("ruff check", tool("ruff", "check", "."), cores=0.5),
    Check("ruff format", tool("ruff", "format", "--check", "."), cores=0.5),
    Check("mypy", (*GIVES_WAY, *tool("mypy")), cores=0.75),
    npm("front end: checks", "check", cores=0.75),
    Check("import contracts", tool("lint-imports", "--no-cache"), cores=0.5),
    Check("dependencies (deptry)", tool("deptry", "."), cores=0.5),
    Check("migrations (squawk)", tool("squawk", *MIGRATIONS), cores=0.5),
    Check(
        "Dockerfiles (hadolint)",
        tool("hadolint", "--config", "deploy/docker/hadolint.yaml", *DOCKERFILES),
        cores=0.5,
    ),
    Check(
        "compose file (its schema)",
        tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", "docker-compose.yml"),
        cores=0.5,
    ),
    npm("front end: generated client", "codegen:check", cores=0.75),
)
BUILD = Check("front end: build", (sys.executable, "scripts/bootstrap.py", "all"), cores=0.75)
BUDGET = replace(npm("front end: sizes", "check:budget", cores=0.5), after=(BUILD.name,))
UNIT_TESTS = npm("front end: tests", "test", cores=0.75)
SLOWEST = "--durations=20"
CORES = os.cpu_count() or 1
# A test that hangs is ended with the stacks of its threads, and fails; the others go on.
HANGING = ("-o", "faulthandler_timeout=600", "-o", "faulthandler_exit_on_timeout=true")
# As many workers as processors: whatever runs beside it fills what they wait for.
PARTS = pytest(
    "tests: parts",
    *(SLOWEST, *SECOND_TRY, *HANGING, "-n", str(max(2, CORES)), "--dist", "loadfile", "--ignore=tests/product"),
    deadline_s=3000,
    cores=0.6 * CORES,
    gives_way=True,
)
# Most look at an hour that was, which changes for nobody: with two browsers, and where there is room. The others need a product at work.
E2E = (
    replace(npm("browser tests: an hour held", "e2e:held", deadline_s=3000), after=(BUILD.name,)),
    replace(
        npm("browser tests: a living product", "e2e:living", cores=0.75, gives_way=False, deadline_s=3000),
        after=(BUILD.name,),
    ),
)
ALONE = ("-p", "no:randomly", "-s")
# What nobody here wrote: clients of arrays and vCenters against the lab, the collectors against a simulator and a real array's answers.
PEERS = (
    "tests/peers",
    "tests/collectors/hosts/vcenter/test_vcsim.py",
    "tests/collectors/arrays/flasharray/test_captured_bodies.py",
)
TRUTH = ("-p", "no:randomly", "-s", "tests/truth")
# Living products, each through a story in order, a product to a file; they mostly wait. None is tried twice: its product
# would start anew.
WHOLE = pytest(
    "tests: the whole product",
    *("-p", "no:randomly", "-s", SLOWEST, "-n", "3", "--dist", "loadfile", "tests/product"),
    deadline_s=3000,
    cores=0.5,
)
TENTH = pytest("truth: a tenth", *TRUTH, "--labs=20", deadline_s=1500, cores=0.5 * CORES, gives_way=True)


def alone(check: Check) -> Check:
    """Shown as it comes: nothing runs beside it."""
    return replace(check, shown=True, cores=CORES)


COMMANDS: dict[str, tuple[Check, ...]] = {
    "check": STATIC,
    # Products wait most and take longest: they begin, and the others fill the processors beside them.
    "test": (WHOLE, *STATIC, BUILD, BUDGET, UNIT_TESTS, PARTS, *reversed(E2E), TENTH),
    "e2e": (BUILD, *E2E),
    "peers": (alone(pytest("peers", *ALONE, *PEERS, deadline_s=1800)),),
    "truth": (alone(pytest("truth", *TRUTH, deadline_s=4 * 3600)),),
    "hostile": (alone(pytest("hostile", *ALONE, "tests/hostile", deadline_s=4 * 3600)),),
    "chaos": (
        alone(
            pytest(
                "chaos",
                *ALONE,
                "tests/chaos/test_campaign.py",
                "tests/chaos/test_bad_sources.py",
                "tests/chaos/test_outage.py",
                deadline_s=4 * 3600,
            )
        ),
    ),
    "alerts": (alone(pytest("alerts", *ALONE, "tests/chaos/test_alerts.py", deadline_s=2 * 3600)),),
    "writes": (alone(pytest("writes", *ALONE, "tests/chaos/test_writer.py", deadline_s=8 * 3600)),),
    "pushes": (
        alone(pytest("pushes", *ALONE, "tests/chaos/test_guests.py", "tests/chaos/test_whole.py", deadline_s=8 * 3600)),
    ),
    "bench": (alone(pytest("bench", *ALONE, "tests/benchmarks", deadline_s=4 * 3600)),),
    "shots": (BUILD, alone(Check("screenshots", ("npm", "run", "--silent", "shots"), "frontend", 3600))),
    "vitals": (BUILD, alone(Check("web vitals", ("npm", "run", "--silent", "vitals"), "frontend", 3600))),
}
QUICK = "quick"
NEEDS_BROWSER = {*(check.name for check in E2E), "screenshots", "web vitals"}


def must_have_browser() -> bool:
    return bool(os.environ.get("CI") or os.environ.get("GAVEL_REQUIRE_E2E"))


def find_browser() -> str | None:
    """None when a Chromium is ready (its path is then in GAVEL_CHROMIUM), else the status of what needed it."""
    done = subprocess.run(BROWSER_SEARCH, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode == 0:
        os.environ["GAVEL_CHROMIUM"] = done.stdout.strip()
        return None
    return "skipped" if done.returncode == NO_BROWSER and not must_have_browser() else "FAILED"


def without_browser(check: Check) -> Outcome | None:
    """How a check ends that needs a browser where there is none."""
    if check.name in NEEDS_BROWSER and (status := find_browser()):
        return Outcome(replace(check, name=f"{check.name} (no browser)"), status, 0.0)
    return None


def totals(closing_lines: Iterable[tuple[str, str]]) -> dict[str, str]:
    """All runs of a test runner as one: `12 passed, 1 failed, 0 skipped`."""
    counts: dict[str, Counter[str]] = {}
    for runner, line in closing_lines:
        of_runner = counts.setdefault(runner, Counter())
        for number, word in re.findall(r"(\d+) (passed|failed|errors?|skipped|did not run)", line):
            of_runner[OUTCOMES.get(word, word)] += int(number)
    words = ("passed", "failed", "skipped")
    return {runner: ", ".join(f"{found[word]} {word}" for word in words) for runner, found in counts.items()}


def busy_share(before_s: float | None, seconds: float) -> str:
    """How much of the processors was used meanwhile: what a run of several checks leaves idle is time lost."""
    after_s = busy_s()
    if before_s is None or after_s is None:
        return ""
    return f", processors {(after_s - before_s) / (seconds * CORES):.0%} busy"


def sum_up(command: str, outcomes: list[Outcome], seconds: float, busy: str) -> int:
    print("\n" + "-" * 60)
    for outcome in outcomes:
        print(f"{outcome.check.name:<40}{outcome.status:>8}{outcome.seconds:9.1f} s{outcome.cpu_s:9.1f} s CPU")
    count = Counter(outcome.status for outcome in outcomes)
    for runner, found in totals(line for outcome in outcomes for line in outcome.closing_lines).items():
        print(f"{runner}: {found}")
    for outcome in outcomes:
        if outcome.failures:
            print("\n".join((f"--- {outcome.check.name} FAILED:", *outcome.failures)))
    print(
        f"make {command}: {count['ok']} ok, {count['FAILED']} failed, {count['skipped']} skipped in {seconds:.0f} s{busy}"
    )
    return 1 if count["FAILED"] else 0


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in (*COMMANDS, QUICK):
        print(f"usage: run_checks.py {' | '.join((*COMMANDS, QUICK))}", file=sys.stderr)
        return 2
    started, busy_before_s = time.monotonic(), busy_s()
    stretch = slowness()
    os.environ[SLOWNESS] = f"{stretch:.2f}"
    if stretch > NOTABLY:
        say(
            f"This machine is {stretch:.1f} times slower than deadlines were made for, or busy: they are stretched by that."
        )
    checks = quick.listed() if arguments[0] == QUICK else COMMANDS[arguments[0]]
    outcomes = run_all(checks, stretch=stretch, refusal=without_browser)
    seconds = time.monotonic() - started
    return sum_up(arguments[0], outcomes, seconds, busy_share(busy_before_s, seconds))


if __name__ == "__main__":
    end_by_signals()
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
