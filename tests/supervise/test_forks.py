"""Services that are forked from a process that has their modules loaded: real processes, killed in every way."""

import asyncio
import io
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.supervise.processes import entries, is_alive, kill, pid_of
from tests.waiting import HANG_S, exit_code, wait_for

from gavel.supervise import guard, preload
from gavel.supervise.forks import Forks
from gavel.supervise.lock import InstanceLock
from gavel.supervise.output import Terminal
from gavel.supervise.service import Launch, ModuleLaunch, Service
from gavel.supervise.supervisor import Supervisor

pytestmark = pytest.mark.skipif(not Forks.are_possible(), reason="only Linux lets another process's child be ours")

# Notes when it was loaded and by whom it was run; ends as it is told to.
MODULE = """
import os, signal, sys, time
LOADED_BY = os.getpid()
if __name__ == "__main__":
    import shared
    diary, name = sys.argv[1:3]
    def note(event):
        with open(diary, "a") as file:
            file.write(f"{name} {event} {os.getpid()}\\n")
    def end(*_):
        note("stopped")
        sys.exit(0)
    signal.signal(signal.SIGTERM, end)
    note("started")
    note("forked" if shared.LOADED_BY != os.getpid() else "alone")
    note(f"nice={os.nice(0)}")
    note(f"in={os.path.basename(os.getcwd())}")
    note("leads" if os.getsid(0) == os.getpid() else "follows")
    print("up and running", flush=True)
    while len(sys.argv) == 3:
        time.sleep(60)
    sys.exit(int(sys.argv[3]))
"""
# Three more than these tests run with.
NICE = f"nice={min(os.nice(0) + 3, 19)}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "code").mkdir()
    (tmp_path / "code/program.py").write_text(MODULE)
    (tmp_path / "code/shared.py").write_text(MODULE)
    return tmp_path


def services(folder: Path, forks: Forks, *end: str, patience_s: float = HANG_S) -> list[Service]:
    """One that has `shared` loaded, and one that is forked from it."""
    env = {**os.environ, "PYTHONPATH": str(folder / "code")}

    def launch() -> Launch:
        far_end = forks.renew()
        argv = [sys.executable, "-m", preload.__name__, str(far_end), "shared"]
        return Launch(argv, env, {"pass_fds": (far_end,)})

    module = ModuleLaunch.of("program", str(folder / "diary"), "forked", *end, env=env, folder=str(folder / "code"))
    return [
        Service("preload", launch, ready_line=preload.READY_LINE),
        Service(
            "forked",
            lambda: module,
            after=("preload",),
            ready_line="up and running",
            once=bool(end),
            niceness=3,
            stop_timeout_s=HANG_S,
            waits_for_shared_modules_s=patience_s,
        ),
    ]


def supervised(
    folder: Path,
    scenario: Callable[[Supervisor], None],
    *end: str,
    forks: Forks | None = None,
    patience_s: float = HANG_S,
) -> str:
    """What is said at the terminal of a supervisor of both that is up while `scenario` runs in a thread beside it."""
    line = Forks()
    screen, lock = io.StringIO(), InstanceLock(folder)
    listed = services(folder, line, *end, patience_s=patience_s)
    supervisor = Supervisor(listed, folder, lock.fileno(), Terminal(screen), forks or line)

    async def run() -> None:
        up = asyncio.Event()
        running = asyncio.create_task(supervisor.run(lambda _: up.set()))
        waiting = asyncio.create_task(up.wait())
        await asyncio.wait({running, waiting}, return_when=asyncio.FIRST_COMPLETED, timeout=HANG_S)
        waiting.cancel()
        try:
            if up.is_set():
                await asyncio.to_thread(scenario, supervisor)
        finally:
            supervisor.stop()
            await running

    try:
        asyncio.run(run())
    finally:
        line.close()
        lock.release()
    return screen.getvalue()


def child_pid(supervisor: Supervisor, name: str) -> int:
    pid = supervisor.runners[name].pid
    assert pid is not None
    return pid


def test_forked_service_shares_what_is_loaded_and_is_otherwise_as_if_started_by_itself(folder: Path) -> None:
    diary = folder / "diary"

    def scenario(supervisor: Supervisor) -> None:
        pid = child_pid(supervisor, "forked")
        assert pid == pid_of(diary, "forked")
        assert f"PPid:\t{os.getpid()}" in Path(f"/proc/{pid}/status").read_text()
        assert b"-m program" in Path(f"/proc/{pid}/cmdline").read_bytes()

    supervised(folder, scenario)
    wanted = ("started", "forked", NICE, "in=code", "leads", "stopped")
    assert entries(diary) == [f"forked {what}" for what in wanted]
    assert "up and running" in (folder / "logs/forked.log").read_text()


