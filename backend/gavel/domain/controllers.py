"""How many I/Os a virtual controller lets the guest have at one of its disks at once."""

from collections.abc import Mapping

# Per disk, unless somebody set it otherwise in the guest; NVMe and SATA say nothing to go by.
QUEUE_LIMITS: Mapping[str, int] = {"PVSCSI": 64, "LSI Logic SAS": 32, "LSI Logic": 32, "BusLogic": 32}
