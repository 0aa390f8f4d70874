"""Puts every source of a lab on its port, the truth port last, and tells where they are."""

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from gavel_lab import truth
from gavel_lab.flasharray import server as flasharray
from gavel_lab.lab import Lab
from gavel_lab.serve import App, Listener, Source
from gavel_lab.tls import identity
from gavel_lab.vcenter import server as vcenter

Announcement = dict[str, object]


@dataclass(frozen=True)
class Served:
    """A running lab. `announcement` is what `--announce` writes; `truth` is the truth port's listener."""

    listeners: tuple[Listener, ...]
    truth: Listener
    announcement: list[Announcement]

    def stop(self) -> None:
        """Stop accepting on every port, at the same time: each takes a moment to hear of it."""
        listeners = (*self.listeners, self.truth)
        with ThreadPoolExecutor(len(listeners)) as pool:
            list(pool.map(Listener.stop, listeners))


def serve_lab(lab: Lab, port: int, data_dir: Path) -> Served:
    """Serve arrays, then vCenters, then the truth on port, port + 1, ...; on any free ports where `port` is 0.

    Raises OSError that names the port that is taken; nothing stays open then.
    """
    plans = [*_array_plans(lab), *_vcenter_plans(lab)]
    identities = [identity(data_dir / "tls", plan.name) for plan in plans]
    wrong = [identity(data_dir / "tls", f"{plan.name}-wrong") for plan in plans]
    sources = [
        Source(plan.name, plan.app, plan.now, right.context, other.context)
        for plan, right, other in zip(plans, identities, wrong, strict=True)
    ]
    listeners = _open_all(
        lab, port, [*sources, Source("truth", truth.create(lab, truth.make_token(data_dir)), lab.clocks.lab_time.now)]
    )
    announcement: list[Announcement] = [
        {
            "kind": plan.kind,
            "name": plan.name,
            "address": listener.address,
            "settings": {**plan.settings, "tls_sha256": own.sha256},
        }
        for plan, listener, own in zip(plans, listeners, identities, strict=False)
    ]
    return Served(tuple(listeners[:-1]), listeners[-1], announcement)


@dataclass(frozen=True)
class _Plan:
    kind: str
    name: str
    app: App
    now: Callable[[], float]
    settings: dict[str, str | int]


def _array_plans(lab: Lab) -> list[_Plan]:
    return [
        _Plan(
            "flasharray",
            array.name,
            flasharray.create(lab, array),
            lab.clocks.arrays[array.index].now,
            {"api_token": array.api_token, "pod_round_trip_us": _pod_round_trip_us(lab)},
        )
        for array in lab.environment.arrays
    ]


def _pod_round_trip_us(lab: Lab) -> int:
    """What whoever laid the line between the arrays knows of it."""
    return round(max((pod.inter_array_round_trip_us for pod in lab.environment.pods), default=0.0))


def _vcenter_plans(lab: Lab) -> list[_Plan]:
    return [
        _Plan(
            "vcenter",
            center.name,
            vcenter.create(lab, center),
            lab.clocks.vcenters[center.index].now,
            {"username": center.username, "password": center.password},
        )
        for center in lab.environment.vcenters
    ]


def _open_all(lab: Lab, port: int, sources: list[Source]) -> list[Listener]:
    listeners: list[Listener] = []
    try:
        for place, source in enumerate(sources):
            listeners.append(_open(lab, port + place if port else 0, source))
    except OSError:
        for listener in listeners:
            listener.stop()
        raise
    for listener in listeners:
        listener.start()
    return listeners


def _open(lab: Lab, port: int, source: Source) -> Listener:
    try:
        return Listener(port, source, lab.faults)
    except OSError as error:
        raise OSError(
            error.errno, f"port {port} for {source.name}: {error.strerror}. Choose another --port."
        ) from error


def announce(path: Path, announcement: list[Announcement]) -> None:
    """Write the announcement in one step and readable by its owner only, because it holds secrets."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.touch(mode=0o600)
    beside.write_text(json.dumps(announcement, indent=2) + "\n")
    beside.replace(path)
