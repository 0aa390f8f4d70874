"""Where guests push: a port of its own for each data directory with the lab, and exactly what somebody chose otherwise."""

import os
import socket
from pathlib import Path

import pytest
from tests.ports import reserve_port

from gavel.cli.running import published_address
from gavel.config import Settings
from gavel.embedded.errors import StartError
from gavel.supervise import listening
from gavel.supervise.journal import JOURNAL_FILE, Journal
from gavel.supervise.listening import with_listener
from gavel.supervise.lock import LOCK_FILE, InstanceLock
from gavel.supervise.stack import listener_url


@pytest.fixture(autouse=True)
def _clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GAVEL_LAB", "GAVEL_LAB_GUESTS", "GAVEL_INGEST_HOST", "GAVEL_INGEST_PORT"):
        monkeypatch.delenv(name, raising=False)


def test_without_guests_of_a_lab_there_is_no_listener_that_nobody_asked_for(tmp_path: Path) -> None:
    for settings in (Settings(data_dir=tmp_path, lab=False), Settings(data_dir=tmp_path, lab_guests=False)):
        assert with_listener(settings).ingest_host is None


def test_the_listener_of_the_lab_is_on_this_machine_at_a_port_that_the_data_directory_keeps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []
    monkeypatch.setattr(listening, "_is_free", lambda port: port not in taken)
    first = with_listener(Settings(data_dir=tmp_path))
    assert first.ingest_host == "127.0.0.1"
    taken.append(first.ingest_port)
    (tmp_path / "other").mkdir()
    second = with_listener(Settings(data_dir=tmp_path / "other"))
    assert second.ingest_port != first.ingest_port
    taken.clear()
    assert with_listener(Settings(data_dir=tmp_path)).ingest_port == first.ingest_port
    assert with_listener(Settings(data_dir=tmp_path / "other")).ingest_port == second.ingest_port


def test_a_kept_port_that_is_taken_or_no_port_is_replaced(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        (tmp_path / "ingest-port").write_text(str(taken.getsockname()[1]))
        chosen = with_listener(Settings(data_dir=tmp_path)).ingest_port
        assert chosen != taken.getsockname()[1]
    assert (tmp_path / "ingest-port").read_text() == str(chosen)
    for text in ("", "many", "70000"):
        (tmp_path / "ingest-port").write_text(text)
        assert 0 < with_listener(Settings(data_dir=tmp_path)).ingest_port < 65536


def test_a_chosen_port_and_host_are_used_as_they_are_or_named_when_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = reserve_port()
    monkeypatch.setenv("GAVEL_INGEST_PORT", str(port))
    assert listener_url(with_listener(Settings(data_dir=tmp_path))) == f"http://127.0.0.1:{port}"
    everywhere = with_listener(Settings(data_dir=tmp_path, lab=False, ingest_host="0.0.0.0"))  # noqa: S104 (not bound)
    assert (everywhere.ingest_host, everywhere.ingest_port) == ("0.0.0.0", port)  # noqa: S104
    assert listener_url(everywhere) == f"http://127.0.0.1:{port}"
    with (
        socket.create_server(("127.0.0.1", port)),
        pytest.raises(StartError, match=r"choose another port with GAVEL_INGEST_PORT\."),
    ):
        with_listener(Settings(data_dir=tmp_path))
    assert not (tmp_path / "ingest-port").exists()


def test_files_of_the_data_directory_are_private_whatever_the_umask_is(tmp_path: Path) -> None:
    """As root, the folder itself lets other accounts pass through."""
    before = os.umask(0)
    try:
        (tmp_path / JOURNAL_FILE).write_text("[]")
        lock = InstanceLock(tmp_path)
        Journal(tmp_path).write([])
        settings = Settings(data_dir=tmp_path, lab=True, ingest_host=None)
        with published_address(with_listener(settings)):
            modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir() if file.is_file()}
        lock.release()
    finally:
        os.umask(before)
    assert {JOURNAL_FILE, LOCK_FILE, "address", "guest-address", "ingest-port"} <= modes.keys()
    assert set(modes.values()) == {0o600}
