"""What `make quick` checks: only what differs from main, for the time between two edits. `make test` is what counts."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from scheduling import ROOT, Check

BIN = ROOT / ".venv/bin"
MAIN = ("main", "origin/main", "HEAD")
# They start whole products, or take minutes: only a change to their own files is a reason.
LONG = (
    "tests/product",
    "tests/stories",
    "tests/benchmarks",
    "tests/chaos",
    "tests/truth",
    "tests/peers",
    "tests/hostile",
)
# A core module is imported by half of all tests; those nearest to it tell most. With two workers the whole takes half a minute.
MOST_FILES, MOST_S = 12, 20.0
# Measured seconds of each test file; one that is not listed there counts as a small one.
SECONDS = "tests/seconds.txt"
UNKNOWN_S = 1.0
SCRIPT_ENDINGS = {".ts", ".tsx", ".css"}


@dataclass(frozen=True)
class Selection:
    """Test files to run, nearest first, and how many more import what was changed."""

    files: tuple[str, ...]
    left_out: int


def changed(root: Path = ROOT) -> list[str]:
    """Files that differ from where this branch left main, new ones included and deleted ones not."""
    base = next(filter(None, (_git(root, "merge-base", "HEAD", name) for name in MAIN)), "HEAD")
    names = _git(root, "diff", "--name-only", base).splitlines()
    names += _git(root, "ls-files", "--others", "--exclude-standard").splitlines()
    return sorted({name for name in names if (root / name).is_file()})


def _git(root: Path, *arguments: str) -> str:
    done = subprocess.run(("git", *arguments), cwd=root, capture_output=True, text=True, check=False)
    return done.stdout.strip()


def checks(names: list[str]) -> Iterator[Check]:
    """What is worth running for these files, the quickest first."""
    python = [name for name in names if name.endswith(".py") and not name.startswith("frontend/")]
    if python:
        yield Check("ruff check", (str(BIN / "ruff"), "check", *python))
        yield Check("ruff format", (str(BIN / "ruff"), "format", "--check", *python))
        yield Check("import contracts", (str(BIN / "lint-imports"),))
        yield Check("mypy", (str(BIN / "mypy"),))
    front = [name.removeprefix("frontend/") for name in names if name.startswith("frontend/")]
    if front:
        yield Check("biome", ("npx", "biome", "ci", "--no-errors-on-unmatched", *front), "frontend")
        yield Check("tsc", ("npx", "tsc", "--build"), "frontend")
    sources = [name for name in front if name.startswith("src/") and Path(name).suffix in SCRIPT_ENDINGS]
    if sources:
        yield Check("vitest", ("npx", "vitest", "related", "--run", *sources), "frontend")
    chosen = selected(names)
    if chosen.left_out:
        print(f"{chosen.left_out} more test files import what was changed: `make test` runs them.", flush=True)
    if chosen.files:
        options = ("-q", "-p", "no:cacheprovider", "-n", "2", "--dist", "worksteal", "--maxfail=5")
        yield Check("pytest", (str(BIN / "pytest"), *options, *chosen.files), deadline_s=600)


def selected(names: Iterable[str], root: Path = ROOT) -> Selection:
    """Test files that were changed, and those that import a changed module, be it by way of modules of the tests."""
    files = {name for name in names if name.endswith(".py")}
    if not files:
        return Selection((), 0)
    imports = {_name(path, root): set(_imported(path)) for path in (root / "tests").rglob("*.py")}
    of_module = {module_of(name): name for name in imports}
    wanted = {module_of(name) for name in files}
    nearness: dict[str, float] = {}
    for file in imports:
        if not Path(file).name.startswith("test_"):
            continue
        reached = _reached(file, imports, of_module)
        if file in files:
            nearness[file] = 2.0
        elif not file.startswith(LONG) and (found := len(reached & wanted)):
            nearness[file] = found / len(reached)
    ordered = sorted(nearness, key=lambda file: (-nearness[file], file))
    own = [file for file in ordered if nearness[file] > 1]
    kept, left_s, seconds = list(own), MOST_S, _seconds(root)
    for file in ordered[len(own) :]:
        needed_s = seconds.get(file, UNKNOWN_S)
        # The nearest one runs whatever it takes.
        if not kept or (len(kept) < MOST_FILES and needed_s <= left_s):
            kept.append(file)
            left_s -= needed_s
    return Selection(tuple(kept), len(ordered) - len(kept))


def _seconds(root: Path) -> dict[str, float]:
    path = root / SECONDS
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {file: float(seconds) for seconds, file in (line.split(maxsplit=1) for line in lines)}


def _name(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


def module_of(name: str) -> str:
    """How a file is imported: `gavel.db.live` of backend/gavel/db/live.py, the package of an `__init__.py`."""
    for folder in ("backend/", "scripts/"):
        name = name.removeprefix(folder)
    return name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _imported(path: Path) -> Iterator[str]:
    """Modules that a file may mean: of `from a import b` both `a` and `a.b`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _reached(file: str, imports: dict[str, set[str]], of_module: dict[str, str]) -> set[str]:
    """What a test file imports, and what the tests' own modules and the conftests above it do."""
    parents = [f"{folder.as_posix()}/conftest.py" for folder in Path(file).parents]
    seen, ahead = set[str](), [file, *(name for name in parents if name in imports)]
    while ahead:
        name = ahead.pop()
        if name not in seen:
            seen.add(name)
            ahead += [of_module[module] for module in imports[name] if module in of_module]
    return {module for name in seen for module in (*imports[name], module_of(name))}


def listed() -> tuple[Check, ...]:
    """For the files of this work tree; says so where there are none."""
    names = changed()
    if not names:
        sys.stdout.write("Nothing differs from main.\n")
    return tuple(checks(names))
