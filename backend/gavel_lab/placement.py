"""Which host each VM runs on, as a function of time: the schedule of the estate plus the vMotions asked for at run time."""

from gavel_lab.estate import Estate


class Placement:
    """Where VMs run. Times are lab seconds since the epoch. Thread-safe."""

    def __init__(self, estate: Estate) -> None:
        raise NotImplementedError

    def host_of(self, vm: int, at: float) -> int:
        """Index of the host that runs the VM at that instant."""
        raise NotImplementedError

    def moves(self, vm: int, start: float, end: float) -> list[tuple[float, int, int]]:
        """vMotions of the VM with start <= at < end, oldest first: (at, from host, to host)."""
        raise NotImplementedError

    def move(self, vm: int, host: int, at: float) -> None:
        """vMotion `vm` to `host` from `at` on, for good. Raises ValueError where the host is not in the VM's cluster."""
        raise NotImplementedError
