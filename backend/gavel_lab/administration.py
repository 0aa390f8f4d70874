"""What administrators of the lab have set at run time, beside what was built: options and services of hosts, SIOC of datastores.

Only what differs from the build is kept. `POST /faults` fills it (`gavel_lab.faults`); the protocol servers ask.
"""

import threading
from dataclasses import dataclass, field

from gavel_lab.environment import Environment

# name -> (least, most, usual): what ESXi 8.0.1 (build 22513723) defines.
HOST_OPTIONS: dict[str, tuple[int, int, int]] = {
    "Disk.DelayOnBusy": (0, 5000, 400),
    "Disk.DiskMaxIOSize": (32, 32767, 32767),
    "Disk.MaxLUN": (1, 2**32 - 1, 1024),
    "Disk.PathEvalTime": (0, 31_536_000, 300),
    "Disk.QFullSampleSize": (0, 64, 0),
    "Disk.QFullThreshold": (1, 16, 8),
    "Disk.SchedCostUnit": (4096, 262_144, 32_768),
    "Disk.SchedQControlSeqReqs": (0, 2048, 128),
    "Disk.SchedQControlVMSwitches": (0, 2048, 6),
    "Disk.SchedQuantum": (1, 64, 8),
    "Misc.EnablePSPLatencyPolicy": (0, 1, 1),
}


@dataclass(frozen=True)
class Sioc:
    """Storage I/O Control of a datastore."""

    is_on: bool = False
    threshold_ms: int = 30


@dataclass
class Administration:
    """Thread-safe. `version` rises with every change."""

    environment: Environment
    version: int = 0
    _options: dict[tuple[int, str], int] = field(default_factory=dict)
    _ntp_stopped: set[int] = field(default_factory=set)
    _sioc: dict[int, Sioc] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def option(self, host: int, name: str) -> int:
        """The value of an advanced option of a host."""
        return self._options.get((host, name), HOST_OPTIONS[name][2])

    def is_ntp_running(self, host: int) -> bool:
        return host not in self._ntp_stopped

    def sioc(self, datastore: int) -> Sioc:
        return self._sioc.get(datastore, Sioc())

    def set_option(self, host: int, name: str, value: int) -> None:
        """Raises ValueError, as a host refuses what its own definition does not allow."""
        if name not in HOST_OPTIONS:
            raise ValueError(f"no option is called {name!r}")
        least, most, _ = HOST_OPTIONS[name]
        if not least <= value <= most:
            raise ValueError(f"{name} is {least} to {most}, not {value}")
        with self._lock:
            self._options[host, name] = value
            self.version += 1

    def set_ntp(self, host: int, *, running: bool) -> None:
        with self._lock:
            self._ntp_stopped = self._ntp_stopped - {host} if running else self._ntp_stopped | {host}
            self.version += 1

    def set_sioc(self, datastore: int, sioc: Sioc) -> None:
        """Raises ValueError: vVol datastores have none, and a threshold is 5 to 100 ms."""
        if self.environment.datastores[datastore].kind == "vvol":
            raise ValueError(f"{self.environment.datastores[datastore].name} is a vVol datastore, which has no SIOC")
        if not 5 <= sioc.threshold_ms <= 100:
            raise ValueError(f"threshold_ms is 5 to 100, not {sioc.threshold_ms}")
        with self._lock:
            self._sioc[datastore] = sioc
            self.version += 1
