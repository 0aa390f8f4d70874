"""Finds a Chromium for the browser tests, or brings one, and prints its path; exit status 3 when there is none.

Order: GAVEL_CHROMIUM, Playwright's own download, an installed one, the distribution's package (only as root on
Debian), the npm package @sparticuz/chromium. A candidate counts only after it has told its version.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Without a window: for the same 16 tests its main process takes 5 in place of 13 CPU s.
HEADLESS = "chromium-headless-shell"
INSTALLED = (HEADLESS, "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge")
ON_MACOS = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
ANSWER_DEADLINE_S = 10
INSTALL_DEADLINE_S = 600
NONE_FOUND = """No Chromium for the browser tests. Three ways to get one:
  1. apt-get install chromium (or your system's package), or name one: GAVEL_CHROMIUM=/path/to/chrome
  2. cd frontend && npx playwright install chromium
  3. cd tests/browser && npm ci (Linux x86-64 only; needs libnss3, libnspr4 and libexpat1)"""


def answers(candidate: str) -> bool:
    """Whether the program starts and tells its version."""
    try:
        done = subprocess.run([candidate, "--version"], capture_output=True, timeout=ANSWER_DEADLINE_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def ask_node(folder: str, script: str) -> str | None:
    """What a line of JavaScript prints, run beside the packages of `folder`."""
    if not (ROOT / folder / "node_modules").is_dir():
        return None
    command = ["node", "--input-type=module", "--eval", script]
    done = subprocess.run(command, cwd=ROOT / folder, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout.strip() or None


def playwright_download() -> str | None:
    return ask_node("frontend", "import {chromium} from '@playwright/test'; console.log(chromium.executablePath())")


def installed() -> str | None:
    return next(filter(None, (shutil.which(name) for name in INSTALLED)), None)


def on_macos() -> str | None:
    return ON_MACOS if Path(ON_MACOS).exists() else None


def quietly(*command: str, cwd: Path = ROOT) -> bool:
    """Run an installation; its output is shown only when it fails."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=INSTALL_DEADLINE_S, check=False
    )
    if done.returncode:
        print(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}", file=sys.stderr)
    return done.returncode == 0


def debian_package() -> str | None:
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return None
    print("installing the distribution's chromium", file=sys.stderr)
    if not quietly("apt-get", "update", "-qq"):
        return None
    has_headless = subprocess.run(("apt-cache", "show", HEADLESS), capture_output=True, check=False).returncode == 0
    package = HEADLESS if has_headless else "chromium"
    if not quietly("apt-get", "install", "--yes", "-qq", "--no-install-recommends", package):
        return None
    return shutil.which(package)


def npm_package() -> str | None:
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        return None
    folder = ROOT / "tests/browser"
    if not (folder / "node_modules").is_dir() and not quietly("npm", "ci", cwd=folder):
        return None
    script = "import chromium from '@sparticuz/chromium'; console.log(await chromium.executablePath())"
    return ask_node("tests/browser", script)


SOURCES: tuple[Callable[[], str | None], ...] = (
    playwright_download,
    installed,
    on_macos,
    debian_package,
    npm_package,
)


def candidates() -> Iterator[str]:
    return (found for source in SOURCES if (found := source()))


def main() -> int:
    if named := os.environ.get("GAVEL_CHROMIUM"):
        if not answers(named):
            print(f"GAVEL_CHROMIUM={named} does not start: {named} --version failed.", file=sys.stderr)
            return 2
        print(named)
        return 0
    for candidate in candidates():
        if answers(candidate):
            print(candidate)
            return 0
    print(NONE_FOUND, file=sys.stderr)
    return 3


if __name__ == "__main__":
    sys.exit(main())