def test_forked_service_that_is_killed_is_forked_again(folder: Path) -> None:
    diary = folder / "diary"

    def scenario(_: Supervisor) -> None:
        kill(pid_of(diary, "forked"))
        wait_for(lambda: entries(diary).count("forked forked") == 2, "second fork")

    assert "forked was killed by SIGKILL" in supervised(folder, scenario)


def test_services_outlive_the_process_they_were_forked_from_and_are_forked_from_its_successor(folder: Path) -> None:
    diary = folder / "diary"

    def scenario(supervisor: Supervisor) -> None:
        first, forked = child_pid(supervisor, "preload"), child_pid(supervisor, "forked")
        kill(first)
        wait_for(lambda: supervisor.runners["preload"].pid not in (None, first), "successor of preload")
        wait_for(lambda: supervisor.runners["preload"].state == "ready", "ready successor of preload")
        assert is_alive(forked)
        assert supervisor.runners["forked"].pid == forked
        kill(forked)
        wait_for(lambda: entries(diary).count("forked forked") == 2, "second fork")

    supervised(folder, scenario)


@pytest.mark.parametrize(("patience_s", "begun"), [(0.0, "alone"), (HANG_S, "forked")])
def test_service_killed_with_the_process_it_was_forked_from_waits_for_its_successor_only_if_it_may(
    folder: Path, patience_s: float, begun: str
) -> None:
    """Pages do not wait for modules, the others do: their memory is shared then."""
    diary, gate, module = folder / "diary", folder / "gate", folder / "code/shared.py"

    def scenario(supervisor: Supervisor) -> None:
        os.mkfifo(gate)
        # Its successor loads for as long as nobody opens the other end.
        module.write_text(f"open({str(gate)!r}).read()\n" + MODULE)
        first = child_pid(supervisor, "preload")
        kill(first)
        kill(pid_of(diary, "forked"))
        wait_for(lambda: supervisor.runners["preload"].pid not in (None, first), "successor of preload")
        if begun == "alone":
            (folder / "code/program.py").write_text(MODULE.replace("import shared", "shared = sys.modules[__name__]"))
            wait_for(lambda: entries(diary).count("forked started") == 2, "start by itself")
        gate.write_text("")
        wait_for(lambda: entries(diary).count(f"forked {begun}") == (1 if begun == "alone" else 2), "second start")

    supervised(folder, scenario, patience_s=patience_s)


def test_service_is_started_by_itself_where_nothing_is_loaded(folder: Path) -> None:
    supervised(folder, lambda _: None, forks=Forks())
    assert "forked alone" in entries(folder / "diary")
    assert f"forked {NICE}" in entries(folder / "diary")


@pytest.mark.parametrize("code", ["0", "3"])
def test_step_that_is_forked_ends_with_its_own_code(folder: Path, code: str) -> None:
    if code == "0":
        supervised(folder, lambda _: None, code)
    else:
        with pytest.raises(Exception, match="forked ended with code 3"):
            supervised(folder, lambda _: None, code)
    assert "forked forked" in entries(folder / "diary")


def test_kill_9_of_the_supervisor_ends_what_was_forked(folder: Path) -> None:
    code = f"from tests.supervise.test_forks import live; from pathlib import Path; live(Path({str(folder)!r}))"
    house = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2]
    )
    try:
        assert house.stdout is not None
        assert house.stdout.readline() == "all up\n"
        forked = pid_of(folder / "diary", "forked")
        house.send_signal(signal.SIGKILL)
        exit_code(house)
        wait_for(lambda: not is_alive(forked), "end of the forked service")
    finally:
        house.kill()
        house.communicate()
    assert entries(folder / "diary")[-1] == "forked stopped"


def live(folder: Path) -> None:
    """Supervise both until the end of this process. Its guardian lets them stop by themselves."""
    guard.GRACE_S = HANG_S

    def scenario(_: Supervisor) -> None:
        sys.stdout.write("all up\n")
        sys.stdout.flush()
        threading.Event().wait()

    supervised(folder, scenario)
