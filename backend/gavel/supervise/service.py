"""The definition of a supervised process: how to launch it, when it is ready, how to stop it."""

import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Launch:
    """A command, and the environment and subprocess.Popen options (account, working directory) it runs with."""

    argv: list[str]
    env: Mapping[str, str] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ModuleLaunch(Launch):
    """A module of ours with its arguments: forked in `folder` from where its imports are loaded already, or else run by `argv`."""

    module: str = ""
    arguments: tuple[str, ...] = ()
    folder: str = "."

    @classmethod
    def of(cls, module: str, *arguments: str, env: Mapping[str, str], folder: str) -> "ModuleLaunch":
        argv = [sys.executable, "-m", module, *arguments]
        return cls(argv, env, {"cwd": folder}, module, arguments, folder)


@dataclass(frozen=True)
class Service:
    """A process to keep running; or, with `once`, a step that runs to its end and must succeed.

    `launch` is called in a thread before every start and may prepare files; StartError ends the start with its text.
    A service is ready when `probe` (called in a thread) says so, or when `ready_line` stands in its output, or at once.
    `after` names what must be ready (or done) before it starts; it is stopped before those. `outlives` names what is to be stopped
    before it too, without needing it to start.
    """

    name: str
    launch: Callable[[], Launch]
    after: tuple[str, ...] = ()
    outlives: tuple[str, ...] = ()
    probe: Callable[[], bool] | None = None
    ready_line: str | None = None
    once: bool = False
    # A step that is done again whenever one of its `after` was restarted.
    repeat: bool = False
    # Long enough for a busy machine: what hangs is seen in `gavel up` long before.
    start_timeout_s: float | None = 180.0
    # What it prints is for the person at the terminal too.
    shows_output: bool = False
    # Lines holding one of these go to the log file only.
    known_noise: tuple[str, ...] = ()
    stop_signal: signal.Signals = signal.SIGTERM
    stop_timeout_s: float = 3.0
    # What follows when it has not stopped in time.
    force_signal: signal.Signals = signal.SIGKILL
    # How long a start waits while the modules that services share are still being loaded. After that it loads its own.
    waits_for_shared_modules_s: float = 60.0
    # How far it stands back for the others where the cores are busy: 0 not at all, 19 the furthest.
    niceness: int = 0


def in_order(services: list[Service]) -> list[Service]:
    """The services so that each comes after those it needs. Raises ValueError for an unknown name or a circle."""
    by_name = {service.name: service for service in services}
    ordered: dict[str, Service] = {}

    def visit(name: str, above: tuple[str, ...]) -> None:
        if name in above:
            raise ValueError(f"services wait for each other: {' → '.join((*above, name))}")
        if name not in by_name:
            raise ValueError(f"{above[-1]} is to start after {name!r}, which is not a service")
        for needed in by_name[name].after:
            visit(needed, (*above, name))
        ordered.setdefault(name, by_name[name])

    for service in services:
        visit(service.name, ())
    return list(ordered.values())
