"""The rules of docs/ARCHITECTURE.md that no linter knows, and those import contracts that are a list per stage."""

import ast
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BACKEND = ROOT / "backend"
BANNED_NAMES = re.compile(r"(^|_)(utils?|helpers?|managers?|misc|common_code)$")
LOCK_NAMES = ("package-lock.json", "go.sum")
# A lock may name people to thank (funding), never a place that packages come from.
LOCK_HOST = re.compile(r'"resolved"|^\s*(-i|--index-url|--extra-index-url|--find-links)\b|https?://', re.MULTILINE)
FUNDING = re.compile(r'"funding": (\{[^}]*\}|\[[^\]]*\]|"[^"]*")')

# Third-party packages by stage, beside the standard library. What a stage may import of `gavel` is checked by
# import-linter (pyproject.toml).
THIRD_PARTY = {
    "domain": {"numpy"},
    "analysis": {"numpy"},
    "alerting": {"apprise", "numpy", "pydantic", "requests", "resvg_py", "structlog", "yaml"},
    "db": {"alembic", "msgspec", "numpy", "psycopg", "sqlalchemy", "structlog"},
    "ingest": {"billiard", "pydantic", "structlog"},
    "correlate": {"numpy", "structlog"},
    "diagnosis": {"numpy"},
    "findings": {"numpy"},
    "views": {"numpy"},
    "admin": {"cryptography", "pydantic", "structlog"},
    "egress": {"cryptography", "pydantic"},
    "jobs": {"celery", "structlog"},
    "embedded": {"structlog"},
    "supervise": {"setproctitle", "structlog"},
}


def tracked(*patterns: str) -> list[Path]:
    """Files of the repository (not what set-up put beside them), new ones included."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    return [path for path in (ROOT / name for name in listed) if path.is_file()]


SOURCES = [
    path
    for path in tracked("*.py", "*.mjs", "*.js", "*.ts", "*.tsx", "*.go", "*.sh", "*.css")
    if path.name != "schema.d.ts"  # generated
]
LOCKS = [path for path in tracked() if path.name in LOCK_NAMES or re.fullmatch(r"requirements.*\.txt", path.name)]
LOCKS += tracked("scripts/*.txt")


def imported(path: Path) -> Iterator[str]:
    """Top-level names of every import statement in a file."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def test_no_module_is_named_for_having_no_subject() -> None:
    assert [str(path.relative_to(ROOT)) for path in SOURCES if BANNED_NAMES.search(path.stem)] == []


def test_every_package_stands_in_the_contract_of_the_stages() -> None:
    """import-linter cannot say so of layers in two packages: `alerting.use` stands far above the rest of `alerting`."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    stages = next(contract for contract in config["contracts"] if contract["name"] == "Stages depend downwards only")
    listed = set(re.findall(r"gavel\.[\w.]+", " ".join(stages["layers"])))
    house = BACKEND / "gavel"
    present = {path.stem for path in house.glob("*.py")} | {path.parent.name for path in house.glob("*/__init__.py")}
    inside = {f"alerting.{name}" for name in plug_ins(house / "alerting")}
    expected = {f"gavel.{name}" for name in (present - {"__init__", "alerting"}) | inside}
    assert expected - listed == set()


@pytest.mark.parametrize("stage", THIRD_PARTY)
def test_a_stage_imports_only_the_libraries_it_is_for(stage: str) -> None:
    allowed = THIRD_PARTY[stage] | sys.stdlib_module_names | {"gavel"}
    files = sorted((BACKEND / "gavel" / stage).rglob("*.py"))
    assert files
    foreign = {str(path.relative_to(ROOT)): found for path in files if (found := set(imported(path)) - allowed)}
    assert foreign == {}


def test_connections_come_through_the_errors_of_the_engine() -> None:
    """One that is opened beside them reports a database that is away in the words of a library, with a traceback."""
    ways = re.compile(r"\bengine\.(connect|begin|raw_connection)\(")
    files = [path for path in SOURCES if path.is_relative_to(BACKEND / "gavel") and path.suffix == ".py"]
    assert [path.name for path in files if ways.search(path.read_text())] == ["engine.py"]


def plug_ins(folder: Path) -> set[str]:
    """Modules and packages of a plug-in folder."""
    modules = {path.stem for path in folder.glob("*.py")}
    packages = {path.parent.name for path in folder.glob("*/__init__.py")}
    return (modules | packages) - {"__init__"}


@pytest.mark.parametrize(
    ("folder", "registry"),
    [
        ("collectors/arrays", "collectors/registry.py"),
        ("collectors/hosts", "collectors/registry.py"),
        ("collectors/guests", "collectors/guest_registry.py"),
        ("alerting/channels", "alerting/registry.py"),
    ],
)
def test_every_plug_in_stands_in_its_registry(folder: str, registry: str) -> None:
    found = plug_ins(BACKEND / "gavel" / folder)
    path = BACKEND / "gavel" / registry
    named = ast.walk(ast.parse(path.read_text())) if path.is_file() else iter(())
    prefix = f"gavel.{folder.replace('/', '.')}."
    modules = {node.module for node in named if isinstance(node, ast.ImportFrom) and node.module}
    registered = {name.removeprefix(prefix).partition(".")[0] for name in modules if name.startswith(prefix)}
    assert registered == found


@pytest.mark.parametrize("path", LOCKS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_lock_names_no_place_that_packages_come_from(path: Path) -> None:
    assert LOCK_HOST.findall(FUNDING.sub("", path.read_text())) == []


def locked(name: str) -> dict[str, str]:
    """Versions by package (and marker) of a Python lock."""
    lines = (ROOT / "backend" / name).read_text().splitlines()
    pins = (re.match(r"([\w.-]+)==([^\s;]+)(.*?) ?\\$", line) for line in lines)
    return {f"{pin[1]}{pin[3]}": pin[2] for pin in pins if pin}


@pytest.mark.parametrize("name", ["requirements.txt", "requirements-embedded.txt"])
def test_the_locks_agree_on_every_version(name: str) -> None:
    whole = locked("requirements-dev.txt")
    assert len(locked(name)) > 30
    assert {pin: version for pin, version in locked(name).items() if whole.get(pin) != version} == {}


def test_every_declared_dependency_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    groups = [
        project["project"]["dependencies"],
        *project["project"]["optional-dependencies"].values(),
        *project["dependency-groups"].values(),
    ]
    declared = {re.split(r"[\[<>=~! ]", wanted, maxsplit=1)[0].lower() for group in groups for wanted in group}
    present = {pin.partition(" ")[0] for pin in locked("requirements-dev.txt")}
    assert declared - present == set()


def test_the_vendor_sdk_stays_out_of_everybodys_environment() -> None:
    assert "py-pure-client" not in (ROOT / "backend/requirements-dev.txt").read_text()
    assert "py-pure-client" in (ROOT / "tests/peers/requirements.txt").read_text()
