"""Labs whose clock stands still, served over TLS, and clients nobody here wrote logged in to them."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyVim.connect import Disconnect, SmartConnect

from gavel_lab.clocks import LabTime
from gavel_lab.environment import VCenter
from gavel_lab.lab import Lab, create_lab
from gavel_lab.sources import serve_lab
from gavel_lab.stories import PHASES

AT = 1_795_213_032.831  # 2026-11-20T22:17:12Z, in the second quarter of an hour

# A minute after disks of a VM began to be consolidated, which takes ten.
WITH_A_TASK = AT // 3600 * 3600 + 60 * (next(phase.start_minute for phase in PHASES if phase.task) + 1)


@dataclass(frozen=True)
class Place:
    """One vCenter of a served lab."""

    lab: Lab
    vcenter: VCenter
    port: int
    certificate: Path

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @contextmanager
    def connection(self, password: str | None = None) -> Iterator[Any]:
        """An unchanged pyVmomi, logged in, checking the certificate."""
        instance = SmartConnect(
            host="127.0.0.1",
            port=self.port,
            user=self.vcenter.username,
            pwd=self.vcenter.password if password is None else password,
            sslContext=ssl.create_default_context(cafile=str(self.certificate)),
        )
        try:
            yield instance
        finally:
            Disconnect(instance)
            instance._stub.DropConnections()


@contextmanager
def serving(folder: Path, at: float = AT, speed: float = 0.0) -> Iterator[tuple[Place, Place]]:
    """The default environment's vCenters: 8.0.3, then 9.0.1."""
    lab = create_lab(lab_time=LabTime(at, speed))
    served = serve_lab(lab, 0, folder)
    ports = [one.port for one in served.listeners[len(lab.environment.arrays) :]]
    try:
        old, new = (
            Place(lab, vcenter, port, folder / "tls" / f"{vcenter.name}.crt")
            for vcenter, port in zip(lab.environment.vcenters, ports, strict=True)
        )
        yield old, new
    finally:
        served.stop()
