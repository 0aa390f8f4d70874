"""One module of the pages reads a clock, and no test of them reads the clock of the machine or waits for seconds to pass."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

FRONT_END = Path(__file__).resolve().parents[2] / "frontend"
CLOCK = "src/lib/clock.ts"
READS = re.compile(r"\bDate\.now\b|\bnew Date(?:\(\s*\)|(?!\s*[\w(<]))|(?<!\w)Date\(\s*\)")


def lines_with(pattern: re.Pattern[str], paths: Iterable[Path]) -> list[str]:
    return [
        f"{path.relative_to(FRONT_END)}:{number}: {line.strip()}"
        for path in sorted(paths)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if pattern.search(line)
    ]


def sources() -> list[Path]:
    found = [*(FRONT_END / "src").rglob("*.ts"), *(FRONT_END / "src").rglob("*.tsx")]
    assert len(found) > 500
    return [path for path in found if str(path.relative_to(FRONT_END)) != CLOCK]


@pytest.mark.parametrize("line", ["at = Date.now()", "new Date()", "new Date( )", "at: Date()", "map(Date.now)"])
def test_reads_of_the_clock_are_recognized(line: str) -> None:
    assert READS.search(line)


@pytest.mark.parametrize("line", ["new Date(at_ms)", "toDate()", "Date.UTC(2026, 0)", "const at: Date = parsed"])
def test_dates_made_of_a_time_are_no_reads_of_the_clock(line: str) -> None:
    assert not READS.search(line)


def test_clock_of_the_browser_is_read_by_one_module_alone() -> None:
    """Pages follow the server's time (`serverNow`); unit tests have a clock that stands still (src/testing/setup.ts)."""
    assert READS.search((FRONT_END / CLOCK).read_text(encoding="utf-8"))
    assert lines_with(READS, sources()) == []


# They measure and take pictures; their verdict is nobody's.
TOOLS = {"pictures.ts", "shots.ts", "vitals.ts"}
PAUSES = re.compile(r"\bwaitForTimeout\b|['\"]networkidle['\"]")


def browser_tests() -> list[Path]:
    found = [path for path in (FRONT_END / "e2e").glob("*.ts") if path.name not in TOOLS]
    assert len(found) > 30
    return found


def test_clock_of_the_machine_is_read_by_browser_tests_in_one_place_alone() -> None:
    """`gavelNow` is the time of the Gavel that is looked at, which may hold an hour that was."""
    assert [line.partition(":")[0] for line in lines_with(READS, browser_tests())] == ["e2e/clock.ts"]


def test_pauses_are_not_what_browser_tests_wait_for() -> None:
    """A pause is too short on a busy machine and lost time on any other: wait for an event or a state."""
    assert lines_with(PAUSES, browser_tests()) == []
