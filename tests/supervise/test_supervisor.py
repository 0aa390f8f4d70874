"""The supervisor, with tiny programs that are killed in every way."""

import asyncio
import io
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.supervise.processes import FAMILY, entries, is_alive, kill, pid_of, service, step
from tests.waiting import HANG_S, exit_code, wait_for

from gavel.embedded.errors import StartError
from gavel.supervise.journal import read_journal
from gavel.supervise.lock import InstanceLock, running_pid
from gavel.supervise.output import Terminal
from gavel.supervise.runner import Runner, ServiceState
from gavel.supervise.service import Launch, Service, in_order
from gavel.supervise.supervisor import Supervisor

ROOT = Path(__file__).parents[2]
Supervise = Callable[[list[Service]], Supervisor]


@pytest.fixture
def diary(tmp_path: Path) -> Path:
    return tmp_path / "diary"


@pytest.fixture
def screen() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def lock(tmp_path: Path) -> Iterator[InstanceLock]:
    held = InstanceLock(tmp_path)
    yield held
    held.release()


@pytest.fixture
def supervise(tmp_path: Path, screen: io.StringIO, lock: InstanceLock) -> Supervise:
    return lambda services: Supervisor(services, tmp_path, lock.fileno(), Terminal(screen))


@asynccontextmanager
async def running(supervisor: Supervisor) -> AsyncIterator[None]:
    """The block runs while everything is up; it is stopped after."""
    up = asyncio.Event()
    run = asyncio.create_task(supervisor.run(lambda _: up.set()))
    waiting = asyncio.create_task(up.wait())
    await asyncio.wait({run, waiting}, return_when=asyncio.FIRST_COMPLETED, timeout=HANG_S)
    waiting.cancel()
    if not up.is_set():
        supervisor.stop()
        await run
        pytest.fail("it never came up")
    try:
        yield
    finally:
        supervisor.stop()
        await run


def is_ready_again(runner: Runner, restarts: int) -> bool:
    return runner.restarts == restarts and runner.state is ServiceState.READY


async def until(what: Callable[[], bool]) -> None:
    await asyncio.to_thread(wait_for, what, "step of the scenario")


def test_services_start_when_what_they_need_is_ready_and_stop_in_reverse(diary: Path, supervise: Supervise) -> None:
    async def scenario() -> None:
        last = service("last", diary, after=("middle",))
        async with running(supervise([last, service("middle", diary, after=("first",)), service("first", diary)])):
            pass

    asyncio.run(scenario())
    started, stopped = ["first", "middle", "last"], ["last", "middle", "first"]
    assert entries(diary) == [f"{name} started" for name in started] + [f"{name} stopped" for name in stopped]


def test_a_service_is_stopped_after_those_it_outlives_whichever_started_first(
    diary: Path, supervise: Supervise
) -> None:
    async def scenario() -> None:
        lab = replace(service("lab", diary), outlives=("worker",))
        async with running(supervise([lab, service("worker", diary)])):
            pass

    asyncio.run(scenario())
    assert entries(diary)[2:] == ["worker stopped", "lab stopped"]


def test_what_stands_back_does_so_with_all_it_started_also_after_a_restart(diary: Path, supervise: Supervise) -> None:
    async def scenario() -> None:
        nice = replace(service("family", diary, program=FAMILY), niceness=5)
        supervisor = supervise([nice, service("other", diary)])
        async with running(supervisor):
            ours = os.getpriority(os.PRIO_PROCESS, 0)
            assert os.getpriority(os.PRIO_PROCESS, pid_of(diary, "other")) == ours
            for restarts in (1, 2):
                for name in ("family", "family-child", "family-grandchild"):
                    assert os.getpriority(os.PRIO_PROCESS, pid_of(diary, name)) == min(ours + 5, 19), name
                kill(pid_of(diary, "family"))
                await until(partial(is_ready_again, supervisor.runners["family"], restarts))

    asyncio.run(scenario())


