"""Which of the block devices that a guest names are whole disks of its own. Partitions and mapped devices count I/Os twice."""

import re

# SCSI, NVMe, virtio, Xen and IDE. `sda1`, `nvme0n1p2`, `dm-0`, `md0`, `loop0`, `ram0`, `zram0`, `sr0` and `fd0` are none.
_LINUX = re.compile(r"(?:sd|vd|xvd|hd)[a-z]{1,4}|nvme\d{1,4}n\d{1,4}")
_DRIVE = re.compile(r"[A-Za-z]:")
# The instance of a physical disk: its number and the letters of its volumes, as `0 C: D:`.
_PHYSICAL = re.compile(r"(\d{1,4})(?: .*)?")
_LETTERS = re.compile(r"\b[A-Z]:")


def is_linux_disk(name: str) -> bool:
    return _LINUX.fullmatch(name) is not None


def is_drive(name: str) -> bool:
    """A volume of Windows with a letter."""
    return _DRIVE.fullmatch(name) is not None


def physical_disk(instance: str) -> str | None:
    """`PhysicalDisk 0` for the instance `0 C: D:`, whatever letters it has; None for `_Total`."""
    match = _PHYSICAL.fullmatch(instance)
    return None if match is None else f"PhysicalDisk {match[1]}"


def drives_of(instance: str) -> str | None:
    """`C: D:` for the instance `0 C: D:`; None where no volume of the disk has a letter."""
    return " ".join(_LETTERS.findall(instance.upper())) or None
