"""Shows that `make test` has the same outcome every time: whole runs of several kinds, and single checks many times.

    .venv/bin/python scripts/prove_steady.py runs              the whole runs that are not in the table yet
    .venv/bin/python scripts/prove_steady.py runs plain        one more whole run of that kind
    .venv/bin/python scripts/prove_steady.py checks 30         checks of processes and browsers, for 30 minutes
    .venv/bin/python scripts/prove_steady.py list              what is there, and what is missing for this commit

Every run that was seen to its end is a row of docs/decisions/whole-runs.md, whatever its outcome. A run that was
interrupted is none. Whoever calls this again goes on where it ended.
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
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from scheduling import ROOT, end_by_signals

TABLE = ROOT / "docs/decisions/whole-runs.md"
HEAD = """# Whole runs of `make test`

**Decided** 2026-11-28. **Where** `scripts/prove_steady.py`, which adds the rows.

A row is a run that was seen to its end, whatever its outcome. None was tried a second time.

- `plain`: nothing beside it. `busy`: 3 loops beside it that use a processor each. `one core`: on one processor.
- `normal user`: by an account without rights, whose home is empty. `midnight`: its clock passes midnight UTC after 3 minutes.
- `check …`: one check alone, in a drawn order, from a drawn minute on, beside a drawn number of busy loops.

