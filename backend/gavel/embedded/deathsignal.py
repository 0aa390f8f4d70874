"""Ties a child's life to its parent's: the kernel signals the child when the parent dies, even by kill -9."""

import ctypes
import os
import signal
import sys
from collections.abc import Callable

_PR_SET_PDEATHSIG = 1


def with_parent(death_signal: signal.Signals) -> Callable[[], None]:
    """Return a ``preexec_fn`` that asks Linux for `death_signal` at the death of the thread that forks.

    Everything is looked up before the fork, so that the child only makes two system calls. Elsewhere than on Linux
    it does nothing: there the guardian (see supervise.guardian) is the only protection.
    """
    if not sys.platform.startswith("linux"):
        return lambda: None
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    parent = os.getpid()

    def set_death_signal() -> None:
        prctl(_PR_SET_PDEATHSIG, int(death_signal), 0, 0, 0)
        if os.getppid() != parent:  # the parent died between fork and prctl: nobody would signal us any more
            os._exit(1)

    return set_death_signal
