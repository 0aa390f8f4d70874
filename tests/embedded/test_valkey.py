"""The embedded broker: real servers that are stopped and killed."""

import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.waiting import exit_code, wait_for

from gavel.embedded import valkey
from gavel.embedded.errors import StartError


@contextmanager
def running(data_dir: Path) -> Iterator[subprocess.Popen[bytes]]:
    broker = valkey.prepare(data_dir)
    server = subprocess.Popen(broker.argv, stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: server.poll() is not None or valkey.is_ready(broker.socket), "broker that answers")
        assert server.poll() is None
        yield server
    finally:
        server.send_signal(valkey.STOP_SIGNAL)
        exit_code(server)


def ask(data_dir: Path, command: str) -> str:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(valkey.socket_path(data_dir)))
        connection.sendall(f"{command}\r\n".encode())
        return connection.recv(4096).decode()


def test_a_message_is_there_after_a_stop_and_a_start(tmp_path: Path) -> None:
    with running(tmp_path / "valkey"):
        assert ask(tmp_path / "valkey", "RPUSH live task") == ":1\r\n"
    with running(tmp_path / "valkey"):
        assert "task" in ask(tmp_path / "valkey", "LRANGE live 0 -1")


def test_the_socket_of_a_killed_broker_is_no_obstacle(tmp_path: Path) -> None:
    with running(tmp_path / "valkey") as server:
        server.kill()
        server.wait()
    assert valkey.socket_path(tmp_path / "valkey").exists()
    with running(tmp_path / "valkey"):
        assert ask(tmp_path / "valkey", "PING") == "+PONG\r\n"


def test_it_listens_on_no_port_keeps_every_message_and_lets_only_us_in(tmp_path: Path) -> None:
    with running(tmp_path / "valkey"):
        for name, value in (("port", "0"), ("maxmemory-policy", "noeviction"), ("appendonly", "yes")):
            assert f"\r\n{value}\r\n" in ask(tmp_path / "valkey", f"CONFIG GET {name}")
        assert valkey.socket_path(tmp_path / "valkey").stat().st_mode & 0o077 == 0


def test_a_second_broker_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    with running(tmp_path / "valkey"), pytest.raises(StartError, match="already answers"):
        valkey.prepare(tmp_path / "valkey")


def test_a_path_too_long_for_a_socket_gets_a_short_folder(tmp_path: Path) -> None:
    deep = tmp_path / ("v" * 100)
    with running(deep):
        path = valkey.socket_path(deep)
        assert path.parent != deep
        assert ask(deep, "PING") == "+PONG\r\n"
    path.parent.rmdir()
