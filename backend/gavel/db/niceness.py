"""Sessions of a database on this machine wait for its processors as long as the process they work for does.

Otherwise what `worker-back` computes at a lower priority is read and written at the usual one, ahead of live reading and pages.
"""

import os
from pathlib import Path
from typing import Any


def share_niceness(connection: Any) -> None:
    """Gives the server's process of a psycopg connection the niceness of this one, where it is one of this machine and may be changed."""
    niceness = os.getpriority(os.PRIO_PROCESS, 0)
    server = connection.info
    if niceness <= 0 or not server.host.startswith("/") or not _is_of_postgres(server.backend_pid):
        return
    try:
        os.setpriority(os.PRIO_PROCESS, server.backend_pid, niceness)
    except OSError:  # another account's, or gone: it works as well at the usual priority
        return


def _is_of_postgres(pid: int) -> bool:
    """False where the server counts its processes by itself, as in a container whose socket is shared, or on systems without /proc."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().startswith(b"postgres:")
    except OSError:
        return False
