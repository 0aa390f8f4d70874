"""Loads our modules once and forks each process of `gavel up` from there: they share what is loaded, and start at once.

    python -m gavel.supervise.preload DESCRIPTOR MODULE…

The socket DESCRIPTOR first gets `GREETING` when all modules are loaded. Then each request (a `ForkRequest` as JSON, with the descriptor for
its output) is answered with a process id. The new process is a child of the supervisor, which adopts orphans for this (see
`supervise.forks`). It outlives this process, and runs its module as `python -m` would.
"""

import ctypes
import gc
import importlib
import json
import os
import runpy
import socket
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import setproctitle

from gavel.jobs import memory

READY_LINE = "modules are loaded"
GREETING = b"loaded"
MOST_BYTES = 1 << 16
_PR_SET_PDEATHSIG = 1
_ADOPTION_S = 5.0


@dataclass(frozen=True)
class ForkRequest:
    """A module to run, its arguments and working directory. death_signal: what it gets when its parent `parent` dies."""

    module: str
    arguments: tuple[str, ...]
    folder: str
    niceness: int
    death_signal: int
    parent: int

    def to_bytes(self) -> bytes:
        return json.dumps(asdict(self)).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> "ForkRequest":
        fields = json.loads(data)
        return cls(**{**fields, "arguments": tuple(fields["arguments"])})


def main(link: socket.socket, modules: Sequence[str]) -> None:
    """Load, then fork until whoever asks is gone. In a forked process it returns after that has run its module."""
    for module in modules:
        importlib.import_module(module)
    # What is loaded by now stays: the collector of garbage need not look at it, so that all go on sharing it.
    gc.collect()
    gc.freeze()
    # Loading leaves 40 MB of free memory between what stays, which each process would copy as it fills it.
    memory.give_back()
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    link.send(GREETING)
    sys.stdout.write(f"{READY_LINE}\n")
    sys.stdout.flush()
    while True:
        data, descriptors, _, _ = socket.recv_fds(link, MOST_BYTES, 1)
        if not data:
            return
        request, (output,) = ForkRequest.from_bytes(data), descriptors
        pid = _fork_orphan()
        if pid == 0:
            link.close()
            _settle(request, output, prctl)
            _run(request)
            return
        os.close(output)
        link.send(str(pid).encode())


def _fork_orphan() -> int:
    """Fork by way of a process that ends at once. The process id of the orphan; 0 in the orphan itself."""
    reader, writer = os.pipe()
    between = os.fork()
    if between == 0:
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            os.close(writer)
            return 0
        os.write(writer, str(pid).encode())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as answer:
        pid = int(answer.read())
    os.waitpid(between, 0)
    return pid


def _settle(request: ForkRequest, output: int, prctl: "ctypes._NamedFuncPointer") -> None:
    """A session of its own, the parent's death as its own, and its own output, folder and title."""
    os.setsid()
    deadline = time.monotonic() + _ADOPTION_S
    while os.getppid() != request.parent and time.monotonic() < deadline:
        time.sleep(0.001)
    # Not before: the end of the process between would be taken for the parent's.
    prctl(_PR_SET_PDEATHSIG, request.death_signal, 0, 0, 0)
    if os.getppid() != request.parent:  # it died meanwhile, and somebody else has adopted us
        os._exit(1)
    if request.niceness:
        os.nice(request.niceness)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for target, source in ((0, nothing), (1, output), (2, output)):
        os.dup2(source, target)
    os.close(nothing)
    os.close(output)
    os.chdir(request.folder)
    setproctitle.setproctitle(" ".join([sys.executable, "-m", request.module, *request.arguments]))


def _run(request: ForkRequest) -> None:
    sys.argv[1:] = request.arguments
    runpy.run_module(request.module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