def test_a_killed_service_comes_back_after_a_launch_that_failed_by_surprise(diary: Path, supervise: Supervise) -> None:
    plain, launches = service("one", diary), list[int]()

    def launch() -> Launch:
        launches.append(1)
        if len(launches) == 2:
            raise OSError("No space left on device")
        return plain.launch()

    async def scenario() -> None:
        supervisor = supervise([replace(plain, launch=launch)])
        async with running(supervisor):
            kill(pid_of(diary, "one"))
            await until(partial(is_ready_again, supervisor.runners["one"], 2))

    asyncio.run(scenario())


def test_a_killed_guardian_comes_back_after_a_failed_start(
    diary: Path, supervise: Supervise, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario() -> None:
        supervisor = supervise([service("one", diary)])
        async with running(supervisor):
            spawn, failures = asyncio.create_subprocess_exec, [OSError("Resource temporarily unavailable")]

            async def fail_once(*arguments: Any, **options: Any) -> asyncio.subprocess.Process:
                if failures:
                    raise failures.pop()
                return await spawn(*arguments, **options)

            monkeypatch.setattr(asyncio, "create_subprocess_exec", fail_once)
            first = supervisor._guard.pid
            assert first is not None
            kill(first)
            await until(lambda: supervisor._guard.pid not in (first, None))
            assert failures == []

    asyncio.run(scenario())


def test_a_step_is_done_before_what_comes_after_it(diary: Path, supervise: Supervise) -> None:
    async def scenario() -> None:
        migrate = step("migrate", f"open({str(diary)!r}, 'a').write('migrate done 0\\n')")
        async with running(supervise([service("api", diary, after=("migrate",)), migrate])) as _:
            pass

    asyncio.run(scenario())
    assert entries(diary)[:2] == ["migrate done", "api started"]


def test_a_killed_service_is_started_again_and_the_others_are_left_alone(
    diary: Path, screen: io.StringIO, supervise: Supervise
) -> None:
    async def scenario() -> None:
        supervisor = supervise([service("one", diary), service("two", diary)])
        async with running(supervisor):
            first, other = pid_of(diary, "one"), pid_of(diary, "two")
            one = supervisor.runners["one"]

            for count in (1, 2):
                kill(pid_of(diary, "one"))
                await until(partial(is_ready_again, one, count))
            assert pid_of(diary, "one") != first
            assert pid_of(diary, "two") == other
            assert is_alive(other)

    asyncio.run(scenario())
    assert entries(diary).count("one started") == 3
    assert "one was killed by SIGKILL; starting it again in 0.3 s" in screen.getvalue()
    assert "one is back (restart 2)" in screen.getvalue()


def test_what_a_killed_service_leaves_behind_is_ended_before_it_is_started_again(
    diary: Path, supervise: Supervise
) -> None:
    async def scenario() -> None:
        supervisor = supervise([service("family", diary, program=FAMILY)])
        async with running(supervisor):
            left = [pid_of(diary, "family-child"), pid_of(diary, "family-grandchild")]
            assert all(map(is_alive, left))
            kill(pid_of(diary, "family"))
            await until(lambda: supervisor.runners["family"].restarts == 1)
            assert not any(map(is_alive, left))
            await until(lambda: supervisor.runners["family"].state is ServiceState.READY)

    asyncio.run(scenario())


def test_children_that_ignore_every_polite_signal_are_gone_after_the_stop(diary: Path, supervise: Supervise) -> None:
    async def scenario() -> None:
        async with running(supervise([service("family", diary, program=FAMILY)])):
            pass

    asyncio.run(scenario())
    assert not any(is_alive(pid_of(diary, name)) for name in ("family", "family-child", "family-grandchild"))


def test_a_step_is_repeated_when_what_it_follows_was_restarted(diary: Path, supervise: Supervise) -> None:
    async def scenario() -> None:
        code = f"open({str(diary)!r}, 'a').write('register done 0\\n')"
        argv = [sys.executable, "-c", code]
        register = Service("register", lambda: Launch(argv), after=("lab",), once=True, repeat=True)
        async with running(supervise([service("lab", diary), register])):
            assert entries(diary).count("register done") == 1
            kill(pid_of(diary, "lab"))
            await until(lambda: entries(diary).count("register done") == 2)

    asyncio.run(scenario())


def test_a_step_that_fails_ends_the_start_with_its_last_words_and_stops_the_rest(
    diary: Path, supervise: Supervise
) -> None:
    async def scenario() -> None:
        broken = step("migrate", "import sys; print('column is missing'); sys.exit(3)", after=("first",))
        with pytest.raises(StartError, match=r"(?s)migrate ended with code 3\. Its last lines:.*column is missing"):
            await supervise([service("first", diary), broken]).run(lambda _: None)

    asyncio.run(scenario())
    assert entries(diary) == ["first started", "first stopped"]


def test_a_service_that_never_comes_up_ends_the_start_after_three_attempts(supervise: Supervise) -> None:
    argv = [sys.executable, "-c", "import sys; print('port is taken'); sys.exit(1)"]
    broken = Service("api", lambda: Launch(argv), ready_line="up")
    with pytest.raises(StartError, match=r"(?s)api ended with code 1 3 times\. Its last lines:.*port is taken"):
        asyncio.run(supervise([broken]).run(lambda _: None))


def test_a_service_that_hangs_at_its_start_is_not_waited_for_forever(supervise: Supervise) -> None:
    argv = [sys.executable, "-c", "import time; time.sleep(600)"]
    slow = Service("api", lambda: Launch(argv), ready_line="up", start_timeout_s=0.2)
    with pytest.raises(StartError, match=r"api was not ready within 0\.2 s 3 times"):
        asyncio.run(supervise([slow]).run(lambda _: None))


def test_a_program_that_is_not_there_is_named(supervise: Supervise) -> None:
    missing = Service("broker", lambda: Launch(["/nowhere/valkey-server"]))
    run = supervise([missing]).run(lambda _: pytest.fail("it cannot be up"))
    with pytest.raises(StartError, match="broker /nowhere/valkey-server cannot be started: No such file"):
        asyncio.run(asyncio.wait_for(run, HANG_S))


def test_a_stop_during_the_start_is_obeyed(diary: Path, supervise: Supervise) -> None:
    async def scenario() -> None:
        argv = [sys.executable, "-c", "import time; time.sleep(600)"]
        slow = Service("slow", lambda: Launch(argv), ready_line="never", after=("first",))
        supervisor = supervise([service("first", diary), slow])
        run = asyncio.create_task(supervisor.run(lambda _: pytest.fail("it cannot be up")))
        await until(lambda: supervisor.runners["slow"].pid is not None)
        supervisor.stop()
        await run

    asyncio.run(scenario())
    assert entries(diary) == ["first started", "first stopped"]


def test_a_killed_guardian_is_replaced_and_knows_the_children(diary: Path, supervise: Supervise) -> None:
    async def scenario() -> None:
        supervisor = supervise([service("one", diary)])
        async with running(supervisor):
            before = supervisor._guard.pid
            assert before is not None
            kill(before)
            await until(lambda: supervisor._guard.pid != before)

    asyncio.run(scenario())
    assert entries(diary) == ["one started", "one stopped"]


def test_the_journal_says_what_runs_while_it_runs(tmp_path: Path, diary: Path, supervise: Supervise) -> None:
    async def scenario() -> None:
        async with running(supervise([service("one", diary)])):
            [entry] = read_journal(tmp_path)
            assert (entry["name"], entry["state"], entry["pid"]) == ("one", "ready", pid_of(diary, "one"))

    asyncio.run(scenario())
    assert read_journal(tmp_path) == []


def test_everything_printed_is_in_the_log_and_only_trouble_on_the_terminal(
    tmp_path: Path, screen: io.StringIO, supervise: Supervise
) -> None:
    lines = ["nothing special", "WARNING something odd", '{"level": "error", "event": "it broke", "source": "a"}']
    argv = [sys.executable, "-u", "-c", f"print({chr(10).join(lines)!r}); print('up'); import time; time.sleep(60)"]

    async def scenario() -> None:
        async with running(supervise([Service("api", lambda: Launch(argv), ready_line="up")])):
            pass

    asyncio.run(scenario())
    assert (tmp_path / "logs/api.log").read_text().splitlines()[:3] == lines
    assert "nothing special" not in screen.getvalue()
    assert "api │ WARNING something odd" in screen.getvalue()
    assert "api │ ERROR it broke source=a" in screen.getvalue()


def test_a_step_that_has_something_to_tell_is_heard(screen: io.StringIO, supervise: Supervise) -> None:
    async def scenario() -> None:
        async with running(supervise([replace(step("away", "print('three are gone')"), shows_output=True)])):
            pass

    asyncio.run(scenario())
    assert "away │ three are gone" in screen.getvalue()


def test_a_step_that_says_what_it_always_says_is_not_heard(screen: io.StringIO, supervise: Supervise) -> None:
    said = "print('up to date'); print('samples are kept 3d now')"

    async def scenario() -> None:
        always = replace(step("migrate", said), shows_output=True, known_noise=("up to date",))
        async with running(supervise([always])):
            pass

    asyncio.run(scenario())
    assert "migrate │ samples are kept 3d now" in screen.getvalue()
    assert "up to date" not in screen.getvalue()


def test_services_that_wait_for_each_other_or_for_a_stranger_are_refused() -> None:
    def named(name: str, *after: str) -> Service:
        return Service(name, lambda: Launch([]), after=after)

    with pytest.raises(ValueError, match="wait for each other: a → b → a"):
        in_order([named("a", "b"), named("b", "a")])
    with pytest.raises(ValueError, match="'nobody', which is not a service"):
        in_order([named("a", "nobody")])


# --- The supervisor as a process, killed ------------------------------------------------------------------------------


@pytest.fixture
def house(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """The supervisor of house.py, up."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.supervise.house", str(tmp_path)], stdout=subprocess.PIPE, text=True, cwd=ROOT
    )
    assert process.stdout is not None
    for line in process.stdout:
        if line == "all up\n":
            break
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


NAMES = ("first", "second", "family", "family-child", "family-grandchild")


def test_killing_the_supervisor_leaves_no_process_behind_not_even_grandchildren(
    house: subprocess.Popen[str], diary: Path
) -> None:
    pids = [pid_of(diary, name) for name in NAMES]
    assert all(map(is_alive, pids))
    house.kill()
    wait_for(lambda: not any(map(is_alive, pids)), "end of all processes")


def test_killing_supervisor_and_guardian_at_once_still_ends_their_children(
    house: subprocess.Popen[str], diary: Path
) -> None:
    guardian = next(pid for pid in children_of(house.pid) if "guardian.py" in command_of(pid))
    direct = [pid_of(diary, name) for name in ("first", "second", "family")]
    house.kill()
    kill(guardian)
    wait_for(lambda: not any(map(is_alive, direct)), "end of the direct children")
    for orphan in ("family-child", "family-grandchild"):  # only a guardian knows those
        kill(pid_of(diary, orphan))


def test_the_next_start_waits_until_the_killed_one_is_cleared_up(
    house: subprocess.Popen[str], diary: Path, tmp_path: Path
) -> None:
    pids = [pid_of(diary, name) for name in NAMES]
    house.kill()
    exit_code(house)
    lock = InstanceLock(tmp_path, patience_s=HANG_S)
    assert not any(map(is_alive, pids))
    lock.release()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_polite_signal_stops_everything(house: subprocess.Popen[str], diary: Path, number: signal.Signals) -> None:
    house.send_signal(number)
    assert exit_code(house) == 0
    assert not any(is_alive(pid_of(diary, name)) for name in NAMES)


def test_a_second_supervisor_on_the_same_folder_is_refused_and_the_first_is_named(
    house: subprocess.Popen[str], tmp_path: Path
) -> None:
    assert running_pid(tmp_path) == house.pid
    with pytest.raises(StartError, match=rf"already running on {tmp_path} \(process {house.pid}\)"):
        InstanceLock(tmp_path)


def test_a_lock_file_left_by_a_killed_supervisor_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "gavel.lock").write_text("1\n")
    assert running_pid(tmp_path) is None
    InstanceLock(tmp_path).release()


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def command_of(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
