"""Commands of findings: whatever arrays and vCenters call their objects, a shell gets each name as one argument and runs none of it."""

import inspect
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.findings.objects import DATASTORE, host

from gavel.domain.hba_modules import DEPTH_PARAMETERS
from gavel.findings import commands
from gavel.findings.model import AdviceCommand, ObjectRef

BACKEND = Path(commands.__file__).resolve().parents[1]
HOSTILE = (
    "naa.1; touch ran",
    "naa.$(touch ran)",
    "naa.`touch ran`",
    "a' ; touch ran; '",
    'a" ; touch ran; "',
    "a && touch ran # {}",
    "$HOME *",
    "{} --force=1",
    "-rf",
    "a\\",
    "a\u2019; touch ran; \u2018",
)
# As PowerShell reads a literal between single quotes: each quote inside, straight or curly, is doubled.
LITERAL = re.compile("'((?:[^'\u2018\u2019\u201a\u201b]|(['\u2018\u2019\u201a\u201b])\\2)*)'")


def named(name: str) -> ObjectRef:
    return ObjectRef(DATASTORE.kind, DATASTORE.id, name)


def offered(name: str) -> Iterator[tuple[str, AdviceCommand | None]]:
    """Every command there is, with this name wherever one can stand."""
    esx = host(1)
    yield "round_robin_options_command", commands.round_robin_options_command(esx, name, name)
    yield "capture_command", commands.capture_command(esx)
    for module in (*DEPTH_PARAMETERS, name):
        yield "module_depth_command", commands.module_depth_command(esx, module, 32, 64)
    yield "host_option_command", commands.host_option_command(esx, name, 1, 2)
    for adapter, device in ((name, None), (None, name), (None, None)):
        made = commands.path_rescan_command(esx, adapter=adapter, device=device, current=name, target=name)
        yield "path_rescan_command", made
    for devices in ((name,), (name, *HOSTILE), (name,) * 60):
        yield "dsnro_command", commands.dsnro_command(esx, devices, 32, 64)
        yield "device_queue_full_command", commands.device_queue_full_command(esx, devices)
        for current, target in (
            (name, f"VMW_PSP_RR policy={name},iops={name}"),
            (f"VMW_PSP_RR policy=latency,samplingCycles={name}", name),
            (f"LB-{name}", f"LB-RR {name}"),
        ):
            yield "path_policy_command", commands.path_policy_command(esx, devices, current, target)
    yield "sioc_command", commands.sioc_command(named(name), 30)
    yield "disk_limit_command", commands.disk_limit_command(named(name), named(name), 500)


def lines(made: AdviceCommand) -> Iterator[str]:
    yield from (line for line in (made.change, made.undo, made.shows) if line)


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the programs of an ESXi host, which only write their arguments down, one a line."""
    folder = tmp_path_factory.mktemp("esxi")
    for program in ("esxcli", "esxtop", "gzip"):
        file = folder / program
        file.write_text('#!/bin/sh\nprintf "%s\\n" "$@" >> "$ASKED"\n')
        file.chmod(0o755)
    return folder


@pytest.mark.parametrize("name", HOSTILE)
def test_commands_of_findings_give_a_hostile_name_to_a_shell_as_one_argument(
    shell: Path, tmp_path: Path, name: str
) -> None:
    asked = tmp_path / "asked"
    inside = tmp_path / "inside"
    inside.mkdir()
    esxi = [line for _, made in offered(name) if made and made.where == commands.ESXI_SHELL for line in lines(made)]
    assert len(esxi) > 30
    script = "\n".join(line.replace("/tmp/esxtop.csv.gz", "/dev/null") for line in esxi)  # noqa: S108
    environment = {"PATH": f"{shell}:/usr/bin:/bin", "ASKED": str(asked), "HOME": "/nowhere"}
    done = subprocess.run(
        ["/bin/sh", "-eu"], input=script, cwd=inside, env=environment, text=True, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr, list(inside.iterdir())) == (0, "", [])
    got = asked.read_text().splitlines()
    assert f"--device={name}" in got
    assert f"--adapter={name}" in got
    # Nothing but the options that Gavel gives, and no word of a name by itself.
    assert {word.partition("=")[0] for word in got if word.startswith("--")} <= OPTIONS


OPTIONS = {
    "--device", "--adapter", "--all", "--option", "--int-value", "--pss", "--psp", "--type", "--iops", "--num-sampling-cycles",
    "--latency-eval-time", "--sched-num-req-outstanding", "--queue-full-sample-size", "--queue-full-threshold",
}  # fmt: skip


@pytest.mark.parametrize("name", [*HOSTILE, "*", "web[01]", "vm?", "`e"])
def test_commands_of_findings_give_a_hostile_name_to_powercli_as_one_literal(name: str) -> None:
    made = [each for _, each in offered(name) if each and each.where == commands.POWERCLI]
    assert len(made) == 2
    for line in (line for each in made for line in lines(each)):
        literals = [re.sub("(['\u2018\u2019\u201a\u201b])\\1", r"\1", match[1]) for match in LITERAL.finditer(line)]
        assert set(literals) == {name}
        rest = LITERAL.sub("", line)
        assert re.fullmatch(r"[A-Za-z0-9 $|;=().,-]*", rest), rest
        # Cmdlets read these as patterns: an object named * would be every object.
        assert not (set(name) & set("*?[]`")) or "-Name '" not in line


def test_commands_of_findings_are_all_built_and_tried_together() -> None:
    builders = {
        name
        for name, function in inspect.getmembers(commands, inspect.isfunction)
        if function.__module__ == commands.__name__ and not name.startswith("_")
    }
    assert builders == {name for name, _ in offered("x")}
    elsewhere = [
        path.relative_to(BACKEND).as_posix()
        for path in BACKEND.rglob("*.py")
        if re.search(r"\bAdviceCommand\(", path.read_text(encoding="utf-8")) and path.name != "commands.py"
    ]
    assert elsewhere == []
