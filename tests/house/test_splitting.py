"""Parts of the test suite: the same list gives the same parts, and each file is in exactly one."""

import random
import subprocess
import sys
from pathlib import Path

import pytest
from tests.splitting import (
    ROOT,
    UNKNOWN_SECONDS,
    collected_files,
    parse_part,
    read_seconds,
    split,
    write_seconds,
)

SECONDS = {f"tests/test_{number}.py": number / 7 for number in range(1, 60)}


def collect(*arguments: str, cwd: Path = ROOT) -> list[str]:
    """Return the ids of the tests that pytest would run, in order."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--collect-only"]
    done = subprocess.run([*command, *arguments], cwd=cwd, capture_output=True, text=True, check=True)
    return [line.split(": ")[0] for line in done.stdout.splitlines() if line.startswith("tests/")]


def test_parts_of_one_list_are_the_same_whatever_order_the_files_come_in() -> None:
    files = list(SECONDS)
    parts = split(files, SECONDS, 3)
    random.Random(1).shuffle(files)
    assert split(files, SECONDS, 3) == parts


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_parts_hold_every_file_once_and_are_of_about_equal_length(parts: int) -> None:
    files = [*SECONDS, "tests/test_new.py", "tests/test_newer.py"]
    result = split(files, SECONDS, parts)
    assert sorted(file for part in result for file in part) == sorted(files)
    lengths = [sum(SECONDS.get(file, UNKNOWN_SECONDS) for file in part) for part in result]
    assert max(lengths) - min(lengths) <= max(UNKNOWN_SECONDS, *SECONDS.values())


def test_parts_take_a_file_without_a_measured_time_where_least_is() -> None:
    assert split(["a", "b", "new"], {"a": 9.0, "b": 4.0}, 2) == [["a"], ["b", "new"]]


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/", "a/b", "-1/2", ""])
def test_parts_that_do_not_exist_are_refused(text: str) -> None:
    with pytest.raises(pytest.UsageError, match="NUMBER/PARTS"):
        parse_part(text)


def test_parts_are_what_pytest_collects() -> None:
    """Of one small folder: nothing twice, nothing left out, nothing of folders that are never collected."""
    folder = "tests/egress"
    whole, first, second = (collect(folder, *more) for more in ((), ("--part=1/2",), ("--part=2/2",)))
    assert first
    assert second
    assert sorted(first + second) == sorted(whole)
    assert {line.split("::")[0] for line in whole} == set(collected_files([ROOT / folder], [], []))


def test_files_reversed_runs_the_last_file_first_and_each_in_its_own_order() -> None:
    ids = collect("tests/egress")
    files = dict.fromkeys(one.split("::")[0] for one in ids)
    assert len(files) > 1
    expected = [one for file in reversed(files) for one in ids if one.split("::")[0] == file]
    assert collect("tests/egress", "--files-reversed") == expected


def test_seconds_are_written_and_read_and_files_that_are_gone_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "seconds.txt"
    path.write_text("3.0 tests/test_gone.py\n2.0 tests/test_log.py\n1.0 tests/test_vault.py\n")
    write_seconds({"tests/test_vault.py": 4.56}, path)
    assert read_seconds(path) == {"tests/test_log.py": 2.0, "tests/test_vault.py": 4.6}


def test_seconds_of_the_repository_name_files_that_exist() -> None:
    assert [file for file in read_seconds() if not (ROOT / file).exists()] == []
