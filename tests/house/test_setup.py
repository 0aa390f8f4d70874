"""Setting up on other people's machines: old Pythons, missing parts, two runs at once, runs killed half-way."""

import errno
import importlib.util
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.waiting import HANG_S, wait_for

import bootstrap
import run_checks
import steps

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
        timeout=HANG_S,
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


# What a program could take for a sign of its own in a path.
ODD_FOLDER = "my gävel, 100% [1] (2)/src/node_modules/gavel"


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
    with pytest.raises(steps.SetupError, match="python3-venv"):
        bootstrap.install_uv()


def test_a_python_with_a_pip_of_its_own_needs_no_second_one(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(bootstrap, "pip_at_hand", lambda: bootstrap.OLDEST_PIP)
    monkeypatch.setattr(bootstrap, "run", lambda *words: commands.append([str(word) for word in words]))
    pip = bootstrap.make_environment_of_uv(tools / "uv")
    assert commands == [[sys.executable, "-m", "venv", "--without-pip", str(tools / "uv")]]
    assert pip == (sys.executable, "-m", "pip", "--python", tools / "uv/bin/python")


def test_a_python_with_an_old_pip_gets_one_in_the_environment(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(bootstrap, "pip_at_hand", lambda: (21, 9))
    monkeypatch.setattr(bootstrap, "run", lambda *words: commands.append([str(word) for word in words]))
    pip = bootstrap.make_environment_of_uv(tools / "uv")
    assert commands == [[sys.executable, "-m", "venv", str(tools / "uv")]]
    assert pip == (tools / "uv/bin/python", "-m", "pip")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, list[tuple[str, ...]]]:
    """A folder with a lock of npm's, and the calls of npm, which only makes the folder of packages."""
    calls: list[tuple[str, ...]] = []

    def npm(*words: str, cwd: Path) -> None:
        calls.append(words)
        (cwd / "node_modules").mkdir(exist_ok=True)

    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "run", npm)
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages/package-lock.json").write_text("{}")
    return tmp_path / "pages", calls


def test_starting_installs_only_what_builds_the_pages_and_tests_install_the_rest(
    project: tuple[Path, list[tuple[str, ...]]],
) -> None:
    _, calls = project
    for dev in (False, False, True, True, False):
        bootstrap.install_node_packages("pages", dev=dev)
    # The last is a start in a checkout that has what tests need: nothing is taken away from it.
    assert ["--omit=dev" in call for call in calls] == [True, False]


def test_a_new_lock_of_a_checkout_with_tests_is_installed_whole(project: tuple[Path, list[tuple[str, ...]]]) -> None:
    folder, calls = project
    bootstrap.install_node_packages("pages", dev=True)
    (folder / "package-lock.json").write_text('{"new": 1}')
    bootstrap.install_node_packages("pages", dev=False)
    assert ["--omit=dev" in call for call in calls] == [False, False]


@pytest.fixture
def commands(monkeypatch: pytest.MonkeyPatch) -> steps.Commands:
    fresh = steps.Commands()
    monkeypatch.setattr(steps, "commands", fresh)
    return fresh


def step(name: str, *command: str) -> Callable[[], None]:
    return lambda: steps.timed(name, lambda: steps.run(*command))


def test_both_sides_report_their_steps_in_whole_lines(
    commands: steps.Commands, capfd: pytest.CaptureFixture[str]
) -> None:
    def side(name: str) -> Callable[[], None]:
        def report() -> None:
            for count in range(200):
                steps.timed(f"{name} {count}", lambda: None)

        return report

    steps.side_by_side(side("one"), side("other"))
    lines = capfd.readouterr().err.splitlines()
    assert len(lines) == 400
    assert all(re.fullmatch(r"  (one|other) \d+ +\d+\.\d s", line) for line in lines)


