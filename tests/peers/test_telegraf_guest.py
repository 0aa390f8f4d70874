"""Telegraf, unchanged, in a guest that is this machine: its disks as `inputs.diskio` reads them, pushed by `outputs.influxdb_v2`,
and by `outputs.influxdb`, which first makes a database."""

import subprocess
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
import uvicorn
from sqlalchemy import Engine, text
from tests.peers.programs import built

from gavel.admin.guests import make_guest_token
from gavel.db.engine import Role, open_engine, transaction
from gavel.listener.app import build

CONFIGURATION = """
[agent]
  interval = "1s"
  flush_interval = "1s"
  hostname = "guest-under-test"
[[inputs.diskio]]
  skip_serial_number = false
"""
OUTPUTS = {
    "version 2": """
[[outputs.influxdb_v2]]
  urls = ["http://127.0.0.1:{port}"]
  token = "{token}"
  organization = "gavel"
  bucket = "guests"
""",
    "version 1": """
[[outputs.influxdb]]
  urls = ["http://127.0.0.1:{port}"]
  database = "guests"
  username = "gavel"
  password = "{token}"
""",
}
DEADLINE_S = 60


@pytest.fixture
def engine(postgres_url: str) -> Iterator[Engine]:
    made = open_engine(postgres_url, Role.WORKER)
    yield made
    made.dispose()


@pytest.fixture
def port(postgres_url: str) -> Iterator[int]:
    server = uvicorn.Server(uvicorn.Config(build(open_engine(postgres_url, Role.WORKER)), port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    until = time.monotonic() + DEADLINE_S
    while not server.started and time.monotonic() < until:
        time.sleep(0.05)
    yield server.servers[0].sockets[0].getsockname()[1]
    server.should_exit = True
    thread.join()


def intervals(engine: Engine) -> list[tuple[str, int, int, int]]:
    query = text(
        "SELECT d.disk, count(s.ts), max(s.interval_s), coalesce(max(s.data_quality), 0) FROM guest_disk d"
        " JOIN guest g ON g.id = d.guest_id LEFT JOIN guest_disk_sample s ON s.entity_id = d.id"
        " WHERE g.host_name = 'guest-under-test' AND d.agent = 'telegraf' GROUP BY d.disk"
    )
    with transaction(engine) as connection:
        return [tuple(row) for row in connection.execute(query)]


@pytest.mark.parametrize("version", OUTPUTS)
def test_telegraf_pushes_the_disks_of_this_machine(engine: Engine, port: int, tmp_path: Path, version: str) -> None:
    whole = {path.name for path in Path("/sys/block").iterdir() if path.name.startswith(("sd", "vd", "nvme", "xvd"))}
    if not whole:
        pytest.skip("this machine shows no disk of its own")
    program = built("telegraf")
    token = make_guest_token(engine, "peer", ("guest-under-test",), datetime.now(UTC)).text
    file = tmp_path / "telegraf.conf"
    file.write_text(CONFIGURATION + OUTPUTS[version].format(port=port, token=token))
    with (tmp_path / "log").open("wb") as log:
        running = subprocess.Popen([str(program), "--config", str(file)], stdout=log, stderr=subprocess.STDOUT)
    try:
        until = time.monotonic() + DEADLINE_S
        while not any(count >= 3 for _, count, _, _ in intervals(engine)) and time.monotonic() < until:
            time.sleep(0.5)
    finally:
        running.terminate()
        running.wait(10)
    found, said = intervals(engine), (tmp_path / "log").read_text()
    assert found, said
    assert " E! " not in said
    assert "W! [outputs" not in said
    assert {disk for disk, *_ in found} <= whole
    assert max(count for _, count, _, _ in found) >= 3
    assert all(longest in (1, 2) and quality == 1 for _, count, longest, quality in found if count)
