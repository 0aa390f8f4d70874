"""Gavel's own shell script, as a guest runs it: by sh, on this machine's disks, into a listener and its database."""

import os
import shutil
import subprocess
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from sqlalchemy import Engine, text

from gavel.admin.guest_scripts import GuestSystem, guest_script
from gavel.admin.guests import make_guest_token
from gavel.collectors.disk_names import is_linux_disk
from gavel.db.engine import Role, open_engine, transaction
from gavel.listener.app import build

DEADLINE_S = 60
HERE = os.uname().nodename

pytestmark = pytest.mark.skipif(
    not any(is_linux_disk(path.name) for path in Path("/sys/block").glob("*")),
    reason="this machine shows no disk of its own",
)


@pytest.fixture(scope="module")
def engine(module_postgres_url: str) -> Iterator[Engine]:
    made = open_engine(module_postgres_url, Role.WORKER)
    yield made
    made.dispose()


@pytest.fixture(scope="module")
def address(module_postgres_url: str) -> Iterator[str]:
    application: Any = build(open_engine(module_postgres_url, Role.WORKER), apart_s=0)
    server = uvicorn.Server(uvicorn.Config(application, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    until = time.monotonic() + DEADLINE_S
    while not server.started and time.monotonic() < until:
        time.sleep(0.02)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def run(script: Path, *arguments: str, path: str = os.environ["PATH"]) -> "subprocess.CompletedProcess[str]":
    sh = shutil.which("dash") or "/bin/sh"
    return subprocess.run(
        [sh, str(script), *arguments], capture_output=True, text=True, timeout=DEADLINE_S, check=False,
        env={"PATH": path, "TMPDIR": str(script.parent)},
    )  # fmt: skip


def script_at(tmp_path: Path, address: str, token: str) -> Path:
    script = tmp_path / "gavel-guest"
    script.write_text(guest_script(GuestSystem.LINUX, address, token))
    return script


def only(tmp_path: Path, sender: str) -> str:
    """A PATH on which everything is but the other sender."""
    other = {"curl": "wget", "wget": "curl"}[sender]
    tools = tmp_path / "bin"
    tools.mkdir()
    for folder in ("/bin", "/usr/bin"):
        for program in Path(folder).iterdir():
            if program.name != other and not (tools / program.name).exists():
                (tools / program.name).symlink_to(program)
    return str(tools)


@pytest.mark.parametrize("sender", ["curl", "wget"])
def test_script_two_pushes_store_an_interval_of_every_disk(
    engine: Engine, address: str, tmp_path: Path, sender: str
) -> None:
    if shutil.which(sender) is None:
        pytest.skip(f"{sender} is not installed")
    token = make_guest_token(engine, f"by-{sender}", (HERE,), datetime.now(UTC))
    script, path = script_at(tmp_path, address, token.text), only(tmp_path, sender)
    for _ in range(2):
        done = run(script, path=path)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        time.sleep(0.6)  # readings at less than half a second make no interval
    query = text(
        "SELECT d.disk, count(s.ts) AS intervals FROM guest_disk d JOIN guest g ON g.id = d.guest_id"
        " LEFT JOIN guest_disk_sample s ON s.entity_id = d.id WHERE g.token_id = :token AND d.agent = 'script' GROUP BY d.disk"
    )
    with transaction(engine) as connection:
        stored = {row.disk: row.intervals for row in connection.execute(query, {"token": token.token.id})}
    assert stored == {path.name: 1 for path in Path("/sys/block").glob("*") if is_linux_disk(path.name)}
    assert {path.name for path in tmp_path.iterdir()} == {"gavel-guest", "bin"}


@pytest.mark.parametrize("sender", ["curl", "wget"])
def test_script_says_that_its_token_is_refused_and_ends_with_2(address: str, tmp_path: Path, sender: str) -> None:
    if shutil.which(sender) is None:
        pytest.skip(f"{sender} is not installed")
    done = run(script_at(tmp_path, address, "gvg_wrong"), path=only(tmp_path, sender))
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{address} refused it with 401" in done.stderr
    assert "The token is unknown or revoked" in done.stderr


def test_script_says_that_nobody_answers_and_ends_with_3(tmp_path: Path) -> None:
    done = run(script_at(tmp_path, "http://127.0.0.1:1", "gvg_x"))
    assert (done.returncode, done.stdout) == (3, "")
    assert "http://127.0.0.1:1 cannot be reached" in done.stderr


def test_script_prints_units_of_systemd_and_refuses_other_actions(tmp_path: Path) -> None:
    script = script_at(tmp_path, "http://127.0.0.1:1", "gvg_x")
    units = run(script, "units")
    assert units.returncode == 0
    assert "OnUnitActiveSec=20" in units.stdout
    assert "ExecStart=/usr/local/sbin/gavel-guest" in units.stdout
    assert run(script, "fly").returncode == 1
