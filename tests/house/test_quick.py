"""`make quick`: what is changed is checked, and with it the tests that import it."""

import subprocess
from pathlib import Path

import pytest

import quick


def write(root: Path, **files: str) -> None:
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_py", ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def git(root: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(("git", *identity, *arguments), cwd=root, check=True, capture_output=True)


def test_changed_is_what_differs_from_main_committed_or_not_and_what_is_new(tmp_path: Path) -> None:
    git(tmp_path, "init", "-b", "main")
    write(tmp_path, same_py="1", edited_py="1", committed_py="1", deleted_py="1")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-m", "first")
    git(tmp_path, "switch", "-c", "branch")
    write(tmp_path, committed_py="2")
    git(tmp_path, "commit", "-am", "second")
    write(tmp_path, edited_py="2", fresh_py="1")
    (tmp_path / "deleted.py").unlink()
    assert quick.changed(tmp_path) == ["committed.py", "edited.py", "fresh.py"]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    write(
        tmp_path,
        tests__a__test_direct_py="from gavel.db import live",
        tests__a__test_by_way_py="from tests.a.building import made",
        tests__a__building_py="import gavel.db.live",
        tests__b__conftest_py="from gavel.db.live import listen",
        tests__b__test_fixture_py="import os",
        tests__c__test_other_py="from gavel.db import samples",
        tests__product__test_whole_py="import gavel.db.live",
    )
    return tmp_path


def test_tests_that_import_a_changed_module_are_run_be_it_by_way_of_others(tree: Path) -> None:
    found = quick.selected(["backend/gavel/db/live.py"], tree)
    assert set(found.files) == {"tests/a/test_direct.py", "tests/a/test_by_way.py", "tests/b/test_fixture.py"}
    assert found.left_out == 0


def test_a_changed_test_is_run_first_and_the_longest_only_when_they_are_changed_themselves(tree: Path) -> None:
    names = ["tests/product/test_whole.py", "backend/gavel/db/samples.py"]
    assert quick.selected(names, tree).files == ("tests/product/test_whole.py", "tests/c/test_other.py")


def test_of_very_many_tests_the_nearest_are_run_and_the_others_counted(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick, "MOST_FILES", 1)
    write(tree, tests__c__test_far_py="import os, sys, json, gavel.db.samples")
    found = quick.selected(["backend/gavel/db/samples.py"], tree)
    assert found == quick.Selection(("tests/c/test_other.py",), 1)


def test_of_slow_tests_as_many_are_run_as_half_a_minute_allows(tree: Path) -> None:
    write(tree, tests__c__test_near_py="from gavel.db import samples")
    (tree / quick.SECONDS).write_text(f"{quick.MOST_S} tests/c/test_near.py\n{quick.MOST_S} tests/c/test_other.py\n")
    assert quick.selected(["backend/gavel/db/samples.py"], tree) == quick.Selection(("tests/c/test_near.py",), 1)


def test_only_what_fits_the_changed_files_is_checked() -> None:
    def names(*changed: str) -> list[str]:
        return [check.name for check in quick.checks(list(changed))]

    assert names("README.md") == []
    assert names("scripts/lock.py")[:4] == ["ruff check", "ruff format", "import contracts", "mypy"]
    assert names("frontend/src/lib/units.ts") == ["biome", "tsc", "vitest"]
    assert names("frontend/e2e/watch.ts") == ["biome", "tsc"]
