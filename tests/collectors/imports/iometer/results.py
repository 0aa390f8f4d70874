"""The CSV of Iometer, made from its grammar; versions before 1.1 have no decimal MBps and no latency bins."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

COLUMNS_11: Final = (
    *(
        "Target Type",
        "Target Name",
        "Access Specification Name",
        "# Managers",
        "# Workers",
        "# Disks",
        "IOps",
        "Read IOps",
    ),
    *(
        "Write IOps",
        "MiBps (Binary)",
        "Read MiBps (Binary)",
        "Write MiBps (Binary)",
        "MBps (Decimal)",
        "Read MBps (Decimal)",
    ),
    *("Write MBps (Decimal)", "Transactions per Second", "Connections per Second", "Average Response Time"),
    *(
        "Average Read Response Time",
        "Average Write Response Time",
        "Average Transaction Time",
        "Average Connection Time",
    ),
    *("Maximum Response Time", "Maximum Read Response Time", "Maximum Write Response Time", "Maximum Transaction Time"),
    *(
        "Maximum Connection Time",
        "Errors",
        "Read Errors",
        "Write Errors",
        "Bytes Read",
        "Bytes Written",
        "Read I/Os",
        "Write I/Os",
    ),
    *(
        "Connections",
        "Transactions per Connection",
        "Total Raw Run Time",
        "Starting Sector",
        "Maximum Size",
        "Queue Depth",
    ),
    "% CPU Utilization",
)
COLUMNS_2006: Final = tuple(name.replace("MiBps (Binary)", "MBps") for name in COLUMNS_11 if "Decimal" not in name)
WHOLE = {
    "Target Type": "ALL",
    "Target Name": "All",
    "Access Specification Name": "8K; 75% Read; 100% random",
    "# Managers": "1",
    "# Workers": "2",
    "# Disks": "2",
    "IOps": "2000.000000",
    "Read IOps": "1500.000000",
    "Write IOps": "500.000000",
    "Average Response Time": "0.500000",
    "Average Read Response Time": "0.400000",
    "Average Write Response Time": "0.800000",
    "Maximum Response Time": "9.000000",
    "Maximum Read Response Time": "9.000000",
    "Maximum Write Response Time": "7.000000",
    "Errors": "0",
    "Bytes Read": str(90_000 * 8192),
    "Bytes Written": str(30_000 * 8192),
    "Read I/Os": "90000",
    "Write I/Os": "30000",
    "Queue Depth": "16",
}


_UNCHANGED: Final = MappingProxyType[str, str]({})


def row(changed: Mapping[str, str] = _UNCHANGED, columns: Sequence[str] = COLUMNS_11) -> str:
    return ",".join((WHOLE | dict(changed)).get(name, "") for name in columns)


def block(
    *rows: str,
    size: str = "8192,100,75,100,0,1,0,0",
    ended: str = "2026-03-14 09:31:30:250",
    columns: Sequence[str] = COLUMNS_11,
) -> str:
    """One test: its access specification, rows of all levels, and when it ended."""
    return (
        "'Time Stamp\n2026-03-14 09:30:20:100\n'Access specifications\n'Access specification name,default assignment\n"
        f"8K; 75% Read; 100% random,NONE\n'size,% of size,% reads,% random,delay,burst,align,reply\n{size}\n"
        f"'End access specifications\n'Results\n'{','.join(columns)}\n" + "\n".join(rows) + f"\n'Time Stamp\n{ended}\n"
    )


def results(*blocks: str, version: str = "1.1.0 ") -> str:
    return f"'Test Type,Test Description\n0,\n'Version\n{version}\n" + "".join(blocks)
