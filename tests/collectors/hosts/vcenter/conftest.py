"""Peers of the collector: a vCenter that answers by script, the govmomi simulator, and the lab as a process."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from tests.collectors.hosts.vcenter.script import Script, hang_up
from tests.collectors.tls import Identity, make_identity, tls_server
from tests.conftest import ROOT, missing
from tests.waiting import HANG_S, exit_code

from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.collector import VcenterCollector
from gavel.collectors.hosts.vcenter.settings import VcenterSettings

USER, PASSWORD = "gavel@vsphere.local", "correct-horse"


@pytest.fixture(scope="session")
def identity(tmp_path_factory: pytest.TempPathFactory) -> Identity:
    return make_identity(tmp_path_factory.mktemp("tls"))


@dataclass
class Scripted:
    """A scripted vCenter. `settings` connect to it; its clients are closed after the test."""

    script: Script
    settings: VcenterSettings
    open: list[VcenterClient] = field(default_factory=list)

    def client(self, **changed: Any) -> VcenterClient:
        """A client with these settings, some of them changed."""
        self.open.append(VcenterClient(self.settings.model_copy(update=changed)))
        return self.open[-1]


@pytest.fixture
def scripted(identity: Identity) -> Iterator[Scripted]:
    script = Script()
    with tls_server(identity, script.talk) as server:
        settings = VcenterSettings(
            address=server.address,
            username=USER,
            password=SecretStr(PASSWORD),
            fingerprint_sha256=identity.fingerprint,
        )
        peer = Scripted(script, settings)
        yield peer
        script.answers["Logout"] = [hang_up]  # whatever the test planned: the end is not what it is about
        for client in peer.open:
            client.close()


# --- the govmomi simulator ----------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def vcsim() -> Iterator[VcenterSettings]:
    """Settings of a vCenter of the simulator: 3 hosts, 8 VMs."""
    if shutil.which(os.environ.get("GO", "go")) is None:
        missing("The vCenter simulator needs Go 1.25 or newer: install it, or set GO to its path.")
    built = subprocess.run(["tests/peers/vcsim/build.sh"], cwd=ROOT, capture_output=True, text=True, check=False)
    if built.returncode:
        missing(f"The vCenter simulator does not build: {built.stderr[-500:]}")
    command = [built.stdout.strip(), "-user", USER, "-password", PASSWORD]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as peer:
        assert peer.stdin is not None
        assert peer.stdout is not None
        address, fingerprint = peer.stdout.readline().split()
        yield VcenterSettings(
            address=address, username=USER, password=SecretStr(PASSWORD), fingerprint_sha256=fingerprint
        )
        with contextlib.suppress(BrokenPipeError):
            peer.stdin.close()
        exit_code(peer)


# --- the lab ------------------------------------------------------------------------------------------------------------


@dataclass
class Lab:
    """The lab in its default size. `vcenters`: name → settings, as it announces them."""

    vcenters: dict[str, VcenterSettings]
    truth: str
    token: str
    open: list[VcenterCollector] = field(default_factory=list)

    def collector(self, name: str) -> VcenterCollector:
        collector = VcenterCollector(self.vcenters[name])
        self.open.append(collector)
        return collector

    def fault(self, source: str, kind: str, **parameters: Any) -> None:
        """Puts a fault in force; `match` limits it to requests that hold a text, `count` to so many of them."""
        self._ask("POST", {"source": source, "kind": kind, **parameters})

    def heal_faults(self) -> None:
        self._ask("DELETE")

    def heal(self) -> None:
        self.heal_faults()
        while self.open:
            self.open.pop().close()

    def _ask(self, method: str, body: dict[str, Any] | None = None) -> None:
        data = None if body is None else json.dumps(body).encode()
        headers = {"X-Lab-Token": self.token}
        request = urllib.request.Request(f"{self.truth}/faults", data=data, headers=headers, method=method)  # noqa: S310 - loopback
        with urllib.request.urlopen(request, timeout=HANG_S):  # noqa: S310
            pass


@pytest.fixture(scope="session")
def running_lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """`python -m gavel_lab` on free ports. Its clock is ahead of every stamp the tests ask for."""
    folder: Path = tmp_path_factory.mktemp("lab")
    announced = folder / "sources.json"
    command = [
        sys.executable,
        "-m",
        "gavel_lab",
        "--port",
        "0",
        "--data-dir",
        str(folder),
        "--announce",
        str(announced),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = []
        for line in process.stdout:
            lines.append(line)
            if line.rstrip().endswith("serving"):
                break
        try:
            truth = re.search(r"http://\S+", "".join(lines))
            assert truth, f"the lab did not start: {lines}"
            token = (folder / "truth-token").read_text()
            yield Lab(_vcenters(json.loads(announced.read_text())), truth[0], token)
        finally:
            process.terminate()
            process.communicate(timeout=HANG_S)


def _vcenters(announcement: list[dict[str, Any]]) -> dict[str, VcenterSettings]:
    return {
        source["name"]: VcenterSettings(
            address=source["address"],
            username=source["settings"]["username"],
            password=source["settings"]["password"],
            fingerprint_sha256=source["settings"]["tls_sha256"],
        )
        for source in announcement
        if source["kind"] == "vcenter"
    }


@pytest.fixture
def lab(running_lab: Lab) -> Iterator[Lab]:
    """The lab without faults of earlier tests; collectors opened through it are closed."""
    running_lab.heal()
    yield running_lab
    running_lab.heal()


@pytest.fixture(scope="module")
def past() -> tuple[datetime, datetime]:
    """A window long enough ago to be complete whatever a source's clock says."""
    end = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=6)
    return end - timedelta(minutes=4), end