def test_a_failing_step_names_itself_and_ends_the_other_side_with_all_it_started(
    commands: steps.Commands, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    lived = tmp_path / "lived"
    child = tmp_path / "child"
    waiting = f"(echo > {child}; sleep infinity; touch {lived}) & wait"

    def failing() -> None:
        wait_for(child.exists, "start of the other side")
        step("packages of pages", "sh", "-c", "echo no space left; exit 7")()

    def other() -> None:
        step("installer", "sh", "-c", waiting)()
        step("next", "touch", str(lived))()

    with pytest.raises(steps.SetupError, match=r"^packages of pages: [^:]* ended with 7:\nno space left"):
        steps.side_by_side(failing, other)
    assert not lived.exists()
    assert "installer" not in capfd.readouterr().err


SET_UP_THAT_WAITS = """
import sys
sys.path.insert(0, "scripts")
import bootstrap, steps
from pathlib import Path
bootstrap.TOOLS = Path(sys.argv[1])
bootstrap.set_up = lambda _: steps.side_by_side(
    lambda: steps.run("sh", "-c", f"echo $$ > {sys.argv[1]}/started; sleep infinity; touch {sys.argv[1]}/lived"),
    lambda: None,
)
sys.exit(bootstrap.main(["up"]))
"""


@pytest.mark.parametrize(
    ("asked", "began"),
    [(signal.SIGINT, ""), (signal.SIGTERM, ""), (signal.SIGTERM, "trap '' INT; ")],
    ids=["Ctrl-C", "ended", "ended in the background"],
)
def test_an_interrupted_set_up_leaves_nothing_running(tmp_path: Path, asked: signal.Signals, began: str) -> None:
    python = ["sh", "-c", f'{began}exec "$0" "$@"', sys.executable]
    with piped([*python, "-c", SET_UP_THAT_WAITS, str(tmp_path)]) as running:
        wait_for(lambda: (tmp_path / "started").is_file() and (tmp_path / "started").read_text().strip(), "start")
        running.send_signal(asked)
        _, said = running.communicate(timeout=HANG_S)
    assert running.returncode == 130
    assert said == "\nset-up interrupted: the next one continues.\n"
    assert not Path(f"/proc/{(tmp_path / 'started').read_text().strip()}").exists()


def test_a_failing_command_is_shown_with_what_it_said() -> None:
    with pytest.raises(steps.SetupError, match=r"ended with 7:\nno space left"):
        steps.run("sh", "-c", "echo no space left >&2; exit 7")


def test_a_missing_program_is_named() -> None:
    with pytest.raises(steps.SetupError, match="no-such-program"):
        steps.run("no-such-program")


def test_a_hanging_command_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(steps, "COMMAND_DEADLINE_S", 0.2)
    with pytest.raises(steps.SetupError, match="did not end within"):
        steps.run("sleep", "60")


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


@contextmanager
def piped(command: list[str]) -> Iterator[subprocess.Popen[str]]:
    """A process whose output is read. It is killed where the test ends before it."""
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def test_a_second_set_up_waits_and_goes_on_when_the_first_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD_THE_LOCK, str(tmp_path)]
    with piped([*command, "stay"]) as first:
        assert first.stdout is not None
        assert first.stdout.readline() == "alone\n"
        with piped(command) as second:
            assert second.stderr is not None
            assert "waiting for it" in second.stderr.readline()
            first.send_signal(signal.SIGKILL)
            said, _ = second.communicate(timeout=HANG_S)
    assert said == "alone\n"
    assert second.returncode == 0


def test_an_old_program_does_not_count_as_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    node = tmp_path / "node"
    node.write_text("#!/bin/sh\necho v20.20.2\n")
    node.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert bootstrap.version_of("node", "--version") == (20, 20) < bootstrap.OLDEST_NODE
    assert bootstrap.version_of("no-such-program", "--version") == (0, 0)


