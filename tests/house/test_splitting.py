"""Parts of the test suite: the same list gives the same parts, and each file is in exactly one."""

import random
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.splitting import (
    ROOT,
    UNKNOWN_SECONDS,
    collected_files,
    parse_part,
    pytest_collection_modifyitems,
    read_seconds,
    split,
    write_seconds,
)

SECONDS = {f"tests/test_{number}.py": number / 7 for number in range(1, 60)}


def collect(*arguments: str) -> list[str]:
    """Return the files whose tests pytest would run."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--collect-only"]
    done = subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    lines = (line for line in done.stdout.splitlines() if line.startswith("tests/"))
    return list(dict.fromkeys(line.partition(":")[0] for line in lines))


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
    """Of one small folder: no file twice, and none left out."""
    folder = "tests/egress"
    first, second = (collect(folder, f"--part={number}/2") for number in (1, 2))
    assert first
    assert second
    assert sorted(first + second) == collected_files([ROOT / folder], [], [])


def test_parts_leave_out_folders_that_are_never_collected_and_ignored_files() -> None:
    files = collected_files([ROOT / "tests"], ["chaos", "product"], [ROOT / "tests/test_log.py"])
    assert "tests/test_vault.py" in files
    assert "tests/test_log.py" not in files
    assert [file for file in files if file.startswith(("tests/chaos", "tests/product"))] == []


def test_order_reversed_runs_the_last_file_first_and_each_in_its_own_order(monkeypatch: pytest.MonkeyPatch) -> None:
    items: Any = [SimpleNamespace(path=Path(file), name=name) for file in "abc" for name in "12"]
    monkeypatch.setenv("GAVEL_TEST_ORDER", "reverse")
    pytest_collection_modifyitems(items)
    assert [f"{item.path}{item.name}" for item in items] == ["c1", "c2", "b1", "b2", "a1", "a2"]


def test_seconds_are_written_and_read_and_files_that_are_gone_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "seconds.txt"
    path.write_text("3.0 tests/test_gone.py\n2.0 tests/test_log.py\n1.0 tests/test_vault.py\n")
    write_seconds({"tests/test_vault.py": 4.56}, path)
    assert read_seconds(path) == {"tests/test_log.py": 2.0, "tests/test_vault.py": 4.6}


def test_seconds_of_the_repository_name_files_that_exist() -> None:
    assert [file for file in read_seconds() if not (ROOT / file).exists()] == []
