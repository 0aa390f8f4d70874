"""`gavel up` with the real database, broker, workers, scheduler and API (without the lab, which has tests of its own)."""

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from tests.ports import reserve_port
from tests.supervise.processes import is_alive, kill
from tests.waiting import HANG_S, exit_code, wait_for

from gavel.supervise.forks import Forks
from gavel.supervise.journal import read_journal
from gavel.supervise.lock import running_pid

WORKERS = {"worker-live", "worker-slow", "worker-back", "worker-notify"}
SERVICES = {"database", "broker", *WORKERS, "beat", "api", *({"preload"} if Forks.are_possible() else ())}


@dataclass
class Gavel:
    """A started `gavel up`."""

    process: subprocess.Popen[str]
    environment: dict[str, str]
    data_dir: Path
    link: str

    def journal(self) -> dict[str, dict[str, Any]]:
        return {entry["name"]: entry for entry in read_journal(self.data_dir)}

    def health(self) -> dict[str, Any]:
        """What it says of its parts, with a 503, too: while one of them is away."""
        try:
            answer = urllib.request.urlopen(f"{self.link.partition('#')[0]}api/v1/health", timeout=HANG_S)  # noqa: S310
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            answer = error
        with answer:
            found: dict[str, Any] = json.load(answer)
        return found


def start(data_dir: Path, port: int) -> Gavel:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GAVEL_")}
    environment |= {"GAVEL_DATA_DIR": str(data_dir), "GAVEL_PORT": str(port), "GAVEL_LAB": "0"}
    command = [sys.executable, "-m", "gavel.cli", "up"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    assert process.stdout is not None
    said = []
    for line in process.stdout:
        said.append(line)
        if found := re.fullmatch(r"    (http://\S+)\n", line):
            return Gavel(process, environment, data_dir, found[1])
    pytest.fail("".join(said))


@pytest.fixture(scope="module")
def port() -> int:
    return reserve_port()


@pytest.fixture(scope="module")
def gavel(tmp_path_factory: pytest.TempPathFactory, port: int) -> Iterator[Gavel]:
    """One installation for all tests of this file; Ctrl-C at the end has to stop all of it."""
    started = start(tmp_path_factory.mktemp("up") / "data", port)
    yield started
    family = processes_below(started.process.pid)
    started.process.send_signal(signal.SIGINT)
    said, _ = started.process.communicate(timeout=HANG_S)
    assert started.process.returncode == 0
    assert "Stopped after" in said
    assert not any(map(is_alive, family))
    assert running_pid(started.data_dir) is None


def run(gavel: Gavel, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gavel.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=gavel.environment, timeout=HANG_S, check=False)


def test_it_comes_up_with_everything_and_a_setup_link(gavel: Gavel) -> None:
    assert {name for name, entry in gavel.journal().items() if entry["state"] == "ready"} == SERVICES
    assert gavel.health()["storage_mode"] == "plain"
    assert re.search(r"/#setup=gvl_\S{20,}$", gavel.link)
    assert (gavel.data_dir / "setup-token").stat().st_mode & 0o077 == 0
    assert (gavel.data_dir / "secret.key").stat().st_mode & 0o077 == 0


def test_status_tells_what_runs_and_where_whatever_its_own_settings_say(gavel: Gavel) -> None:
    elsewhere = replace(gavel, environment=gavel.environment | {"GAVEL_PORT": "1"})
    said = run(elsewhere, "status", "--json")
    assert said.returncode == 0, said.stderr
    found = json.loads(said.stdout)
    assert found["supervisor_pid"] == gavel.process.pid
    assert found["url"] == gavel.link
    assert found["guests_url"] is None
    assert found["database"] == {"place": "embedded", "ok": True, "mode": "plain", "detail": ""}
    assert {process["name"] for process in found["processes"]} == SERVICES | {"migrate"}


def test_beyond_loopback_it_does_not_even_start_before_there_is_an_admin(gavel: Gavel, tmp_path: Path) -> None:
    fresh = replace(gavel, environment=gavel.environment | {"GAVEL_DATA_DIR": str(tmp_path / "data")})
    said = run(fresh, "up", "--host", "0.0.0.0")  # noqa: S104
    assert said.returncode == 1
    assert "before it has an admin" in said.stderr
    assert "Traceback" not in said.stderr


def test_a_second_one_on_the_same_data_is_refused_in_one_line(gavel: Gavel) -> None:
    said = run(gavel, "up")
    assert said.returncode == 1
    assert f"Gavel is already running on {gavel.data_dir} (process {gavel.process.pid})" in said.stderr
    assert "Traceback" not in said.stderr


@pytest.mark.parametrize("name", sorted(SERVICES))
def test_any_killed_process_comes_back(gavel: Gavel, name: str) -> None:
    before = gavel.journal()[name]
    kill(before["pid"])

    def is_back() -> bool:
        now = gavel.journal().get(name, {})
        return bool(now.get("restarts") == before["restarts"] + 1 and now["state"] == "ready")

    wait_for(is_back, f"restart of {name}")
    wait_for(lambda: gavel.health()["parts"][0]["status"] == "ok", "healthy database")


def test_kill_9_leaves_nothing_behind_and_the_next_start_continues(gavel: Gavel, port: int) -> None:
    family = processes_below(gavel.process.pid)
    assert len(family) > len(SERVICES)
    token = (gavel.data_dir / "setup-token").read_text()
    kill(gavel.process.pid)
    exit_code(gavel.process)
    wait_for(lambda: not any(map(is_alive, family)), "end of all processes")
    wait_for(lambda: running_pid(gavel.data_dir) is None, "released data directory")
    assert gavel.process.stdout is not None
    gavel.process.stdout.close()
    again = start(gavel.data_dir, port)
    gavel.process = again.process
    assert again.link == gavel.link
    assert (gavel.data_dir / "setup-token").read_text() == token


def processes_below(pid: int) -> list[int]:
    children = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return [*children, *(below for child in children for below in processes_below(child))]


def test_up_loads_no_library_of_the_database() -> None:
    """It only starts others: what it carries costs a second before any of them starts, and memory as long as all run."""
    code = "import sys, gavel.cli.up; print(*sorted({'celery', 'numpy', 'psycopg', 'sqlalchemy'} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "\n"
