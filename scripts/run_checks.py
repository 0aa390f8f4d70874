"""Runs the checks of one command (check, quick, test, e2e, ...), all of them even when one fails, and sums up.

    .venv/bin/python scripts/run_checks.py check | quick | test | e2e | explore [NAME ...] | peers | truth | hostile
        | chaos | alerts | pushes | writes | bench | shots | vitals

The exit status is 0 only if every check passed. A check that does not end is ended: nothing here hangs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial

import explore
import quick
from scheduling import (
    ROOT,
    SLOWNESS,
    Check,
    Outcome,
    adopted,
    busy_s,
    cores,
    end_by_signals,
    run_all,
    say,
    shown_log,
    slowness,
)

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


# Checks that only compute leave the processor to the product at work.
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
    Check("mypy", (*GIVES_WAY, *tool("mypy")), cores=0.5),
    npm("front end: checks", "check", cores=0.5),
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
    npm("front end: generated client", "codegen:check", cores=0.5),
)
BUILD = Check("front end: build", (sys.executable, "scripts/bootstrap.py", "all"), cores=0.5)
BUDGET = replace(npm("front end: sizes", "check:budget", cores=0.5), after=(BUILD.name,))
UNIT_TESTS = npm("front end: tests", "test", cores=0.5)
SLOWEST = "--durations=30"
CORES = cores()
# A test that hangs is ended with the stacks of its threads, and fails; the others go on.
HANGING = ("-o", "faulthandler_timeout=600", "-o", "faulthandler_exit_on_timeout=true")
# `explore` and `peers` run the simulator, which takes 50 s to compile.
NOT_PARTS = ("--ignore=tests/product", "--ignore=tests/collectors/hosts/vcenter/test_vcsim.py")
# As many parts as processors, each a process with its own files in a fixed order (tests/splitting.py, tests/seconds.txt).
# One of them opens the built pages.
N_PARTS = max(2, CORES)
PARTS = tuple(
    replace(
        pytest(
            f"tests: part {number} of {N_PARTS}",
            *("-p", "no:randomly", SLOWEST, *SECOND_TRY, *HANGING, *NOT_PARTS, f"--part={number}/{N_PARTS}"),
            deadline_s=3000,
            cores=0.5 * CORES / N_PARTS,
            gives_way=True,
        ),
        after=(BUILD.name,),
    )
    for number in range(1, N_PARTS + 1)
)
HELD = replace(npm("browser tests: an hour held", "e2e:held", cores=0.5, deadline_s=3000), after=(BUILD.name,))
LIVING = replace(
    npm("browser tests: a living product", "e2e:living", cores=0.75, gives_way=False, deadline_s=3000),
    after=(BUILD.name,),
)
ALONE = ("-p", "no:randomly", "-s")
# What nobody here wrote: clients of arrays and vCenters against the lab, the collectors against a simulator and a real array's answers.
PEERS = (
    "tests/peers",
    "tests/collectors/hosts/vcenter/test_vcsim.py",
    "tests/collectors/arrays/flasharray/test_captured_bodies.py",
)
IN_ORDER = ("-p", "no:randomly", "-s")
# One living product through one story in order: start, page, alert, kills, upgrade, end. It mostly waits.
PRODUCT = replace(
    pytest("tests: the product", *IN_ORDER, "--exitfirst", "tests/product", deadline_s=1800, cores=0.25 * CORES),
    after=(BUILD.name,),
)
# Fixed environments and seeds. `explore` draws others, and plays the hours of the lab that findings and causes need.
TRUTH = pytest(
    "truth: fixed environments",
    *(*IN_ORDER, "--labs=1"),
    *(f"tests/truth/test_{name}.py" for name in ("incident", "guest_queue", "guest_alert", "traps", "truth", "per_io")),
    deadline_s=1500,
    cores=0.5,
    gives_way=True,
)


def alone(check: Check) -> Check:
    """Shown as it comes: nothing runs beside it."""
    return replace(check, shown=True, cores=CORES)


COMMANDS: dict[str, tuple[Check, ...]] = {
    "check": STATIC,
    # The two that take longest begin. The others follow beside them, the longest first, so that none is left alone at the end.
    "test": (BUILD, *PARTS, PRODUCT, HELD, *STATIC, UNIT_TESTS, TRUTH, BUDGET),
    "e2e": (BUILD, HELD, LIVING),
    "peers": (alone(pytest("peers", *ALONE, *PEERS, deadline_s=1800)),),
    "truth": (alone(pytest("truth", *IN_ORDER, "tests/truth", deadline_s=4 * 3600)),),
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
QUICK, EXPLORE = "quick", "explore"
NEEDS_BROWSER = {HELD.name, LIVING.name, "screenshots", "web vitals", *explore.NEED_BROWSER}


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


def _nothing(_name: str) -> str:
    return ""


def sum_up(
    command: str, outcomes: list[Outcome], seconds: float, busy: str, repeat: Callable[[str], str] = _nothing
) -> int:
    """Print the table, the skipped tests and the logs of failed checks, then what failed; the exit status.

    `repeat`: the command that runs a check by its name again as it was.
    """
    print("\n" + "-" * 60)
    for outcome in outcomes:
        print(f"{outcome.check.name:<40}{outcome.status:>8}{outcome.seconds:9.1f} s{outcome.cpu_s:9.1f} s CPU")
    cpu_s = sum(outcome.cpu_s for outcome in outcomes) + adopted.cpu_s
    if adopted.cpu_s:
        print(f"{'processes that lost their parent':<48}{'':9}  {adopted.cpu_s:9.1f} s CPU")
    print(f"{'all of them':<48}{seconds:9.1f} s{cpu_s:9.1f} s CPU")
    for runner, found in totals(line for outcome in outcomes for line in outcome.closing_lines).items():
        print(f"{runner}: {found}")
    for test in dict.fromkeys(test for outcome in outcomes for test in outcome.skipped):
        print(f"SKIPPED {test}")
    _show_failures(outcomes, repeat)
    count = Counter(outcome.status for outcome in outcomes)
    print(
        f"make {command}: {count['ok']} ok, {count['FAILED']} failed, {count['skipped']} skipped in {seconds:.0f} s{busy}"
    )
    return 1 if count["FAILED"] else 0


def _show_failures(outcomes: list[Outcome], repeat: Callable[[str], str]) -> None:
    """First the logs, then the lines that matter: the output of CI is read from its end."""
    for outcome in outcomes:
        if outcome.log:
            print(f"\n--- log of {outcome.check.name}\n{shown_log(outcome.log)}")
    for outcome in outcomes:
        if outcome.failures:
            again = repeat(outcome.check.name)
            repeated = (f"Repeat it: {again}",) if again else ()
            print("\n".join((f"--- {outcome.check.name} FAILED:", *outcome.failures, *repeated)))


def main(arguments: list[str]) -> int:
    command, *names = arguments or [""]
    if command not in (*COMMANDS, QUICK, EXPLORE) or (names and command != EXPLORE):
        print(f"usage: run_checks.py {' | '.join((*COMMANDS, QUICK, EXPLORE))} [NAME ...]", file=sys.stderr)
        return 2
    if unknown := [name for name in names if name not in explore.PARTS]:
        print(f"Unknown part {', '.join(unknown)}. Parts: {', '.join(explore.PARTS)}.", file=sys.stderr)
        return 2
    started, busy_before_s = time.monotonic(), busy_s()
    stretch = slowness()
    os.environ[SLOWNESS] = f"{stretch:.2f}"
    if stretch > NOTABLY:
        say(f"This machine is {stretch:.1f} times slower than the reference of the deadlines. They are stretched.")
    seed = explore.drawn_seed()
    if command == EXPLORE:
        say(f"SEED={seed}")
    outcomes = run_all(_checks(command, names, seed), stretch=stretch, refusal=without_browser)
    seconds = time.monotonic() - started
    repeat = partial(explore.repeat, seed=seed) if command == EXPLORE else _nothing
    return sum_up(command, outcomes, seconds, busy_share(busy_before_s, seconds), repeat)


def _checks(command: str, names: list[str], seed: int) -> tuple[Check, ...]:
    if command == QUICK:
        return quick.listed()
    if command != EXPLORE:
        return COMMANDS[command]
    found = explore.checks(names, seed)
    return (BUILD, *found) if any(check.name in explore.NEED_BROWSER for check in found) else found


if __name__ == "__main__":
    end_by_signals()
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
