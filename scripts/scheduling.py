"""Runs checks side by side as far as the processors reach, says how they stand, and leaves no process behind."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NoReturn

ROOT = Path(__file__).resolve().parent.parent
LOGS = ROOT / ".cache/checks"
CLOSING_LINES = (
    ("pytest", re.compile(r"^(?:=+ )?(\d+ (?:passed|failed|error|skipped|deselected)\b.* in [\d.]+s\b.*)$")),
    ("vitest", re.compile(r"^\s*Tests\s+(\d.*)$")),
    # Playwright closes with a line for each outcome.
    ("playwright", re.compile(r"^\s+(\d+ (?:passed|failed|flaky|skipped|did not run|interrupted)\b.*)$")),
)
COLOURS = re.compile(r"\x1b\[[\d;]*m")
# Of pytest a share, of Playwright the number of the newest test.
PROGRESS = re.compile(r"\[ *(\d+%)\]|^ +[✓✘-] +(\d+) \[", re.MULTILINE)
# A test that failed and was tried again (only CI does so): pytest's closing list, Playwright's line of the second try.
SECOND_TRY = re.compile(r"^RERUN (\S+)|^ +[✓✘-] +\d+ (\[.+) \(retry #\d+\)", re.MULTILINE)
# What a runner says of a failed test: pytest's closing list, Playwright's closing list, and what either expected.
FAILURE = re.compile(r"^(?:FAILED|ERROR) \S|^ +\[\w+\] › |^E  +\S|^ *(?:\w*Error|Expected|Received)\b.*:")
# What pytest and Playwright left out: pytest adds the reason, Playwright the title.
SKIPPED = re.compile(r"^(?:SKIPPED \[\d+\] (.+)|  +-  +\d+ (\[.+))$", re.MULTILINE)
MOST_FAILURES = 16
LAST_LINES = 6
LONGEST_LINE = 240
# Test runners cut the line that says what failed to the width of the terminal, and take it for wide only with `CI`.
WIDTH = {"COLUMNS": str(LONGEST_LINE)}
# A log that is longer is shown from both of its ends.
LONGEST_LOG = 2000
# That many of one check may need it; more are no accident of a busy machine.
MOST_SECOND_TRIES = 6
POLL_S = 0.1
PROGRESS_S = 30.0
END_S = 20.0
# What a check past its deadline has to say what failed.
LAST_WORDS_S = 20.0
# How long `_loop` takes on the machine that the deadlines were written on, with nothing beside it.
REFERENCE_S = 0.05
SLOWNESS = "GAVEL_TEST_SLOWNESS"
_PR_SET_CHILD_SUBREAPER, _PR_GET_CHILD_SUBREAPER = 36, 37


@dataclass(frozen=True)
class Check:
    """One program to run; it passes when it ends with 0 within its deadline, which a slow machine stretches.

    `cores`: how many processors it keeps busy; `after`: names of checks that have to end before it begins.
    """

    name: str
    command: tuple[str, ...]
    folder: str = "."
    deadline_s: float = 300
    cores: float = 1.0
    after: tuple[str, ...] = ()
    # Variables of its environment beside those of this process.
    variables: tuple[tuple[str, str], ...] = ()
    # Its output is shown as it comes: it is long, and runs alone.
    shown: bool = False


@dataclass(frozen=True)
class Outcome:
    """`cpu_s`: of the program and all that it waited for. `closing_lines`: what test runners said last, with who said it.
    `failures`: the lines that say what failed, empty where it passed; `log`: all that a failed one said, unless it was shown.
    `skipped`: tests that were left out, with the reason where the runner gives it."""

    check: Check
    status: str
    seconds: float
    cpu_s: float = 0.0
    closing_lines: tuple[tuple[str, str], ...] = ()
    failures: tuple[str, ...] = ()
    skipped: tuple[str, ...] = ()
    log: str = ""


@dataclass
class Run:
    """A check under way; its output goes to a file, which is followed where it is to be shown."""

    check: Check
    process: subprocess.Popen[bytes]
    log: Path
    deadline: float
    follow: IO[str] | None
    began: float = field(default_factory=time.monotonic)
    asked: bool = False

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.began

    def ended(self) -> Outcome | None:
        """None while it runs. One past its deadline is asked to stop, so that it says what has failed so far, then its whole process group
        is ended by force."""
        if time.monotonic() > self.deadline and self.process.returncode is None and not self.asked:
            self.asked = True
            self._signal(signal.SIGINT)
        if time.monotonic() > self.deadline + LAST_WORDS_S and self.process.returncode is None:
            self._signal(signal.SIGKILL)
        found, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        self._show()
        if not found:
            return None
        self.process.returncode = os.waitstatus_to_exitcode(status)
        text = self.log.read_text(errors="replace")
        if time.monotonic() > self.deadline:
            self._signal(signal.SIGKILL)
            text += f"\nended after its deadline of {self.deadline - self.began:.0f} s\n"
        if len(again := second_tries(text)) > MOST_SECOND_TRIES:
            text += f"\n{len(again)} tests were tried twice, {MOST_SECOND_TRIES} may be\n"
        passed = self.process.returncode == 0 and not self.asked and len(again) <= MOST_SECOND_TRIES
        if self.follow:
            self.follow.close()
        _report(self.check, text, self.seconds, usage.ru_utime + usage.ru_stime, passed=passed)
        return Outcome(
            self.check,
            "ok" if passed else "FAILED",
            self.seconds,
            usage.ru_utime + usage.ru_stime,
            tuple(closing_lines(text.splitlines())),
            () if passed else failures(text),
            skipped(text),
            "" if passed or self.check.shown else text,
        )

    def _signal(self, number: signal.Signals) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def _show(self) -> None:
        if self.follow:
            sys.stdout.write(self.follow.read())
            sys.stdout.flush()

    def progress(self) -> str:
        """Its name, and how far its runner says that it is."""
        said = PROGRESS.findall(COLOURS.sub("", self.log.read_text(errors="replace")[-4000:]))
        return " ".join([self.check.name, *(next(filter(None, words)) for words in said[-1:])])


def say(line: str) -> None:
    print(line, flush=True)


def _report(check: Check, text: str, seconds: float, cpu_s: float, *, passed: bool) -> None:
    """A line for each check, and for a failed one what failed. Its log is shown at the end of the run."""
    closing = "; ".join(line for _, line in closing_lines(text.splitlines()))
    state = "ok    " if passed else "FAILED"
    for test in second_tries(text):
        say(f"TRIED TWICE {test}")
    say(f"{state} {check.name:<34}{seconds:7.1f} s {cpu_s:7.1f} s CPU  {closing}".rstrip())
    if not passed and not check.shown:
        say("\n".join(f"       {line}" for line in failures(text)))


def shown_log(text: str) -> str:
    """A log as it stands in the output: without the middle of a very long one."""
    lines = text.rstrip().splitlines()
    if len(lines) > LONGEST_LOG:
        kept = LONGEST_LOG // 2
        lines = [*lines[:kept], f"… {len(lines) - 2 * kept} lines are in .cache/checks …", *lines[-kept:]]
    return "\n".join(lines)


def skipped(text: str) -> tuple[str, ...]:
    """The tests that were left out, each once."""
    found = SKIPPED.findall(COLOURS.sub("", text))
    return tuple(dict.fromkeys(of_pytest or of_playwright for of_pytest, of_playwright in found))


def second_tries(text: str) -> list[str]:
    """The tests that were tried again after they failed, each once, in order."""
    found = SECOND_TRY.findall(COLOURS.sub("", text))
    return list(dict.fromkeys(of_pytest or of_playwright for of_pytest, of_playwright in found))


def failures(text: str) -> tuple[str, ...]:
    """The lines of a failed check that say what failed and why, each once; its last lines where none does."""
    lines = [line.rstrip()[:LONGEST_LINE] for line in COLOURS.sub("", text).splitlines() if line.strip()]
    found = list(dict.fromkeys(line for line in lines if FAILURE.match(line)))
    return tuple(found[:MOST_FAILURES] or lines[-LAST_LINES:])


def closing_lines(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The last words of test runners (`12 passed in 3.4s`), each with whose they are."""
    plain = [COLOURS.sub("", line.rstrip()) for line in lines]
    for runner, pattern in CLOSING_LINES:
        found = [match[1].rstrip("= ") for line in plain if (match := pattern.match(line))]
        yield from ((runner, line) for line in (found if runner == "playwright" else found[-1:]))


