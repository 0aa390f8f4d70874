"""Where a server's Unix socket lives: beside its data, or in a short folder when that path cannot be used."""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

from gavel.embedded.errors import StartError

# struct sockaddr_un: 108 bytes on Linux and 104 on macOS, the closing zero included.
MAX_SOCKET_PATH = 103


def socket_folder(home: Path, socket_name: str) -> Path:
    """Return the folder for the socket of the server whose data is in `home`.

    The answer depends on the path only, so that every process finds the same socket. PostgreSQL and its clients
    read a comma as the end of a folder's name.
    """
    if len(os.fsencode(home / socket_name)) <= MAX_SOCKET_PATH and "," not in str(home):
        return home
    digest = hashlib.sha256(os.fsencode(home)).hexdigest()[:12]
    return Path(tempfile.gettempdir()) / f"gavel-{digest}"


def ensure_private_folder(folder: Path, uid: int, gid: int) -> None:
    """Create `folder` (0700, for `uid`), or prove that the present one is ours: others may write beside it."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        pass
    else:
        os.chown(folder, uid, gid)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != uid or status.st_mode & 0o077:
        raise StartError(
            f"{folder} is needed for the server's socket but is not a private folder of user id {uid}. "
            "Remove it, or choose a shorter GAVEL_DATA_DIR so that it is not needed."
        )