| Commit | Ended (UTC) | Kind | Minutes | Outcome |
|---|---|---|---|---|
"""
ROW = re.compile(r"^\| `(\w+\+?)` \| ([^|]+) \| ([^|]+) \| ([\d.]+) \| ([^|]+) \|$")
CLOCK = "GAVEL_TEST_CLOCK"
BUSY_LOOPS = 3
# Long enough before midnight that products and browsers are at work when it comes.
BEFORE_MIDNIGHT_S = 180
USER = "nobody"
# Certificates, proxies and mirrors belong to the machine, not to an account.
OF_THE_MACHINE = (
    "PIP_",
    "UV_",
    "NPM_CONFIG_",
    "GOPROXY",
    "HTTP",
    "NO_PROXY",
    "SSL_CERT_",
    "NODE_EXTRA_",
    "GAVEL_SHARED",
)
TIMES = 20
PYTEST = (".venv/bin/pytest", "-q", "-p", "no:cacheprovider", "-p", "randomly", "--randomly-seed={seed}")
PROOF = Path(".cache/steady")


@dataclass(frozen=True)
class Kind:
    """One kind of whole run. `prefix`: words before the command; `busy_loops`: how many run beside it."""

    wanted: int = 1
    prefix: tuple[str, ...] = ()
    busy_loops: int = 0
    environment: Mapping[str, str] = field(default_factory=dict)
    is_before_midnight: bool = False
    is_normal_user: bool = False


KINDS: Mapping[str, Kind] = {
    "plain": Kind(wanted=2),
    "busy": Kind(busy_loops=BUSY_LOOPS),
    "one core": Kind(prefix=("taskset", "--cpu-list", "0")),
    "normal user": Kind(is_normal_user=True),
    "midnight": Kind(is_before_midnight=True),
}
# Every check that starts a process of the product, a server or a browser.
CHECKS: Mapping[str, tuple[str, ...]] = {
    "product": (".venv/bin/pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-x", "tests/product"),
    "held browser": ("npm", "--prefix", "frontend", "run", "--silent", "e2e:held"),
    "command line": (*PYTEST, "tests/cli"),
    "supervisor": (*PYTEST, "tests/supervise", "tests/embedded"),
    "jobs": (*PYTEST, "tests/jobs"),
    "listener": (*PYTEST, "tests/listener"),
    "killed processes": (*PYTEST, "tests/alerting/use"),
    "hostile": (*PYTEST, "tests/hostile"),
    "running checks": (*PYTEST, "tests/house"),
    "vCenter simulator": (*PYTEST, "tests/collectors/hosts/vcenter/test_vcsim.py"),
    "TimescaleDB": (*PYTEST, "tests/db"),
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
    """Every run of the table, oldest first."""
    if not table.exists():
        return []
    found = filter(None, map(ROW.match, table.read_text(encoding="utf-8").splitlines()))
    return [Row(match[1], match[2], match[3], float(match[4]), match[5]) for match in found]


def add_row(row: Row, table: Path = TABLE) -> None:
    """Write the row behind the others, and make the table where it is missing."""
    text = table.read_text(encoding="utf-8") if table.exists() else HEAD
    table.write_text(f"{text.rstrip()}\n{row}\n", encoding="utf-8")


def commit() -> str:
    """The last commit that changed more than the table; with `+` where a file of the work tree differs from it."""
    name = _git("log", "-1", "--format=%h", "--abbrev=8", "--", ".", f":!*{TABLE.name}")
    changed = [line for line in _git("status", "--porcelain").splitlines() if not line.endswith(TABLE.name)]
    return name + ("+" if changed else "")


def _git(*arguments: str) -> str:
    return subprocess.run(("git", *arguments), cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def missing_runs(done: Sequence[Row], of_commit: str) -> list[str]:
    """Kinds of whole runs that this commit has not had yet, each as often as it is wanted."""
    count = Counter(row.kind for row in done if row.commit == of_commit)
    return [name for name, kind in KINDS.items() for _ in range(max(0, kind.wanted - count[name]))]


def missing_checks(done: Sequence[Row], of_commit: str) -> Counter[str]:
    """How often each check is still to be run."""
    count = Counter(row.kind for row in done if row.commit == of_commit)
    left = {name: TIMES - count[f"check {name}"] for name in CHECKS}
    return Counter({name: number for name, number in left.items() if number > 0})


# --- running ----------------------------------------------------------------------------------------------------------


@contextmanager
def busy_beside(count: int) -> Iterator[None]:
    """So many endless loops in processes of their own."""
    loops = [subprocess.Popen((sys.executable, "-c", "while True: pass")) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def clock_before_midnight(now: datetime | None = None) -> str:
    """The shift in seconds that puts the clock shortly before the next midnight."""
    at = now or datetime.now(UTC)
    into_day_s = at.hour * 3600 + at.minute * 60 + at.second
    return f"{24 * 3600 - into_day_s - BEFORE_MIDNIGHT_S:+d}"


def whole_run(name: str) -> Row:
    """One `make test` of this kind, seen to its end."""
    kind = KINDS[name]
    environment = os.environ | dict(kind.environment) | {"CI": "1"}
    if kind.is_before_midnight:
        environment[CLOCK] = clock_before_midnight()
    with busy_beside(kind.busy_loops):
        if kind.is_normal_user:
            with _as_normal_user() as (command, folder, bare):
                return _seen(name, (*command, "make", "test"), bare, folder)
        return _seen(name, (*kind.prefix, "make", "test"), environment, ROOT)


def bare_environment(home: Path) -> dict[str, str]:
    """What a new account on this machine has: an empty home, and how the machine reaches package registries."""
    kept = {name: value for name, value in os.environ.items() if name.startswith(OF_THE_MACHINE)}
    return kept | {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8", "CI": "1"}


@contextmanager
def _as_normal_user() -> Iterator[tuple[tuple[str, ...], Path, dict[str, str]]]:
    """Words that run a command as another account in a fresh clone of its own, with an environment that is almost empty."""
    folder = Path(tempfile.mkdtemp(prefix="gavel-steady-"))
    home, clone = folder / "home", folder / "gavel"
    try:
        home.mkdir()
        subprocess.run(("git", "clone", "--quiet", str(ROOT), str(clone)), check=True)
        bare = bare_environment(home)
        if os.geteuid() == 0:
            subprocess.run(("chown", "-R", USER, str(folder)), check=True)
            folder.chmod(0o755)
            yield ("runuser", "--user", USER, "--", "env", "-i", *(f"{k}={v}" for k, v in bare.items())), clone, bare
        else:
            yield (), clone, bare
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def one_check(name: str) -> Row:
    """One check with a drawn seed, from a drawn minute of the hour on, beside a drawn number of busy loops."""
    seed = secrets.randbelow(1_000_000)
    draw = random.Random(seed)  # noqa: S311 (not a secret)
    shift_s, loops = draw.randrange(24 * 3600), draw.randrange(BUSY_LOOPS + 1)
    command = tuple(word.replace("{seed}", str(seed)) for word in CHECKS[name])
    environment = os.environ | {CLOCK: f"{shift_s:+d}", "CI": "1"}
    with busy_beside(loops):
        row = _seen(f"check {name}", command, environment, ROOT)
    drawn = f"seed {seed}, clock {shift_s:+d} s, {loops} busy"
    return Row(row.commit, row.ended_at, row.kind, row.minutes, f"{row.outcome} ({drawn})")


def _seen(kind: str, command: Sequence[str], environment: Mapping[str, str], folder: Path) -> Row:
    """Run the command to its end; its output is kept in a file of `.cache/steady`."""
    of_commit, began = commit(), time.monotonic()
    log = ROOT / PROOF / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{kind.replace(' ', '-')}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as output:
        process = subprocess.Popen(command, cwd=folder, env=dict(environment), stdout=output, stderr=subprocess.STDOUT)
        try:
            status = process.wait()
        except BaseException:
            process.terminate()
            process.wait()
            raise
    minutes = (time.monotonic() - began) / 60
    last = log.read_text(errors="replace").rstrip().splitlines()[-1:] or ["nothing was printed"]
    outcome = "ok" if status == 0 else f"FAILED: {last[0].replace('|', '/')[:160]}"
    return Row(of_commit, f"{datetime.now(UTC):%Y-%m-%d %H:%M}", kind, minutes, outcome)


def run_checks_for(minutes: float) -> int:
    """Checks in drawn order until the time is up or each has run often enough; the number of failures."""
    until, failed = time.monotonic() + 60 * minutes, 0
    while time.monotonic() < until and (left := missing_checks(rows(), commit())):
        row = one_check(secrets.choice(sorted(left)))
        add_row(row)
        failed += row.outcome.startswith("FAILED")
        print(row, flush=True)
    return failed


def run_whole(names: Sequence[str]) -> int:
    """Whole runs one after another; the number of failures."""
    failed = 0
    for name in names:
        row = whole_run(name)
        add_row(row)
        failed += row.outcome != "ok"
        print(row, flush=True)
    return failed


def show() -> None:
    """Print how many runs there are of each kind, and what this commit lacks."""
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
    parts.add_parser("list", help="what is there and what is missing")
    chosen = parser.parse_args(arguments)
    if chosen.part == "list":
        show()
        return 0
    if chosen.part == "runs":
        return 1 if run_whole(chosen.kind or missing_runs(rows(), commit())) else 0
    return 1 if run_checks_for(chosen.minutes) else 0


if __name__ == "__main__":
    end_by_signals()
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