def node(*arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    programs = f"{ROOT / '.tools/bin'}:{os.environ['PATH']}"
    command = ["node", *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, env={**os.environ, "PATH": programs}, capture_output=True, text=True, timeout=60, check=False
    )


def test_pages_are_finished_and_measured_in_any_folder(tmp_path: Path) -> None:
    frontend = tmp_path / ODD_FOLDER / "frontend"
    shutil.copytree(ROOT / "frontend/scripts", frontend / "scripts")
    (frontend / "dist/assets").mkdir(parents=True)
    manifest = {
        "index.html": {"file": "assets/a.js", "isEntry": True, "dynamicImports": ["src/features/vm/VmPage.tsx"]},
        "src/features/vm/VmPage.tsx": {"file": "assets/b.js"},
        "echarts": {"file": "assets/echarts.js"},
    }
    for name in ("a", "b", "echarts"):
        (frontend / f"dist/assets/{name}.js").write_text("1\n" * 1000)
    (frontend / "dist/.vite").mkdir()
    (frontend / "dist/.vite/manifest.json").write_text(json.dumps(manifest))
    reference = frontend / "node_modules/swagger-ui-dist"
    reference.mkdir(parents=True)
    (reference / "package.json").write_text('{"version": "1.2"}')
    for name in ("swagger-ui-bundle.js", "swagger-ui.css"):
        (reference / name).write_text(name)
    for script in ("reference", "compress", "budget"):
        done = node(frontend / f"scripts/{script}.mjs", cwd=frontend)
        assert done.returncode == 0, done.stderr
    names = {path.name for path in (frontend / "dist/assets").iterdir()}
    assert {"a.js.gz", "swagger-ui-1.2.js.gz", "swagger-ui-1.2.css.gz"} < names


def test_building_the_pages_measures_no_size() -> None:
    scripts = json.loads((ROOT / "frontend/package.json").read_text())["scripts"]
    assert "budget" not in scripts["build"]
    commands = [check.command for check in run_checks.COMMANDS["test"]]
    assert any("check:budget" in command for command in commands)


@pytest.mark.parametrize("folder", ["frontend", "tests"])
def test_no_script_takes_a_path_from_an_address(folder: str) -> None:
    """`pathname` is percent-encoded: a blank or `ä` in the path of the checkout names another file."""
    listed = subprocess.run(["git", "ls-files", folder], cwd=ROOT, capture_output=True, text=True, check=True)
    scripts = [ROOT / name for name in listed.stdout.splitlines() if name.endswith((".ts", ".tsx", ".mjs", ".cjs"))]
    assert scripts
    guilty = [path for path in scripts if re.search(r"import\.meta\.url\)\.pathname", path.read_text(encoding="utf-8"))]
    assert guilty == []


def test_sources_of_the_pages_are_seen_below_a_folder_of_any_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / ODD_FOLDER
    for name in (
        "src/main.ts",
        "src/api/schema.d.ts",
        "styles/a.css",
        "styles/node_modules/b.js",
        "codegen/a.mjs",
        "dist/c.js",
        "index.html",
    ):
        (root / "frontend" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "frontend" / name).write_text(name)
    monkeypatch.setattr(bootstrap, "ROOT", root)
    names = {path.relative_to(root / "frontend").as_posix() for path in bootstrap.frontend_sources()}
    assert names == {"src/main.ts", "styles/a.css", "index.html"}


@pytest.fixture
def described(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, list[str]]:
    """A checkout whose backend is one file, and the programs that describe its API and make types of that."""
    made: list[str] = []

    def run(*words: str | Path, cwd: Path = tmp_path) -> None:
        if "gavel.api.openapi" in words:
            made.append("description")
            (tmp_path / bootstrap.API_DESCRIPTION).write_text((tmp_path / "backend/gavel/api.py").read_text()[:5])
        else:
            made.append("types")
            (tmp_path / bootstrap.API_TYPES).write_text("types")

    for name in ("backend/gavel/api.py", "frontend/codegen/generate.mjs", "frontend/codegen/package-lock.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "backend/requirements-dev.txt").write_text("")
    (tmp_path / bootstrap.API_TYPES).parent.mkdir(parents=True)
    (tmp_path / ".tools").mkdir()
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setattr(bootstrap, "TOOLS", tmp_path / ".tools")
    monkeypatch.setattr(bootstrap, "run", run)
    return tmp_path, made


def test_types_of_the_api_are_made_where_the_api_changed(described: tuple[Path, list[str]]) -> None:
    root, made = described
    for _ in range(2):
        bootstrap.describe_api()
    assert made == ["description", "types"]
    (root / "backend/gavel/api.py").write_text("backend, a change that is not seen from outside")
    bootstrap.describe_api()
    assert made == ["description", "types", "description"]
    (root / "backend/gavel/api.py").write_text("another API")
    (root / "frontend/node_modules").mkdir()
    bootstrap.describe_api()
    assert made[3:] == ["description", "types"]
    (root / bootstrap.API_TYPES).unlink()
    bootstrap.describe_api()
    assert made[5:] == ["types"]


def test_starting_makes_no_types_of_the_api_and_tests_do(monkeypatch: pytest.MonkeyPatch) -> None:
    steps_done: list[str] = []
    monkeypatch.setattr(bootstrap, "timed", lambda name, _: steps_done.append(name))
    monkeypatch.setattr(bootstrap, "side_by_side", lambda *sides: None)
    for purpose, makes in (("up", False), ("test", True), ("all", True)):
        steps_done.clear()
        bootstrap.set_up(purpose)
        assert ("types of the API" in steps_done) is makes


def test_no_commit_holds_what_set_up_generates() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    assert {bootstrap.API_DESCRIPTION, bootstrap.API_TYPES}.isdisjoint(listed)


def set_up_of_an_unwritable_checkout(monkeypatch: pytest.MonkeyPatch, number: int, *, fresh: bool) -> int:
    """A set-up for tests whose one step is done or not, by a user to whom the kernel refuses the lock."""

    def refused(path: Path, *_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(steps, "commands", steps.Commands())
    monkeypatch.setattr(Path, "open", refused)
    monkeypatch.setattr(
        bootstrap, "set_up", lambda _: None if fresh else steps.timed("step", lambda: steps.run("true"))
    )
    return bootstrap.main(["up"])


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_checkout_of_somebody_else_that_is_set_up_needs_no_lock(
    tools: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], number: int
) -> None:
    assert set_up_of_an_unwritable_checkout(monkeypatch, number, fresh=True) == 0
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize(("number", "why"), [(errno.EACCES, "belongs to"), (errno.EROFS, "read-only")])
def test_a_checkout_of_somebody_else_that_is_not_set_up_is_refused_in_a_sentence(
    tools: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], number: int, why: str
) -> None:
    assert set_up_of_an_unwritable_checkout(monkeypatch, number, fresh=False) == 1
    (line,) = capfd.readouterr().err.strip().splitlines()
    assert line.startswith("set-up stopped at step: ")
    assert why in line
    assert line.endswith("a folder of your own.")


def test_a_tool_that_is_offered_already_is_not_linked_again(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tools / "node"
    target.touch()
    bootstrap.link_tool("node", target)
    monkeypatch.setattr(Path, "symlink_to", lambda *_: pytest.fail("linked again"))
    bootstrap.link_tool("node", target)


@pytest.mark.parametrize(
    "said",
    [
        "WARNING: Retrying (Retry(total=4, connect=None)) after connection broken\nERROR: No matching distribution",
        "error: Failed to fetch\n  Caused by: Request failed after 3 retries\n  Caused by: dns error",
        "npm error code EAI_AGAIN\nnpm error syscall getaddrinfo",
    ],
    ids=["pip", "uv", "npm"],
)
def test_a_set_up_without_network_says_so_first(said: str) -> None:
    with pytest.raises(steps.SetupError, match=r"^a package registry cannot be reached.*HTTPS_PROXY"):
        steps.run("sh", "-c", 'printf "%s" "$0"; exit 1', said)


def test_a_step_that_takes_long_is_named_while_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    lines: queue.Queue[str] = queue.Queue()
    monkeypatch.setattr(steps, "say", lines.put)
    monkeypatch.setattr(steps, "ANNOUNCE_AFTER_S", 0.01)
    first: list[str] = []
    steps.timed("packages", lambda: first.append(lines.get(timeout=20)))
    assert first == ["  packages …"]
    assert lines.get_nowait().startswith("  packages   ")


def test_a_folder_that_no_tool_can_have_is_refused_before_anything_is_done() -> None:
    bootstrap.check_folder(Path("/home/ada") / ODD_FOLDER)
    for sign in "#?:":
        with pytest.raises(steps.SetupError, match=r"contains '.'.*Rename or move the folder"):
            bootstrap.check_folder(Path(f"/home/ada/a{sign}b/gavel"))
