"""How much room there is on the disk that the embedded servers write to, and how little is too little."""

import shutil
from pathlib import Path

# Below it Gavel does not start, and says so while it runs.
ENOUGH_BYTES = 256 * 2**20
# A piece of the database's journal: without room for one nothing is written any more.
LEAST_BYTES = 16 * 2**20


def free_bytes(folder: Path) -> int:
    """What a program without privileges can still write there."""
    return shutil.disk_usage(folder).free
