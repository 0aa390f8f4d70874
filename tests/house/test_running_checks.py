"""`make test` itself: nothing is skipped silently, nothing hangs, one failure fails the whole."""

import os
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

import browser
import run_checks
from run_checks import Check, Outcome

PASSES = Check("passes", (sys.executable, "-c", "print('fine')"))
FAILS = Check("fails", (sys.executable, "-c", "print('broken'); raise SystemExit(3)"))


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


def test_neighbours_that_belong_together_run_side_by_side_and_are_told_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The first ends only once the second has begun."""
    begun = tmp_path / "begun"
    waits = Check("waits", ("sh", "-c", f"while ! [ -e {begun} ]; do sleep 0.05; done"), deadline_s=30, together="both")
    begins = Check("begins", ("touch", str(begun)), together="both")
    monkeypatch.setitem(run_checks.COMMANDS, "check", (PASSES, waits, begins, FAILS))
    assert run_checks.main(["check"]) == 1
    said = capsys.readouterr().out
    assert "make check: 3 ok, 1 failed" in said
    assert said.rindex("waits ") < said.rindex("begins ") < said.rindex("fails ")


def test_an_interrupt_ends_what_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    left = tmp_path / "pid"
    hangs = Check("hangs", ("sh", "-c", f"echo $$ > {left}; sleep 60"), together="both")

    def interrupted(_check: Check) -> Outcome:
        while not left.exists() or not left.read_text():
            time.sleep(0.05)
        raise KeyboardInterrupt

    real = run_checks.run_with_needs
    monkeypatch.setattr(run_checks, "run_with_needs", lambda check: (real if check is hangs else interrupted)(check))
    monkeypatch.setattr(run_checks, "ending", threading.Event())
    with pytest.raises(KeyboardInterrupt):
        run_checks.run_all((replace(PASSES, together="both"), hangs))
    with pytest.raises(ProcessLookupError):
        wait_for_end(int(left.read_text()))


def test_a_program_that_is_not_there_is_a_failure() -> None:
    assert run_checks.run(Check("absent", ("no-such-program",))).status == "FAILED"


def test_a_hanging_check_is_ended_with_its_children(tmp_path: Path) -> None:
    left = tmp_path / "pid"
    script = f"sleep 60 & echo $! > {left}; wait"
    outcome = run_checks.run(Check("hangs", ("sh", "-c", script), deadline_s=1))
    assert outcome.status == "FAILED"
    with pytest.raises(ProcessLookupError):
        wait_for_end(int(left.read_text()))


def wait_for_end(pid: int) -> None:
    """Ask until the process is gone (then ProcessLookupError), or dead and not yet reaped by whoever adopted it."""
    for _ in range(10_000):
        os.kill(pid, 0)
        if Path(f"/proc/{pid}/stat").exists() and Path(f"/proc/{pid}/stat").read_text().split(")")[1].split()[0] == "Z":
            raise ProcessLookupError


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["........ [100%]\n", "12 passed in 3.40s\n"], "12 passed in 3.40s"),
        (["==== 1 failed, 2 passed, 1 skipped in 65.00s (0:01:05) ====\n"],
         "==== 1 failed, 2 passed, 1 skipped in 65.00s (0:01:05) ===="),
        (["a log line: 3 passed the gate in 4s\n"], None),
    ],
)  # fmt: skip
def test_the_closing_line_of_pytest_is_recognised(lines: list[str], expected: str | None) -> None:
    assert run_checks.closing_line(lines) == expected


def test_the_last_lines_say_how_many_tests_passed_in_all(capsys: pytest.CaptureFixture[str]) -> None:
    lines = ("12 passed in 3.40s", "=== 1 failed, 2 passed, 1 skipped, 2 errors in 65.00s ===", None)
    run_checks.sum_up("test", [Outcome(PASSES, "ok", 1.0, line) for line in lines], 2.0)
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "pytest: 14 passed, 3 failed, 1 skipped",
        "make test: 3 ok, 0 failed, 0 skipped in 2 s",
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
    assert run_checks.run_with_needs(run_checks.E2E).status == status


def test_a_browser_that_was_named_and_is_broken_always_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(run_checks, "BROWSER_SEARCH", (sys.executable, "-c", "raise SystemExit(2)"))
    assert run_checks.run_with_needs(run_checks.E2E).status == "FAILED"
