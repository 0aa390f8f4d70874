"""How much room there is on the disk that the embedded servers write to, and how little is too little."""

import shutil
from pathlib import Path

# Below it Gavel does not start, and says so while it runs.
ENOUGH_BYTES = 256 * 2**20
# A piece of the database's journal: without room for one nothing is written any more.
LEAST_BYTES = 16 * 2**20
# Uploads leave this much to collecting: they are stored in the database until they are read.
_UPLOAD_FREE_BYTES, _UPLOAD_FREE_SHARE = 5 * 2**30, 0.1


def free_bytes(folder: Path) -> int:
    """What a program without privileges can still write there."""
    return shutil.disk_usage(folder).free


def has_upload_room(folder: Path) -> bool:
    """Return whether uploads may take more of the disk that holds `folder`."""
    usage = shutil.disk_usage(folder)
    return usage.free >= min(_UPLOAD_FREE_BYTES, _UPLOAD_FREE_SHARE * usage.total)
