"""Numbers and names as the sentence of a cause has them."""

from collections.abc import Sequence

from gavel.db.queries.causes import DeviceLoad, DiskLoad
from gavel.diagnosis.cause import CauseObject
from gavel.diagnosis.sentences import duration

_MB = 1e6


def count(number: float) -> str:
    """ "1,500"."""
    return f"{number:,.0f}"


def percent(share: float) -> str:
    return "< 1 %" if 0 < share < 0.01 else f"{100 * min(share, 1.0):.0f} %"


def megabytes(per_s: float) -> str:
    return f"{per_s / _MB:,.0f} MB/s"


def counted(number: int, noun: str) -> str:
    """ "3 virtual disks", "1 path"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def counter_time(us: float, step_us: float) -> str:
    """A mean of a counter in steps: what it reads below its first step is not 0."""
    return f"below {duration(step_us)}" if us < step_us else duration(us)


def disk_object(load: DiskLoad) -> CauseObject:
    return CauseObject(f"{load.disk.name} of {load.vm.name}", (load.vm, load.disk))


def device_object(load: DeviceLoad) -> CauseObject:
    """A device by what it carries: its own name is a number."""
    return CauseObject(f"device {load.carried or load.device.name} on {load.host.name}", (load.host, load.device))


def names(words: Sequence[str], most: int = 3) -> str:
    """ "a, b and c", "a, b, c and 4 more"."""
    shown = list(words[:most])
    if len(words) > most:
        return f"{', '.join(shown)} and {len(words) - most} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)