# --- how fast the machine is --------------------------------------------------------------------------------------------


def slowness() -> float:
    """How many times as long as on the machine of the deadlines a little work takes here and now; never below 1."""
    return max(1.0, sorted(_loop() for _ in range(5))[2] / REFERENCE_S)


def _loop() -> float:
    began = time.perf_counter()
    total = 0
    for number in range(1_000_000):
        total += number
    return time.perf_counter() - began


def busy_s() -> float | None:
    """Processor seconds that the whole machine has worked since it started, other programs included; None where the system does not say."""
    try:
        first = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:]
    except OSError:
        return None
    user, nice, system, _idle, _waiting, interrupts, soft = map(int, first[:7])
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")


# --- running ------------------------------------------------------------------------------------------------------------


def start(check: Check, stretch: float = 1.0) -> Run | Outcome:
    """Begin it in a session of its own, so that all of it can be ended; the outcome where that is not possible."""
    LOGS.mkdir(parents=True, exist_ok=True)
    log = LOGS / f"{re.sub(r'[^a-z0-9]+', '-', check.name.lower()).strip('-')}.log"
    try:
        with log.open("wb") as output:
            process = subprocess.Popen(
                check.command,
                cwd=ROOT / check.folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env=os.environ | WIDTH | {"PYTHONUNBUFFERED": "1"} | dict(check.variables),
            )
    except OSError as error:
        said = f"could not be started: {error}"
        _report(check, said, 0.0, 0.0, passed=False)
        return Outcome(check, "FAILED", 0.0, failures=(said,), log=said)
    follow = log.open(errors="replace") if check.shown else None
    return Run(check, process, log, time.monotonic() + check.deadline_s * stretch, follow)


