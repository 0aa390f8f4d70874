"""What of the services' output reaches the terminal."""

import io
import json
from pathlib import Path

import pytest

from gavel.supervise.output import ServiceLog, Terminal

FULL = "No space left on device"
# As they really come from a database, a broker's client and a worker, every few seconds each.
OF_A_FULL_DISK = (
    f'2026-11-22 02:29 UTC [7] ERROR:  could not extend file "base/1/2": {FULL}',
    json.dumps(
        {"event": f"Couldn't apply scheduled task: MISCONF Errors writing to the AOF file: {FULL}", "level": "error"}
    ),
    json.dumps({"event": "Task raised unexpected", "level": "error", "exception": f"Traceback …\nDiskFull: {FULL}"}),
)


@pytest.mark.parametrize("verbose", [False, True])
def test_a_full_disk_is_told_by_the_supervisor_alone(tmp_path: Path, verbose: bool) -> None:
    """However many services find out, however often; every line of theirs is in their logs, and on a terminal that wants all."""
    shown, found = io.StringIO(), []
    log = ServiceLog("worker", tmp_path, Terminal(shown, verbose=verbose), lambda: found.append(True))
    for line in (*OF_A_FULL_DISK, "WARNING: something else"):
        log.feed(f"{line}\n".encode())
    log.close()
    assert len(found) == len(OF_A_FULL_DISK)
    assert shown.getvalue().count(FULL) == (len(OF_A_FULL_DISK) if verbose else 0)
    assert "something else" in shown.getvalue()
    assert (tmp_path / "worker.log").read_text().count(FULL) == len(OF_A_FULL_DISK)
