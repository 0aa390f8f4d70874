"""The proof that `make test` is steady: what it runs, and how it goes on where it was ended."""

import os
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import prove_steady
from prove_steady import CHECKS, KINDS, TIMES, Row
from scheduling import SLOWNESS, Check

ROOT = Path(__file__).resolve().parents[2]


def row(kind: str, commit: str = "abcdef12", outcome: str = "ok") -> Row:
    return Row(commit, "2026-07-01 10:00", kind, 12.3, outcome)


def test_table_of_runs_gives_back_the_rows_that_were_added_in_order(tmp_path: Path) -> None:
    table = tmp_path / "runs.md"
    table.write_text("# Whole runs\n\n| Commit |\n|---|\n")
    added = [row("plain"), row("one core", outcome="FAILED: make test: 3 ok, 1 failed"), row("check product")]
    for one in added:
        prove_steady.add_row(one, table)
    assert prove_steady.rows(table) == added
    assert table.read_text().startswith("# Whole runs")


def test_table_of_this_repository_holds_only_rows_that_are_understood() -> None:
    lines = [line for line in prove_steady.TABLE.read_text().splitlines() if line.startswith("| `")]
    assert [str(one) for one in prove_steady.rows()] == lines


def test_missing_runs_are_six_at_first_and_go_on_where_they_were_ended() -> None:
    assert len(prove_steady.missing_runs((), "abcdef12")) == 6
    done = [row("plain"), row("midnight"), row("busy", commit="00000000")]
    assert prove_steady.missing_runs(done, "abcdef12") == ["plain", "busy", "one core", "normal user"]


def test_missing_checks_are_each_wanted_twenty_times() -> None:
    done = [row("check product")] * 3 + [row("check hostile")] * TIMES
    left = prove_steady.missing_checks(done, "abcdef12")
    assert left["product"] == TIMES - 3
    assert left.keys() == CHECKS.keys() - {"hostile"}


def test_clock_before_midnight_is_shortly_before_it_at_any_hour() -> None:
    for hour in (0, 12, 23):
        at = datetime(2026, 7, 1, hour, 59, 30, tzinfo=UTC)
        shifted = at + timedelta(seconds=float(prove_steady.clock_before_midnight(at)))
        assert (shifted.hour, shifted.minute) == (23, 57)


def test_check_runs_with_a_drawn_seed_and_clock_and_is_a_row_whatever_its_outcome(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    code = "import os; print('FAILED', '{seed}', os.environ['GAVEL_TEST_CLOCK'], '| done'); raise SystemExit(3)"
    monkeypatch.setattr(prove_steady, "CHECKS", {"product": Check("product", (sys.executable, "-c", code))})
    monkeypatch.setenv(SLOWNESS, "1")
    one = prove_steady.one_check("product")
    assert one.kind == "check product"
    assert re.fullmatch(r"FAILED: FAILED (\d+) ([+-]\d+) / done \(seed \1, clock \2 s, [0-3] busy\)", one.outcome), (
        one.outcome
    )
    assert prove_steady.ROW.match(str(one))


def test_whole_run_in_a_fresh_clone_is_a_row_whatever_its_outcome(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "Makefile").write_text(
        'test:\n\t@test -z "$$CI" && ls -A $$HOME && echo "FAILED a test of $$PWD" && exit 3\n'
    )
    for words in (("init", "-q"), ("add", "."), ("-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "one")):
        subprocess.run(("git", *words), cwd=source, check=True)
    monkeypatch.setattr(prove_steady, "ROOT", source)
    monkeypatch.setattr(prove_steady, "LOGS", tmp_path / "logs")
    for name in KINDS:
        one = prove_steady.whole_run(name)
        assert one.kind == name
        assert one.outcome.startswith("FAILED: FAILED a test of ")
        assert str(source) not in one.outcome
        assert prove_steady.ROW.match(str(one))


def test_bare_environment_has_another_home_and_only_what_belongs_to_the_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/etc/ssl/ca.pem")
    monkeypatch.setenv("https_proxy", "http://proxy.example")
    monkeypatch.setenv("GAVEL_DATA_DIR", "/somewhere")
    monkeypatch.setenv("CI", "true")
    bare = prove_steady.bare_environment(tmp_path)
    assert (bare["HOME"], bare["SSL_CERT_FILE"]) == (str(tmp_path), "/etc/ssl/ca.pem")
    assert bare["https_proxy"] == "http://proxy.example"
    assert not {"GAVEL_DATA_DIR", "CI"} & bare.keys()


def test_busy_loops_end_with_the_run_that_they_stand_beside() -> None:
    with prove_steady.busy_beside(2):
        children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children")
        begun = len(children.read_text().split()) if children.exists() else 2
    assert begun >= 2
    assert not children.exists() or len(children.read_text().split()) <= begun - 2


def test_list_of_what_is_missing_names_every_kind() -> None:
    done = subprocess.run(
        (sys.executable, "scripts/prove_steady.py", "list"), cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "Missing for" in done.stdout
    with pytest.raises(SystemExit):
        prove_steady.main(["runs", "no such kind"])
    assert all(kind.wanted for kind in KINDS.values())
