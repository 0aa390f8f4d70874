"""What is looked at before a start."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.ports import reserve_port

from gavel.embedded.errors import StartError
from gavel.supervise.checks import ensure_data_dir, ensure_port_free


def test_a_taken_port_is_named_with_the_way_to_choose_another() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(StartError, match=rf"Port {port} on 127\.0\.0\.1 is taken.*GAVEL_PORT \(make up PORT=…\)"):
            ensure_port_free("127.0.0.1", port, "GAVEL_PORT", "PORT")


def test_a_port_that_was_in_use_a_moment_ago_is_free() -> None:
    port = reserve_port()
    with socket.create_server(("127.0.0.1", port)) as server, socket.create_connection(("127.0.0.1", port)) as client:
        accepted, _ = server.accept()
        accepted.close()  # we close first: the port lingers in TIME_WAIT
        assert client.recv(1) == b""
    ensure_port_free("127.0.0.1", port, "GAVEL_PORT", "PORT")


def test_an_address_that_is_not_ours_is_named() -> None:
    with pytest.raises(StartError, match=r"Cannot listen on 192\.0\.2\.1 port 8321"):
        ensure_port_free("192.0.2.1", 8321, "GAVEL_PORT", "PORT")


def test_a_new_data_directory_is_made_and_closed_to_others(tmp_path: Path) -> None:
    ensure_data_dir(tmp_path / "a/b", enough_bytes=0)
    assert (tmp_path / "a/b").stat().st_mode & 0o066 == 0
    assert list((tmp_path / "a/b").iterdir()) == []


def test_a_file_where_the_data_directory_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")
    with pytest.raises(StartError, match="is a file"):
        ensure_data_dir(tmp_path / "data")


def test_too_little_space_is_told_with_what_is_there_and_what_is_wanted(tmp_path: Path) -> None:
    wanted = shutil.disk_usage(tmp_path).total + 2**20
    with pytest.raises(StartError, match=r"nearly full: \d+ MiB free, Gavel wants at least \d+ MiB"):
        ensure_data_dir(tmp_path, enough_bytes=wanted)


def test_a_folder_that_may_not_be_written_is_told_with_its_owner() -> None:
    # Not even root may make a folder here.
    with pytest.raises(
        StartError, match=r"/sys/gavel/data cannot be written to: .*\. /sys belongs to 'root'\..*DATA_DIR="
    ):
        ensure_data_dir(Path("/sys/gavel/data"))


def test_a_disk_that_is_really_full_is_told_as_such(tmp_path: Path) -> None:
    if os.geteuid() != 0 or sys.platform != "linux":
        pytest.skip("only root can make a tiny file system")
    small = tmp_path / "small"
    small.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k", "none", str(small)], check=False).returncode:
        pytest.skip("this container may not mount")
    try:
        with pytest.raises(OSError, match="No space left"):
            (small / "fill").write_bytes(bytes(10**6))
        with pytest.raises(StartError, match=r"cannot be written to: No space left on device\. Free some space"):
            ensure_data_dir(small)
    finally:
        subprocess.run(["umount", str(small)], check=True)
