"""CPU seconds and memory of the processes of a product, service by service."""

import os
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tests.product.running import Product

# It stands for other machines.
LAB = "lab"
DATABASE = "database"
SUPERVISOR = "supervisor"
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Memory:
    """Bytes: proportional share, shared with others, and its own."""

    pss: int = 0
    shared: int = 0
    private: int = 0

    def __add__(self, other: "Memory") -> "Memory":
        return Memory(self.pss + other.pss, self.shared + other.shared, self.private + other.private)


def cpu_s(product: Product) -> dict[str, float]:
    """CPU seconds of each service since it was started, those of its children that have ended included."""
    spent = {SUPERVISOR: spent_s(product.supervisor, with_ended=False)}
    for name, pids in services(product).items():
        spent[name] = sum(spent_s(pid) for pid in pids)
    return spent


def memory(product: Product) -> dict[str, Memory]:
    """What each service holds."""
    held = {SUPERVISOR: _held([product.supervisor])}
    return held | {name: _held(pids) for name, pids in services(product).items()}


def services(product: Product) -> Mapping[str, list[int]]:
    """Processes of each running service, its children after it."""
    found: dict[str, list[int]] = defaultdict(list)
    for part in product.parts():
        found[part.service].append(part.pid)
    return found


def wait_for_nobody(product: Product) -> None:
    """Lets the lab answer at once, as machines with processors of their own do; on this one it has the lowest priority otherwise.

    PermissionError where whoever runs this may not.
    """
    for pid in services(product)[LAB]:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.setpriority(os.PRIO_PROCESS, int(thread.name), 0)


def spent_s(pid: int, *, with_ended: bool = True) -> float:
    """In user and system mode; 0 for a process that has ended meanwhile, whose time its parent has then."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    own, ended = sum(map(int, fields[11:13])), sum(map(int, fields[13:15]))
    return (own + (ended if with_ended else 0)) / _TICKS_PER_S


def _held(pids: Iterable[int]) -> Memory:
    total = Memory()
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
        except OSError:
            continue
        kib = {line.split(":")[0]: int(line.split()[1]) for line in lines}
        total += Memory(
            kib["Pss"] * 1024,
            (kib["Shared_Clean"] + kib["Shared_Dirty"]) * 1024,
            (kib["Private_Clean"] + kib["Private_Dirty"]) * 1024,
        )
    return total
