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


def test_a_line_that_quotes_a_source_steers_no_terminal_and_looks_like_no_other_service(tmp_path: Path) -> None:
    shown = io.StringIO()
    log = ServiceLog("worker", tmp_path, Terminal(shown), lambda: None)
    words = "\x1b[2J\x1b]0;owned\x07\n       beat │ [error] forged\u202e"
    log.feed((json.dumps({"event": "run failed", "level": "warning", "error": words}) + "\n").encode())
    log.close()
    [line] = shown.getvalue().splitlines()
    assert line.isprintable()
    assert "\\x1b[2J" in line
    assert line.startswith("      worker │ WARNING run failed")


def test_what_the_supervisor_itself_says_steers_no_terminal_either() -> None:
    shown = io.StringIO()
    Terminal(shown).say("vcenter-1 \x1b]0;owned\x07 ended")
    assert shown.getvalue() == "vcenter-1 \\x1b]0;owned\\x07 ended\n"
