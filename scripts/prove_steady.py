"""Prove that `make test` has the same outcome every time: whole runs of several kinds, and single checks many times.

    python3 scripts/prove_steady.py runs              the whole runs that the table lacks
    python3 scripts/prove_steady.py runs plain        one more whole run of that kind
    python3 scripts/prove_steady.py checks 30         checks of processes and browsers, for 30 minutes
    python3 scripts/prove_steady.py list              the runs of the table, and the missing ones

Every run that was seen to its end is a row of docs/decisions/whole-runs.md, whatever its outcome. An interrupted run
is not. A later call continues where the last one ended. No test is tried twice, because `CI` is not set.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from run_checks import HELD, IN_ORDER, PRODUCT, pytest, without_browser
from scheduling import ROOT, SLOWNESS, Check, end_by_signals, failures, run_all, slowness

TABLE = ROOT / "docs/decisions/whole-runs.md"
ROW = re.compile(r"^\| `(\w+\+?)` \| ([^|]+) \| ([^|]+) \| ([\d.]+) \| ([^|]+) \|$")
CLOCK = "GAVEL_TEST_CLOCK"
BUSY_LOOPS = 3
# Set-up and the first tests come before midnight, products and browsers are at work when it comes.
BEFORE_MIDNIGHT_S = 180
USER = "nobody"
# Certificates, proxies and mirrors belong to the machine, not to an account.
OF_THE_MACHINE = (
    "PIP_",
    "UV_",
    "NPM_CONFIG_",
    "GOPROXY",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "SSL_CERT_",
    "REQUESTS_CA_BUNDLE",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_",
    "GAVEL_SHARED",
    "GAVEL_APT",
)
TIMES = 20
PATH = os.environ["PATH"]
LOGS = ROOT / ".cache/steady"
LONGEST_OUTCOME = 300


@dataclass(frozen=True)
class Kind:
    """One kind of whole run. `prefix`: words before the command; `busy_loops`: how many run beside it."""

    wanted: int = 1
    prefix: tuple[str, ...] = ()
    busy_loops: int = 0
    is_before_midnight: bool = False
    is_normal_user: bool = False


KINDS: Mapping[str, Kind] = {
    "plain": Kind(wanted=2),
    "busy": Kind(busy_loops=BUSY_LOOPS),
    "one core": Kind(prefix=("taskset", "--cpu-list", "0")),
    "normal user": Kind(is_normal_user=True),
    "midnight": Kind(is_before_midnight=True),
}


def _drawn_order(name: str, *files: str) -> Check:
    return pytest(name, "-p", "randomly", "--randomly-seed={seed}", *files, deadline_s=1500)


# Every check that starts a process of the product, a server or a browser. The story of the product has one order.
CHECKS: Mapping[str, Check] = {
    check.name: replace(check, after=())
    for check in (
        replace(PRODUCT, name="product"),
        replace(HELD, name="held browser"),
        _drawn_order("command line", "tests/cli"),
        _drawn_order("supervisor", "tests/supervise", "tests/embedded"),
        _drawn_order("jobs", "tests/jobs"),
        _drawn_order("listener", "tests/listener"),
        _drawn_order("killed processes", "tests/alerting/use"),
        _drawn_order("hostile", "tests/hostile"),
        _drawn_order("running checks", "tests/house"),
        pytest("vCenter simulator", *IN_ORDER, "tests/collectors/hosts/vcenter/test_vcsim.py", deadline_s=1500),
        _drawn_order("database", "tests/db"),
    )
}


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    commit: str
    ended_at: str
    kind: str
    minutes: float
    outcome: str

    def __str__(self) -> str:
        return f"| `{self.commit}` | {self.ended_at} | {self.kind} | {self.minutes:.1f} | {self.outcome} |"


def rows(table: Path = TABLE) -> list[Row]:
    """Return every run of the table, oldest first."""
    found = filter(None, map(ROW.match, table.read_text(encoding="utf-8").splitlines()))
    return [Row(match[1], match[2], match[3], float(match[4]), match[5]) for match in found]


def add_row(row: Row, table: Path = TABLE) -> None:
    """Write the row behind the others."""
    table.write_text(f"{table.read_text(encoding='utf-8').rstrip()}\n{row}\n", encoding="utf-8")


def commit() -> str:
    """Return the last commit with more than a change of the table; with `+` where the work tree differs from it."""
    name = _git("log", "-1", "--format=%h", "--abbrev=8", "--", ".", f":!*{TABLE.name}")
    changed = [line for line in _git("status", "--porcelain").splitlines() if not line.endswith(TABLE.name)]
    return name + ("+" if changed else "")


def _git(*arguments: str) -> str:
    return subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def missing_runs(done: Sequence[Row], of_commit: str) -> list[str]:
    """Return the kinds of whole runs that this commit lacks, each as often as it is wanted."""
    count = Counter(row.kind for row in done if row.commit == of_commit)
    return [name for name, kind in KINDS.items() for _ in range(max(0, kind.wanted - count[name]))]


def missing_checks(done: Sequence[Row], of_commit: str, names: Sequence[str] = ()) -> Counter[str]:
    """Return how often each check, or each of these names, is still to be run."""
    count = Counter(row.kind for row in done if row.commit == of_commit)
    left = {name: TIMES - count[f"check {name}"] for name in names or CHECKS}
    return Counter({name: number for name, number in left.items() if number > 0})


# --- running ----------------------------------------------------------------------------------------------------------


@contextmanager
def busy_beside(count: int) -> Iterator[None]:
    """Keep so many endless loops running, each in a process of its own."""
    loops = [subprocess.Popen((sys.executable, "-c", "while True: pass")) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def clock_before_midnight(now: datetime | None = None) -> str:
    """Return the shift in seconds to put the clock shortly before the next midnight."""
    at = now or datetime.now(UTC)
    into_day_s = at.hour * 3600 + at.minute * 60 + at.second
    return f"{24 * 3600 - into_day_s - BEFORE_MIDNIGHT_S:+d}"


def whole_run(name: str) -> Row:
    """Run `make test` once as this kind, in a fresh clone with an empty home, to its end."""
    kind = KINDS[name]
    folder = Path(tempfile.mkdtemp(prefix="gavel-steady-"))
    home, clone = folder / "home", folder / "gavel"
    environment = bare_environment(home)
    if kind.is_before_midnight:
        environment[CLOCK] = clock_before_midnight()
    try:
        home.mkdir()
        subprocess.run(("git", "clone", "--quiet", str(ROOT), str(clone)), check=True)
        as_user: tuple[str, ...] = ()
        if kind.is_normal_user and os.geteuid() == 0:
            subprocess.run(("chown", "-R", USER, str(folder)), check=True)
            folder.chmod(0o755)
            # runuser sets HOME to that of the account.
            as_user = ("runuser", "--user", USER, "--", "env", f"HOME={home}")
        with busy_beside(kind.busy_loops):
            return _whole_run_seen(name, (*as_user, *kind.prefix, "make", "test"), environment, clone)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def bare_environment(home: Path) -> dict[str, str]:
    """Return the environment of a new account on this machine: an empty home, and its way to package registries."""
    kept = {name: value for name, value in os.environ.items() if name.upper().startswith(OF_THE_MACHINE)}
    return kept | {"HOME": str(home), "PATH": PATH, "LANG": "C.UTF-8", "GAVEL_REQUIRE_E2E": "1"}


def _whole_run_seen(kind: str, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> Row:
    """Run the command and keep its output in a file of `.cache/steady`."""
    of_commit, began = commit(), time.monotonic()
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{kind.replace(' ', '-')}.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=dict(environment), stdout=output, stderr=subprocess.STDOUT)
        try:
            status = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    text = log.read_text(errors="replace")
    return _row(of_commit, kind, began, "ok" if status == 0 else _failed(failures(text)))


def _failed(lines: Sequence[str]) -> str:
    return f"FAILED: {'; '.join(lines) or 'nothing was printed'}".replace("|", "/")[:LONGEST_OUTCOME]


def _row(of_commit: str, kind: str, began: float, outcome: str) -> Row:
    return Row(of_commit, f"{datetime.now(UTC):%Y-%m-%d %H:%M}", kind, (time.monotonic() - began) / 60, outcome)


def one_check(name: str) -> Row:
    """Run one check with a drawn seed, from a drawn time of the day on, beside a drawn number of busy loops."""
    seed = secrets.randbelow(1_000_000)
    draw = random.Random(seed)  # noqa: S311 (not a secret)
    shift_s, loops = draw.randrange(24 * 3600), draw.randrange(BUSY_LOOPS + 1)
    check = CHECKS[name]
    check = replace(
        check,
        command=tuple(word.replace("{seed}", str(seed)) for word in check.command),
        variables=(*check.variables, (CLOCK, f"{shift_s:+d}")),
    )
    of_commit, began = commit(), time.monotonic()
    with busy_beside(loops):
        (outcome,) = run_all((check,), stretch=float(os.environ[SLOWNESS]) * (1 + loops), refusal=without_browser)
    result = "ok" if outcome.status == "ok" else _failed(outcome.failures or (outcome.status,))
    return _row(of_commit, f"check {name}", began, f"{result} (seed {seed}, clock {shift_s:+d} s, {loops} busy)")


def run_checks_for(minutes: float, names: Sequence[str] = ()) -> int:
    """Run checks in a drawn order until the time is up or each has run often enough; the number of failures.

    Set-up comes first, and the time does not count it.
    """
    subprocess.run((sys.executable, "scripts/bootstrap.py", "test"), cwd=ROOT, check=True)
    os.environ["PATH"] = f"{ROOT}/.tools/bin{os.pathsep}{PATH}"
    os.environ[SLOWNESS] = f"{slowness():.2f}"
    until, failed = time.monotonic() + 60 * minutes, 0
    while time.monotonic() < until and (left := missing_checks(rows(), commit(), names)):
        row = one_check(secrets.choice(sorted(left)))
        add_row(row)
        failed += row.outcome.startswith("FAILED")
        print(row, flush=True)
    return failed


def run_whole(names: Sequence[str]) -> int:
    """Run whole runs one after another; the number of failures."""
    failed = 0
    for name in names:
        row = whole_run(name)
        add_row(row)
        failed += row.outcome != "ok"
        print(row, flush=True)
    return failed


def show() -> None:
    """Print the number of runs of each kind, and the runs that this commit lacks."""
    done, of_commit = rows(), commit()
    for (kind, outcome), number in sorted(
        Counter((row.kind, row.outcome.partition(":")[0].partition(" (")[0]) for row in done).items()
    ):
        print(f"{number:4} {kind}: {outcome}")
    print(
        f"Missing for {of_commit}: whole runs {missing_runs(done, of_commit)}, checks {dict(missing_checks(done, of_commit))}"
    )


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parts = parser.add_subparsers(dest="part", required=True)
    whole = parts.add_parser("runs", help="whole runs, those that are missing where no kind is named")
    whole.add_argument("kind", nargs="*", choices=[*KINDS, []], metavar="KIND", help=", ".join(KINDS))
    single = parts.add_parser("checks", help="single checks under drawn load, order and start minute")
    single.add_argument("minutes", type=float)
    single.add_argument("check", nargs="*", choices=[*CHECKS, []], metavar="CHECK", help=", ".join(CHECKS))
    parts.add_parser("list", help="what is there and what is missing")
    chosen = parser.parse_args(arguments)
    # With it, a test that failed is tried again.
    os.environ.pop("CI", None)
    os.environ["GAVEL_REQUIRE_E2E"] = "1"
    if chosen.part == "list":
        show()
        return 0
    if chosen.part == "runs":
        return 1 if run_whole(chosen.kind or missing_runs(rows(), commit())) else 0
    return 1 if run_checks_for(chosen.minutes, chosen.check) else 0


if __name__ == "__main__":
    end_by_signals()
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
