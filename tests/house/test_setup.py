"""Setting up on other people's machines: old Pythons, missing parts, two runs at once, runs killed half-way."""

import importlib.util
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import bootstrap

ROOT = Path(__file__).resolve().parents[2]
HOLD_THE_LOCK = """
import sys, time
from pathlib import Path
sys.path.insert(0, "scripts")
import bootstrap
bootstrap.TOOLS = Path(sys.argv[1])
with bootstrap.alone():
    print("alone", flush=True)
    if len(sys.argv) > 2:
        time.sleep(60)
"""


def dev(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["scripts/dev.sh", *arguments],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )


def machine_with(folder: Path, *programs: str) -> str:
    """A PATH with the shell's own tools and nothing else but `programs`, which refuse every call."""
    for tool in ("sh", "dirname", "cat"):
        (folder / tool).symlink_to(str(shutil.which(tool)))
    for program in programs:
        (folder / program).write_text("#!/bin/sh\nexit 1\n")
        (folder / program).chmod(0o755)
    return str(folder)


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(bootstrap, "TOOLS", tmp_path)
    return tmp_path


def test_a_machine_with_too_old_a_python_is_told_so(tmp_path: Path) -> None:
    done = dev("up", PATH=machine_with(tmp_path, "python3", "python"))
    assert done.returncode == 1
    assert "Python 3.11 or newer" in done.stderr
    assert "PYTHON=" in done.stderr


def test_an_unknown_command_is_refused_with_the_list_of_commands(tmp_path: Path) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    path = machine_with(folder)
    (folder / "python3").symlink_to(sys.executable)
    done = dev("tset", PATH=path)
    assert done.returncode == 2
    assert "no command 'tset'" in done.stderr
    assert "test " in done.stderr


def test_make_and_the_script_know_the_same_commands() -> None:
    targets = re.search(r"^TARGETS := (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert targets is not None
    helped = re.findall(r"^  (\w+)  ", dev("help", PATH="/usr/bin:/bin").stdout, re.MULTILINE)
    assert set(targets[1].split()) == set(helped)


def test_a_python_without_ensurepip_names_the_package_to_install(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(bootstrap.SetupError, match="python3-venv"):
        bootstrap.install_uv()


def test_a_failing_command_is_shown_with_what_it_said() -> None:
    with pytest.raises(bootstrap.SetupError, match=r"ended with 7:\nno space left"):
        bootstrap.run("sh", "-c", "echo no space left >&2; exit 7")


def test_a_missing_program_is_named() -> None:
    with pytest.raises(bootstrap.SetupError, match="no-such-program"):
        bootstrap.run("no-such-program")


def test_a_hanging_command_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "COMMAND_DEADLINE_S", 0.2)
    with pytest.raises(bootstrap.SetupError, match="did not end within"):
        bootstrap.run("sleep", "60")


def test_any_change_of_a_lock_or_of_the_place_is_a_reason_to_set_up_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock = tmp_path / "lock.txt"
    lock.write_text("uv==1")
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    before = bootstrap.fingerprint([lock])
    assert bootstrap.fingerprint([lock]) == before
    lock.write_text("uv==2")
    changed = bootstrap.fingerprint([lock])
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path.parent)
    moved = bootstrap.fingerprint([lock])
    assert len({before, changed, moved}) == 3


def piped(command: list[str]) -> subprocess.Popen[str]:
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_a_second_set_up_waits_and_goes_on_when_the_first_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD_THE_LOCK, str(tmp_path)]
    with piped([*command, "stay"]) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "alone\n"
        with piped(command) as second:
            assert second.stderr is not None
            assert "waiting for it" in second.stderr.readline()
            first.send_signal(signal.SIGKILL)
            said, _ = second.communicate(timeout=20)
    assert said == "alone\n"
    assert second.returncode == 0


def test_an_old_program_does_not_count_as_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\necho v20.20.2\n")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert bootstrap.version_of("node", "--version") == (20, 20) < bootstrap.OLDEST_NODE
    assert bootstrap.version_of("no-such-program", "--version") == (0, 0)