@dataclass
class Adopted:
    """Processor seconds of processes that lost their parent, as those of browsers do. They belong to no single check."""

    cpu_s: float = 0.0


adopted = Adopted()


def run(check: Check) -> Outcome:
    """One check alone."""
    return run_all([check])[0]


def run_all(
    checks: Iterable[Check],
    *,
    room: float | None = None,
    stretch: float = 1.0,
    refusal: Callable[[Check], Outcome | None] = lambda _check: None,
) -> list[Outcome]:
    """All of them, as many at a time as `room` processors allow, in the order given where they may choose; outcomes in that order.

    One that fails stops no other. `refusal` may say beforehand how one ends that cannot run.
    """
    listed = list(checks)
    room = float(cores()) if room is None else room
    waiting, running, outcomes = list(listed), list[Run](), dict[str, Outcome]()
    told_at = time.monotonic()
    try:
        while waiting or running:
            for check in _startable(waiting, running, room):
                waiting.remove(check)
                begun = refusal(check) or start(check, stretch)
                if isinstance(begun, Outcome):
                    outcomes[check.name] = begun
                else:
                    running.append(begun)
            for one in tuple(running):
                if ended := one.ended():
                    running.remove(one)
                    outcomes[one.check.name] = ended
            if time.monotonic() - told_at > PROGRESS_S and not any(one.check.shown for one in running):
                told_at = time.monotonic()
                say(f"       … {', '.join(one.progress() for one in running)}")
            adopted.cpu_s += reap_adopted({one.process.pid for one in running})
            time.sleep(POLL_S)
    except BaseException:
        end(running)
        raise
    return [outcomes[check.name] for check in listed]


def cores() -> int:
    """Processors that this process may use: fewer than the machine has where it is bound to some of them."""
    bound = getattr(os, "sched_getaffinity", None)
    return len(bound(0)) if bound else os.cpu_count() or 1


def _startable(waiting: list[Check], running: list[Run], room: float) -> Iterator[Check]:
    """Those whose turn it is; something always runs."""
    unfinished = {check.name for check in waiting} | {one.check.name for one in running}
    taken = sum(one.check.cores for one in running)
    for check in tuple(waiting):
        fits = taken + check.cores <= room or taken == 0
        if fits and unfinished.isdisjoint(check.after):
            taken += check.cores
            yield check


# --- ending -------------------------------------------------------------------------------------------------------------


def end(running: Iterable[Run]) -> None:
    """End every check and whatever it started, in sessions of their own too: politely, and after a while by force."""
    runs = list(running)
    known = {pid for one in runs for pid in (one.process.pid, *descendants(one.process.pid))}

    def left() -> list[int]:
        reap_adopted(set())
        return descendants() if is_keeper() else [pid for pid in known if _lives(pid)]

    with uninterrupted():
        for one in runs:
            with suppress(ProcessLookupError):
                os.killpg(one.process.pid, signal.SIGTERM)
        deadline = time.monotonic() + END_S
        # A process that loses its parent between two readings of a look is in neither. The next look sees it.
        while found := left() or left():
            if time.monotonic() > deadline:
                for pid in found:
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
            time.sleep(POLL_S)
        for one in runs:
            one.process.poll()
            if one.follow:
                one.follow.close()


def end_by_signals() -> None:
    """From now on TERM and HUP end like Ctrl-C, and what loses its parent becomes a child of this process, where Linux offers that."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupted)
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def is_keeper() -> bool:
    """Whether orphans come to this process: then everything below it was started by a check."""
    if not sys.platform.startswith("linux"):
        return False
    found = ctypes.c_int()
    ctypes.CDLL(None, use_errno=True).prctl(_PR_GET_CHILD_SUBREAPER, ctypes.byref(found), 0, 0, 0)
    return bool(found.value)


def _interrupted(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Whoever presses Ctrl-C twice does not leave half of it behind."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _children(pid: int) -> Iterator[int]:
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with suppress(OSError):
            yield from map(int, task.read_text().split())


def descendants(pid: int | None = None) -> list[int]:
    """All living processes below `pid`, or below this one; empty where there is no /proc."""
    own = list(_children(pid or os.getpid()))
    return [one for child in own for one in (child, *descendants(child)) if _lives(one)]


def _lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def reap_adopted(own: set[int]) -> float:
    """Reap the ended processes that lost their parent, and return the processor seconds that they took.

    Others may wait for them to be gone. `own` are waited for elsewhere.
    """
    cpu_s = 0.0
    for child in _children(os.getpid()) if is_keeper() else ():
        if child not in own and not _lives(child):
            with suppress(ChildProcessError):
                _, _, usage = os.wait4(child, os.WNOHANG)
                cpu_s += usage.ru_utime + usage.ru_stime
    return cpu_s
