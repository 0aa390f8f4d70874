"""govc, as its own authors wrote it, against both vCenters of the lab: what it prints, and that what is refused is an error."""

import json
import os
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.lab.vcenter.labs import WITH_A_TASK, Place, serving
from tests.peers.programs import RUN_DEADLINE_S, built


@pytest.fixture(scope="module")
def program() -> Path:
    return built("govc")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Place, Place]]:
    with serving(tmp_path_factory.mktemp("lab")) as both:
        yield both


@pytest.fixture(scope="module", params=[0, 1], ids=["8.0.3", "9.0.1"])
def place(request: pytest.FixtureRequest, places: tuple[Place, Place]) -> Place:
    return places[request.param]


def govc(program: Path, place: Place, *arguments: str) -> subprocess.CompletedProcess[str]:
    account = {
        "GOVC_URL": f"https://{place.address}/sdk",
        "GOVC_USERNAME": place.vcenter.username,
        "GOVC_PASSWORD": place.vcenter.password,
        "GOVC_INSECURE": "1",
        "GOVC_PERSIST_SESSION": "false",
    }
    return subprocess.run(
        [str(program), *arguments],
        capture_output=True, text=True, timeout=RUN_DEADLINE_S, env={**os.environ, **account}, check=False,
    )  # fmt: skip


def told(program: Path, place: Place, *arguments: str) -> Any:
    """What a command prints as JSON."""
    name, *rest = arguments
    done = govc(program, place, name, "-json", *rest)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_paths_have_the_name_of_the_inventory_and_that_of_their_counters(program: Path, place: Place) -> None:
    environment = place.lab.environment
    for host in (host for host in environment.hosts if host.vcenter == place.vcenter.index):
        found = told(program, place, "host.esxcli", "-host", host.name, "storage", "core", "path", "list")
        names = {row["RuntimeName"][0]: (row["UID"][0], row["Device"][0]) for row in found["values"]}
        devices = [environment.devices[index] for index in host.devices]
        assert names == {
            environment.paths[at].name: (environment.paths[at].uid, device.name)
            for device in devices
            for at in device.paths
        }


def test_a_host_tells_its_version_and_its_time(program: Path, place: Place) -> None:
    host = next(host for host in place.lab.environment.hosts if host.vcenter == place.vcenter.index)
    found = told(program, place, "host.esxcli", "-host", host.name, "system", "version", "get")
    (version,) = found["values"]
    assert (version["Version"], version["Build"]) == ([host.version], [f"Releasebuild-{host.build}"])
    clock = told(program, place, "host.date.info", "-host", host.name)
    shown = datetime.fromisoformat(clock["current"])
    assert abs(shown.timestamp() - place.lab.clocks.hosts[host.index].now()) < 60
    assert shown.utcoffset() == datetime.now(UTC).utcoffset()
    assert clock["service"]["key"] == "ntpd"


def test_who_holds_which_role_is_told(program: Path, place: Place) -> None:
    done = govc(program, place, "permissions.ls")
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()[1:]]
    name, _, domain = place.vcenter.username.partition("@")
    assert ["ReadOnly", "/", f"{domain.upper()}\\{name}", "Yes"] in rows


def test_recent_tasks_of_an_account_are_told_and_those_of_the_vcenter_itself_are_not(
    program: Path, tmp_path: Path
) -> None:
    with serving(tmp_path, WITH_A_TASK) as both:
        told_tasks = [_tasks_told(program, place) for place in both]
    assert sorted(told_tasks) == [[], [["VirtualMachine.consolidateDisks", "general-03", "svc-backup"]]]


def _tasks_told(program: Path, place: Place) -> list[list[str]]:
    """Task, target and account of each."""
    done = govc(program, place, "tasks")
    assert done.returncode == 0, done.stderr
    return [line.split()[:3] for line in done.stdout.splitlines()[1:]]


@pytest.mark.parametrize("command", ["license.ls", "logs", "logs.ls"])
def test_what_a_read_only_account_may_not_see_is_an_error_and_no_crash(
    program: Path, place: Place, command: str
) -> None:
    done = govc(program, place, command)
    assert done.returncode == 1
    assert "panic" not in done.stderr
    assert "ermission" in done.stderr


def test_an_unknown_command_of_esxcli_is_refused_in_the_words_of_a_host(program: Path, place: Place) -> None:
    host = next(host for host in place.lab.environment.hosts if host.vcenter == place.vcenter.index)
    done = govc(program, place, "host.esxcli", "-host", host.name, "network", "vm", "list")
    assert done.returncode == 1
    assert "The object or item referred to could not be found." in done.stderr


def test_tags_are_listed_with_their_category(program: Path, place: Place) -> None:
    done = govc(program, place, "tags.ls")
    assert done.returncode == 0, done.stderr
    rows = {tuple(line.split()) for line in done.stdout.splitlines()}
    assert {("production", "environment"), ("daily", "backup")} <= rows


def test_objects_of_a_tag_and_tags_of_an_object_are_listed(program: Path, place: Place) -> None:
    vm = next(vm for vm in place.lab.environment.vms if vm.vcenter == place.vcenter.index)
    by_tag = govc(program, place, "tags.attached.ls", "-l", "daily")
    assert by_tag.returncode == 0, by_tag.stderr
    assert f"VirtualMachine:{vm.moref}" in by_tag.stdout
    by_object = govc(program, place, "tags.attached.ls", "-r", f"VirtualMachine:{vm.moref}")
    assert by_object.returncode == 0, by_object.stderr
    assert {"production", "daily"} <= set(by_object.stdout.split())
