"""`make test` itself: nothing is skipped silently, nothing hangs, one failure fails the whole."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from tests.supervise.processes import is_alive
from tests.waiting import HANG_S, exit_code, wait_for

import browser
import explore
import run_checks
import scheduling
from scheduling import Check, Outcome

ROOT = Path(__file__).resolve().parents[2]

PASSES = Check("passes", (sys.executable, "-c", "print('fine')"))
FAILS = Check("fails", (sys.executable, "-c", "print('broken'); raise SystemExit(3)"))


@pytest.fixture(autouse=True)
def _own_logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "LOGS", tmp_path / "logs")


def test_one_failure_fails_the_whole_but_the_others_still_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(run_checks.COMMANDS, "check", (FAILS, PASSES))
    assert run_checks.main(["check"]) == 1
    said = capsys.readouterr().out
    assert "broken" in said
    assert "make check: 1 ok, 1 failed, 0 skipped" in said


def test_all_passing_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(run_checks.COMMANDS, "check", (PASSES,))
    assert run_checks.main(["check"]) == 0


def test_checks_run_side_by_side_as_far_as_the_processors_reach_and_are_summed_up_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first ends only once the second has begun."""
    begun = tmp_path / "begun"
    waits = Check("waits", ("sh", "-c", f"while ! [ -e {begun} ]; do sleep 0.05; done"), deadline_s=HANG_S, cores=0.5)
    begins = Check("begins", ("touch", str(begun)), cores=0.5)
    monkeypatch.setitem(run_checks.COMMANDS, "check", (PASSES, waits, begins, FAILS))
    assert run_checks.main(["check"]) == 1
    said = capsys.readouterr().out
    assert "make check: 3 ok, 1 failed" in said
    assert said.rindex("waits ") < said.rindex("begins ") < said.rindex("fails ")


def noting(path: Path, name: str, *, cores: float = 1.0, after: tuple[str, ...] = (), beside: str = "") -> Check:
    """A check that notes its begin and its end. With `beside` it ends only once that check has begun."""
    wait = f"until grep -q +{beside} {path}; do sleep 0.05; done" if beside else "sleep 0.3"
    script = f"echo +{name} >> {path}; {wait}; echo -- -{name} | cut -c4- >> {path}"
    return Check(name, ("sh", "-c", script), cores=cores, after=after)


