"""Split the test files into parts by measured seconds, and fix or reverse the order of files.

`pytest --part 1/2` runs the files of the first of two parts, and nothing of the others is imported. The same list and
the same files give the same parts on every machine. `pytest --record-seconds` writes the list anew from its own run.
With `GAVEL_TEST_ORDER=reverse` the files run in reverse order, each in its own.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SECONDS = ROOT / "tests/seconds.txt"
# A file that was never measured counts as a small one.
UNKNOWN_SECONDS = 1.0


def split(files: Iterable[str], seconds: Mapping[str, float], parts: int) -> list[list[str]]:
    """Return `parts` lists that hold every file once: the longest file first, each into the part with least seconds.

    Files without a measured time come last.
    """
    loads, result = [0.0] * parts, [list[str]() for _ in range(parts)]
    for file in sorted(files, key=lambda name: (-seconds.get(name, 0.0), name)):
        least = loads.index(min(loads))
        loads[least] += seconds.get(file, UNKNOWN_SECONDS)
        result[least].append(file)
    return result


def read_seconds(path: Path = SECONDS) -> dict[str, float]:
    rows = (line.split(maxsplit=1) for line in path.read_text().splitlines())
    return {file: float(value) for value, file in rows}


def write_seconds(measured: Mapping[str, float], path: Path = SECONDS) -> None:
    """Replace the times of measured files, keep those of other files that exist, and drop the rest."""
    kept = (
        {file: value for file, value in read_seconds(path).items() if (ROOT / file).exists()} if path.exists() else {}
    )
    rows = sorted((kept | dict(measured)).items())
    path.write_text("".join(f"{value:.1f} {file}\n" for file, value in rows))


def parse_part(text: str) -> tuple[int, int]:
    """Return (index from 0, number of parts) of "1/2". Raises pytest.UsageError."""
    number, _, parts = text.partition("/")
    if not (number.isdecimal() and parts.isdecimal() and 1 <= int(number) <= int(parts)):
        raise pytest.UsageError(f"Invalid --part {text!r}. Use NUMBER/PARTS, for example 1/2.")
    return int(number) - 1, int(parts)


def collected_files(folders: Sequence[Path], skipped: Sequence[str], ignored: Sequence[Path]) -> list[str]:
    """Return the test files below `folders` that pytest collects, relative to the repository."""
    found: set[str] = set()
    for folder in folders:
        for path in [folder] if folder.is_file() else folder.rglob("test_*.py"):
            inner = path.relative_to(folder).parts[:-1]
            if any(fnmatch(name, pattern) for name in inner for pattern in skipped):
                continue
            if not any(path.is_relative_to(other) for other in ignored):
                found.add(str(path.relative_to(ROOT)))
    return sorted(found)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("splitting")
    group.addoption("--part", metavar="NUMBER/PARTS", help="run the test files of one part, split by tests/seconds.txt")
    group.addoption("--record-seconds", action="store_true", help="write tests/seconds.txt from the times of this run")


@dataclass(frozen=True)
class Part:
    """The files of one part; pytest does not look into any other."""

    files: frozenset[str]

    def pytest_ignore_collect(self, collection_path: Path) -> bool | None:
        if collection_path.suffix != ".py" or not collection_path.name.startswith("test_"):
            return None
        return None if str(collection_path.relative_to(ROOT)) in self.files else True


@dataclass(eq=False)
class Recorder:
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.seconds[report.nodeid.split("::")[0]] += report.duration

    def pytest_sessionfinish(self) -> None:
        write_seconds(self.seconds)


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--part"):
        index, parts = parse_part(config.getoption("--part"))
        folders = [Path(argument).resolve() for argument in config.args]
        ignored = [Path(path).resolve() for path in config.getoption("--ignore") or ()]
        files = collected_files(folders, config.getini("norecursedirs"), ignored)
        config.pluginmanager.register(Part(frozenset(split(files, read_seconds(), parts)[index])))
    if config.getoption("--record-seconds"):
        config.pluginmanager.register(Recorder())


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if os.environ.get("GAVEL_TEST_ORDER") == "reverse":
        files: dict[Path, list[pytest.Item]] = defaultdict(list)
        for item in items:
            files[item.path].append(item)
        items[:] = [item for path in reversed(files) for item in files[path]]
