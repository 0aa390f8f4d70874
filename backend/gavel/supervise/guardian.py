"""Outlives its supervisor by a moment, to end whatever that left behind. Run as a script; standard library only.

Our argument is the number of seconds that children have to stop by themselves. The supervisor writes one line per
child to our standard input: `+PID SIGNAL` when it starts (PID leads its process group), `-PID` when it is gone. End of
input means that the supervisor is gone, however it ended: every group still listed gets its signal, and after these
seconds is killed. The supervisor's lock file is among our inherited descriptors, so the data directory stays taken
until nothing is left.
"""

import os
import signal
import sys
import time
from collections.abc import Callable

_STEP_S = 0.05


def main() -> None:
    """Keep the list until the supervisor is gone, then clear up."""
    for ignored in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(ignored, signal.SIG_IGN)
    groups: dict[int, int] = {}
    for line in sys.stdin:
        number, _, stop_signal = line[1:].partition(" ")
        if line.startswith("+"):
            groups[int(number)] = int(stop_signal)
        else:
            groups.pop(int(number), None)
    clear_up(groups, float(sys.argv[1]))


def clear_up(groups: dict[int, int], grace_s: float) -> None:
    """Signal the leader of each group, wait until all members are gone, kill those that stay longer."""
    for leader, stop_signal in groups.items():
        _signal(os.kill, leader, stop_signal)
    deadline = time.monotonic() + grace_s
    while time.monotonic() < deadline and any(_is_alive(group) for group in groups):
        time.sleep(_STEP_S)
    for group in groups:
        _signal(os.killpg, group, signal.SIGKILL)


def _is_alive(group: int) -> bool:
    return _signal(os.killpg, group, 0)


def _signal(send: Callable[[int, int], None], target: int, number: int) -> bool:
    try:
        send(target, number)
    except ProcessLookupError:
        return False
    except PermissionError:  # the number belongs to a stranger by now
        return False
    return True


if __name__ == "__main__":
    main()