def test_no_more_run_at_a_time_than_there_is_room_for(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    scheduling.run_all([noting(notes, name) for name in "abc"], room=1)
    assert notes.read_text().split() == ["+a", "-a", "+b", "-b", "+c", "-c"]


def test_what_needs_another_begins_after_it_and_what_does_not_goes_before(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    checks = [
        noting(notes, "first", beside="free"),
        noting(notes, "second", after=("first",)),
        noting(notes, "free", cores=0.5),
    ]
    assert [one.status for one in scheduling.run_all(checks, room=2)] == ["ok"] * 3
    said = notes.read_text().split()
    assert said.index("-first") < said.index("+second")
    assert said.index("+free") < said.index("+second")


def test_one_that_wants_more_than_there_is_runs_alone(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    scheduling.run_all([noting(notes, "large", cores=64), noting(notes, "small")], room=2)
    assert notes.read_text().split() == ["+large", "-large", "+small", "-small"]


def test_log_of_a_failed_check_stands_after_the_table_and_that_of_a_passed_one_nowhere(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The output of CI is read from its end."""
    fails = replace(FAILS, command=(sys.executable, "-c", "print('cause\\n' + 'more\\n' * 30); raise SystemExit(3)"))
    monkeypatch.setitem(run_checks.COMMANDS, "check", (fails, PASSES))
    assert run_checks.main(["check"]) == 1
    before, _, after = capsys.readouterr().out.partition("-" * 60)
    assert "cause" not in before
    assert "fine" not in before + after
    assert after.index("all of them") < after.index("--- log of fails\ncause\nmore") < after.index("fails FAILED:")
    assert after.splitlines()[-1].startswith("make check: 1 ok, 1 failed")


def test_log_that_is_very_long_is_shown_without_its_middle() -> None:
    text = "\n".join(map(str, range(3 * scheduling.LONGEST_LOG)))
    lines = scheduling.shown_log(text).splitlines()
    assert len(lines) == scheduling.LONGEST_LOG + 1
    assert (lines[0], lines[-1]) == ("0", str(3 * scheduling.LONGEST_LOG - 1))


def test_skipped_tests_are_listed_at_the_end_with_their_reasons(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    skips = saying(
        "skips", "SKIPPED [1] tests/a.py:3: nothing to see", "  -   3 [held] › e2e/wall.spec.ts:8:1 › a wall"
    )
    monkeypatch.setitem(run_checks.COMMANDS, "check", (skips, PASSES))
    assert run_checks.main(["check"]) == 0
    assert capsys.readouterr().out.splitlines()[-3:-1] == [
        "SKIPPED tests/a.py:3: nothing to see",
        "SKIPPED [held] › e2e/wall.spec.ts:8:1 › a wall",
    ]


def test_closing_table_gives_seconds_and_processor_seconds_of_each_check_and_of_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcomes = [Outcome(PASSES, "ok", 2.0, 1.5), Outcome(FAILS, "FAILED", 3.0, 0.5, failures=("broken",))]
    assert run_checks.sum_up("test", outcomes, 4.0, "") == 1
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["passes", "ok", "2.0", "s", "1.5", "s", "CPU"] in rows
    assert ["all", "of", "them", "4.0", "s", "2.0", "s", "CPU"] in rows


@pytest.mark.parametrize("ci", ["", "1"])
def test_checks_and_their_environment_are_the_same_with_and_without_ci(
    ci: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Test runners take the terminal for wide only in CI, and cut the line that says what failed elsewhere."""
    monkeypatch.setenv("CI", ci)
    monkeypatch.setenv("COLUMNS", "40")
    wide = Check("wide", (sys.executable, "-c", "import os; print(os.environ['COLUMNS']); raise SystemExit(1)"))
    scheduling.run_all([wide])
    assert f"       {scheduling.LONGEST_LINE}\n" in capsys.readouterr().out


# --- explore ----------------------------------------------------------------------------------------------------------


def test_explore_runs_the_named_part_with_the_seed_and_prints_how_to_repeat_what_failed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "import os, sys; print(os.environ['SEED'], os.environ['KILLS'], sys.argv[1]); raise SystemExit(1)"
    check = Check("explore: chaos", (sys.executable, "-c", code, "--seed={seed}"), variables=(("KILLS", "6"),))
    monkeypatch.setattr(explore, "PARTS", {"chaos": explore.Part("kills", (check,))})
    monkeypatch.setenv("SEED", "77")
    monkeypatch.setenv("KILLS", "60")
    assert run_checks.main(["explore", "chaos"]) == 1
    said = capsys.readouterr().out.splitlines()
    assert "77 6 --seed=77" in said
    assert said[-2] == "Repeat it: make explore WHAT=chaos SEED=77"


def test_explore_draws_a_seed_and_prints_it_where_none_is_given(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("SEED", raising=False)
    monkeypatch.setattr(explore, "PARTS", {"a": explore.Part("a", (PASSES,))})
    assert run_checks.main(["explore"]) == 0
    assert "SEED=" in capsys.readouterr().out
    assert len({explore.drawn_seed() for _ in range(20)}) > 10


def test_explore_refuses_an_unknown_part_and_lists_those_that_exist(capsys: pytest.CaptureFixture[str]) -> None:
    assert run_checks.main(["explore", "trust"]) == 2
    assert "Unknown part trust. Parts: truth, hostile" in capsys.readouterr().err


def test_explore_gives_every_check_a_name_of_its_own_and_files_that_exist() -> None:
    checks = explore.checks((), 1)
    assert len({check.name for check in checks}) == len(checks)
    named = [word for check in checks for word in check.command if word.startswith(("tests/", "scripts/"))]
    assert [word for word in named if not (ROOT / word).exists()] == []


@pytest.mark.parametrize(
    ("words", "expected"),
    [(("truth",), "explore truth"), (("WHAT=truth",), "explore truth"), (("truth", "chaos"), "explore truth chaos")],
)
def test_make_explore_takes_parts_as_words_and_as_a_variable(words: tuple[str, ...], expected: str) -> None:
    # As typed into a shell, not as a part of the `make test` that runs this.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    command = ("make", "-n", "explore", *words)
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.split("\n")[0].split() == ["scripts/dev.sh", *expected.split()]
    assert done.stdout.count("dev.sh") == 1


RETRIED = (
    "RERUN tests/cli/test_up.py::test_back[worker]",
    "  ✘  10 [held] › e2e/alerts.spec.ts:129:1 › a new alert (1.1m)",
    "  ✓  11 [held] › e2e/alerts.spec.ts:129:1 › a new alert (retry #1) (2.4s)",
)


def test_the_end_of_a_run_says_again_what_failed_and_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Who sees only the last lines of a long run sees what to mend, without colors."""
    said = (
        "lots of it\\n" * 50
        + "\\x1b[31mE       AssertionError: 3 != 4\\x1b[0m\\nFAILED tests/a.py::test_b - 3 != 4\\n1 failed in 2s"
    )
    names_it = replace(FAILS, command=(sys.executable, "-c", f"print('{said}'); raise SystemExit(1)"))
    monkeypatch.setitem(run_checks.COMMANDS, "check", (names_it, replace(FAILS, name="says little"), PASSES))
    assert run_checks.main(["check"]) == 1
    table, _, end = capsys.readouterr().out.rpartition("--- fails FAILED:\n")
    assert end.splitlines()[:-1] == [
        "E       AssertionError: 3 != 4",
        "FAILED tests/a.py::test_b - 3 != 4",
        "--- says little FAILED:",
        "broken",
    ]
    assert "passes" in table


def test_what_was_tried_twice_is_named_and_passes(capsys: pytest.CaptureFixture[str]) -> None:
    [outcome] = scheduling.run_all([saying("retried", *RETRIED)])
    said = capsys.readouterr().out
    assert outcome.status == "ok"
    assert "TRIED TWICE tests/cli/test_up.py::test_back[worker]\n" in said
    assert "TRIED TWICE [held] › e2e/alerts.spec.ts:129:1 › a new alert\n" in said


def test_many_that_were_tried_twice_fail_the_check(capsys: pytest.CaptureFixture[str]) -> None:
    names = [f"RERUN tests/test_a.py::test_{number}" for number in range(scheduling.MOST_SECOND_TRIES + 1)]
    [outcome] = scheduling.run_all([saying("unsteady", *names)])
    assert outcome.status == "FAILED"
    most = scheduling.MOST_SECOND_TRIES
    assert f"{most + 1} tests were tried twice, {most} may be" in capsys.readouterr().out


def saying(name: str, *lines: str) -> Check:
    return Check(name, (sys.executable, "-c", "import sys; print(*sys.argv[1:], sep='\\n')", *lines))


def test_processor_time_counts_that_of_children() -> None:
    busy = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'for _ in range(5_000_000): pass'])"
    assert scheduling.run(Check("busy", (sys.executable, "-c", busy))).cpu_s > 0.05


# What ends politely only by force, in a session of its own, as servers are that tests start.
STUBBORN = """
import os, signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
open(sys.argv[1], "a").write(f"{os.getpid()}\\n")
time.sleep(300)
"""
# A shell has what it starts in the background ignore SIGINT, and so has that what it starts.
RUNNER = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, "scripts")
import pathlib
import run_checks, scheduling
scheduling.END_S = 1.0
scheduling.LOGS = pathlib.Path(sys.argv[3])
start = ["-c", "import subprocess, sys; subprocess.Popen([sys.executable, *sys.argv[1:]], start_new_session=True).wait()"]
one = lambda name: scheduling.Check(name, (sys.executable, *start, "-c", sys.argv[1], sys.argv[2]), cores=0.5)
run_checks.COMMANDS["check"] = (one("one"), one("other"))
scheduling.end_by_signals()
try:
    run_checks.main(["check"])
except KeyboardInterrupt:
    sys.exit(130)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells whose child a process is")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_ending_it_ends_everything_that_it_started(tmp_path: Path, number: signal.Signals) -> None:
    noted = tmp_path / "pids"
    with subprocess.Popen(
        [sys.executable, "-c", RUNNER, STUBBORN, str(noted), str(tmp_path)], cwd=ROOT, stdout=subprocess.DEVNULL
    ) as runner:
        wait_for(lambda: noted.exists() and len(noted.read_text().split()) == 2, "start of both checks")
        runner.send_signal(number)
        assert exit_code(runner) == 130
    for pid in map(int, noted.read_text().split()):
        wait_for_end(pid)


def test_an_interrupt_ends_what_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    left = tmp_path / "pid"
    hangs = Check("hangs", ("sh", "-c", f"echo $$ > {left}; sleep infinity"), cores=0.5)

    def interrupted(check: Check) -> Outcome | None:
        if check is hangs:
            return None
        raise KeyboardInterrupt

    def begin(check: Check, stretch: float = 1.0) -> scheduling.Run | Outcome:
        begun = started(check, stretch)
        wait_for(lambda: left.exists() and left.read_text().endswith("\n"), "start of the check that hangs")
        return begun

    started = scheduling.start
    monkeypatch.setattr(scheduling, "start", begin)
    with pytest.raises(KeyboardInterrupt):
        scheduling.run_all((hangs, replace(PASSES, cores=0.5)), refusal=interrupted)
    wait_for_end(int(left.read_text()))


def test_a_program_that_is_not_there_is_a_failure() -> None:
    assert scheduling.run(Check("absent", ("no-such-program",))).status == "FAILED"


def test_a_hanging_check_is_ended_with_its_children(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "LAST_WORDS_S", 0.5)
    left = tmp_path / "pid"
    script = f"sleep infinity & echo $! > {left}; wait"
    begun = scheduling.start(Check("hangs", ("sh", "-c", script), deadline_s=HANG_S))
    assert isinstance(begun, scheduling.Run)
    wait_for(lambda: left.exists() and left.read_text().endswith("\n"), "start of the child")
    begun.deadline = begun.began
    outcome = wait_for(begun.ended, "end of the check")
    assert outcome is not None
    assert outcome.status == "FAILED"
    wait_for_end(int(left.read_text()))


def wait_for_end(pid: int) -> None:
    """Wait until the process is gone, or dead and not yet reaped by its adopter."""
    wait_for(lambda: not is_alive(pid), f"end of process {pid}")


def test_a_deadline_stretches_with_the_slowness_of_the_machine() -> None:
    slow = Check("slow", ("sleep", "1"), deadline_s=0.2)
    assert [scheduling.run_all([slow], stretch=by)[0].status for by in (1.0, 5 * HANG_S)] == ["FAILED", "ok"]


def test_a_machine_is_never_taken_for_faster_than_the_one_of_the_deadlines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scheduling, "REFERENCE_S", 3600.0)
    assert scheduling.slowness() == 1.0
    monkeypatch.setattr(scheduling, "REFERENCE_S", 1e-4)
    assert scheduling.slowness() > 10


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["........ [100%]\n", "12 passed in 3.40s\n"], [("pytest", "12 passed in 3.40s")]),
        (["==== 1 failed, 2 passed, 1 skipped in 65.00s (0:01:05) ====\n"],
         [("pytest", "1 failed, 2 passed, 1 skipped in 65.00s (0:01:05)")]),
        (["a log line: 3 passed the gate in 4s\n"], []),
        (["\x1b[2m Test Files \x1b[22m 102 passed (102)\n", "\x1b[2m      Tests \x1b[22m 509 passed (509)\n"],
         [("vitest", "509 passed (509)")]),
        (["  1 failed\n", "    [e2e] › wall.spec.ts:8:1 › a wall\n", "  89 passed (6.2m)\n"],
         [("playwright", "1 failed"), ("playwright", "89 passed (6.2m)")]),
    ],
)  # fmt: skip
def test_the_closing_lines_of_test_runners_are_recognised(lines: list[str], expected: list[tuple[str, str]]) -> None:
    assert list(scheduling.closing_lines(lines)) == expected


def test_the_last_lines_say_how_many_tests_passed_in_all(capsys: pytest.CaptureFixture[str]) -> None:
    lines = (
        (("pytest", "12 passed in 3.40s"),),
        (("pytest", "1 failed, 2 passed, 1 skipped, 2 errors in 65.00s"),),
        (("playwright", "1 failed"), ("playwright", "2 did not run"), ("playwright", "89 passed (6.2m)")),
        (),
    )
    run_checks.sum_up("test", [Outcome(PASSES, "ok", 1.0, 0.5, line) for line in lines], 2.0, ", processors 80% busy")
    assert capsys.readouterr().out.splitlines()[-3:] == [
        "pytest: 14 passed, 3 failed, 1 skipped",
        "playwright: 89 passed, 3 failed, 0 skipped",
        "make test: 4 ok, 0 failed, 0 skipped in 2 s, processors 80% busy",
    ]


# --- the browser ------------------------------------------------------------------------------------------------------


def program(path: Path, *, works: bool) -> str:
    path.write_text(f"#!/bin/sh\n{'echo Chromium 1.0' if works else 'exit 1'}\n")
    path.chmod(0o755)
    return str(path)


def test_a_named_browser_that_does_not_start_is_an_error_and_no_other_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GAVEL_CHROMIUM", program(tmp_path / "broken", works=False))
    assert browser.main() == 2
    assert "does not start" in capsys.readouterr().err


def test_the_first_browser_that_answers_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GAVEL_CHROMIUM", raising=False)
    found = [None, program(tmp_path / "broken", works=False), program(tmp_path / "good", works=True)]
    monkeypatch.setattr(browser, "SOURCES", [lambda path=path: path for path in found])
    assert browser.main() == 0
    assert capsys.readouterr().out.strip() == str(tmp_path / "good")


def test_without_a_browser_the_ways_to_get_one_are_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("GAVEL_CHROMIUM", raising=False)
    monkeypatch.setattr(browser, "SOURCES", [lambda: None])
    assert browser.main() == run_checks.NO_BROWSER
    assert "Three ways" in capsys.readouterr().err


@pytest.mark.parametrize(("ci", "status"), [("1", "FAILED"), ("", "skipped")])
def test_a_missing_browser_fails_in_ci_and_only_there_is_not_a_skip(
    ci: str, status: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)
    monkeypatch.delenv("GAVEL_REQUIRE_E2E", raising=False)
    monkeypatch.setattr(run_checks, "BROWSER_SEARCH", (sys.executable, "-c", "raise SystemExit(3)"))
    refused = run_checks.without_browser(run_checks.HELD)
    assert refused is not None
    assert refused.status == status


def test_a_browser_that_was_named_and_is_broken_always_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(run_checks, "BROWSER_SEARCH", (sys.executable, "-c", "raise SystemExit(2)"))
    refused = run_checks.without_browser(run_checks.HELD)
    assert refused is not None
    assert refused.status == "FAILED"
