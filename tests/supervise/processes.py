"""Tiny programs to supervise, and ways to look at processes from outside."""

import os
import sys
from pathlib import Path

from tests.waiting import HANG_S, wait_for

from gavel.supervise.service import Launch, Service

# Writes `NAME EVENT` to the diary named first; ends at SIGTERM, which it notes too.
PROGRAM = """
import os, signal, sys, time
diary, name = sys.argv[1:3]
def note(event):
    with open(diary, "a") as file:
        file.write(f"{name} {event} {os.getpid()}\\n")
def end(*_):
    note("stopped")
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
note("started")
print("up and running", flush=True)
while True:
    time.sleep(60)
"""
# Has a child and a grandchild, which never heard of stopping; notes all three.
FAMILY = """
import os, signal, subprocess, sys, time
diary, name = sys.argv[1:3]
NAP = "import signal, time; [signal.signal(n, signal.SIG_IGN) for n in (2, 15)]; time.sleep(600)"
CHILD = f"import subprocess, sys, time; p = subprocess.Popen([sys.executable, '-c', {NAP!r}]); print(p.pid, flush=True); exec({NAP!r})"
child = subprocess.Popen([sys.executable, "-c", CHILD], stdout=subprocess.PIPE, text=True)
grandchild = int(child.stdout.readline())
with open(diary, "a") as file:
    file.write(f"{name} started {os.getpid()}\\n{name}-child started {child.pid}\\n{name}-grandchild started {grandchild}\\n")
print("up and running", flush=True)
time.sleep(600)
"""


def service(name: str, diary: Path, *, after: tuple[str, ...] = (), program: str = PROGRAM) -> Service:
    """A service that runs one of the programs above and is ready when it says so."""
    argv = [sys.executable, "-c", program, str(diary), name]
    return Service(name, lambda: Launch(argv), after=after, ready_line="up and running", stop_timeout_s=HANG_S)


def step(name: str, code: str, *, after: tuple[str, ...] = ()) -> Service:
    """A step that runs `code` to its end."""
    return Service(name, lambda: Launch([sys.executable, "-c", code]), after=after, once=True)


def entries(diary: Path) -> list[str]:
    """The diary without process ids: `NAME EVENT`, oldest first."""
    return [line.rpartition(" ")[0] for line in diary.read_text().splitlines()] if diary.exists() else []


def pid_of(diary: Path, name: str) -> int:
    """The process that `name` was last started as."""
    lines = [line.split() for line in diary.read_text().splitlines()]
    return [int(pid) for who, event, pid in lines if who == name and event == "started"][-1]


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be reaped does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):  # gone, or gone while it was read
        return False


def kill(pid: int) -> None:
    """kill -9, and wait for the end."""
    os.kill(pid, 9)
    wait_for(lambda: not is_alive(pid), f"end of process {pid}")
