"""Rows about links: throughput and errors of network interfaces, and how a host's I/O is spread over its paths."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np

from gavel_lab.environment import ArrayHost, Hba, TargetPort
from gavel_lab.flasharray.counters import FC_FRAME_BYTES, PACKET_BYTES, interface_rates
from gavel_lab.flasharray.gates import ETHERNET, FIBRE_CHANNEL
from gavel_lab.flasharray.groups import paths_of, reader
from gavel_lab.flasharray.hardware import (
    FILE_INTERFACE,
    MANAGEMENT_INTERFACES,
    interface_name,
    port_of,
    with_colons,
)
from gavel_lab.flasharray.moments import Moments
from gavel_lab.flasharray.shaping import Row, Shape, blank, cut
from gavel_lab.flasharray.view import ArrayView
from gavel_lab.model import ArrayBy, By

_UNITS = {"eth": ("packets", PACKET_BYTES, ETHERNET), "fc": ("frames", FC_FRAME_BYTES, FIBRE_CHANNEL)}


class InterfaceTable:
    """Interfaces x stamps, stamp by stamp."""

    def __init__(self, view: ArrayView, moments: Moments, shape: Shape, names: Collection[str]) -> None:
        self._shape = shape
        self._rows = [row for row in _interfaces(view, moments) if row["name"] in names]

    def __len__(self) -> int:
        return len(self._rows)

    def page(self, start: int, stop: int) -> list[Row]:
        return self.cut(self._rows[start:stop])

    def every(self) -> Iterator[Row]:
        return iter(self._rows)

    def cut(self, rows: Sequence[Row]) -> list[Row]:
        return [cut(row, self._shape) for row in rows]

    def totals(self, rows: Sequence[Row] | None, start: int, stop: int) -> list[Row]:
        chosen: dict[int, list[Row]] = defaultdict(list)
        for row in self._rows[start:stop] if rows is None else rows:
            chosen[row["time"]].append(row)
        return [self._total(stamp, members) for stamp, members in chosen.items()]

    def _total(self, stamp: int, rows: Sequence[Row]) -> Row:
        total = blank(self._shape)
        for kind in _UNITS:
            counters = [row[kind] for row in rows if row["interface_type"] == kind]
            for name in total[kind]:
                known = [counter[name] for counter in counters if counter[name] is not None]
                total[kind][name] = sum(known) if known else None
        return {**total, "time": stamp}


def _interfaces(view: ArrayView, moments: Moments) -> list[Row]:
    """All interfaces at every stamp: ports with their block I/O, the file interface with the directories'."""
    ports = [port.index for port in view.ports]
    directories = [directory.index for directory in view.directories]
    whole = len(moments.stamps)
    block = moments.read(0, whole, lambda windows: reader(view, ArrayBy.PORT)(ports, windows))
    files = moments.read(0, whole, lambda windows: reader(view, ArrayBy.DIRECTORY)(directories, windows))
    rates = {kind: interface_rates(block, unit_bytes) for kind, (_, unit_bytes, _) in _UNITS.items()}
    file_rates = interface_rates(files, PACKET_BYTES)
    rows = []
    for place, stamp in enumerate(moments.stamps):
        rows += [_interface(name, "eth", stamp, None) for name in MANAGEMENT_INTERFACES]
        for row, port in enumerate(view.ports):
            kind = _kind(port)
            shown = {name: int(rate[row, place]) for name, rate in rates[kind].items()}
            rows.append(_interface(interface_name(port), kind, stamp, shown))
        if directories:
            shown = {name: int(rate[:, place].sum()) for name, rate in file_rates.items()}
            rows.append(_interface(FILE_INTERFACE, "eth", stamp, shown))
    return rows


def _kind(port: TargetPort) -> str:
    return "fc" if port.transport == "fc" else "eth"


def _interface(name: str, kind: str, stamp: int, rates: Mapping[str, int] | None) -> Row:
    """Counters of the interface's own kind; the other kind's are empty. The lab's links make no errors."""
    unit, _, fields = _UNITS[kind]
    counters: dict[str, int | None] = dict.fromkeys(fields, 0)
    for way in ("received", "transmitted"):
        counters[f"{way}_bytes_per_sec"] = rates[f"{way}_bytes"] if rates else 0
        counters[f"{way}_{unit}_per_sec"] = rates[f"{way}_units"] if rates else 0
    if kind == "eth":
        counters["other_errors_per_sec"] = None
    other = "fc" if kind == "eth" else "eth"
    return {
        "name": name,
        "interface_type": kind,
        "time": stamp,
        kind: counters,
        other: dict.fromkeys(_UNITS[other][2]),
    }


def balance_rows(view: ArrayView, moments: Moments) -> list[Row]:
    """Operations per (initiator, target) of every host, and how they compare with the host's busiest path."""
    return [row for host in view.hosts for row in _balance(view, host, moments)]


def _balance(view: ArrayView, host: ArrayHost, moments: Moments) -> list[Row]:
    paths = paths_of(view, host)
    if not paths:
        return []
    ops = moments.read(0, 1, lambda windows: view.lab.model.read(By.PATH, paths, windows)).ops.sum(axis=(1, 2))
    counts: dict[tuple[int, int], float] = defaultdict(float)
    for path, count in zip(paths, ops, strict=True):
        counts[view.environment.paths[path].hba, view.environment.paths[path].port] += float(count)
    busiest = max(counts.values())
    return [
        {
            "name": host.name,
            "context": view.context,
            "fraction_relative_to_max": round(count / busiest, 6) if busiest else 0.0,
            "initiator": _initiator(view.environment.hbas[hba]),
            "op_count": int(np.rint(count)),
            "target": port_of(view.environment.ports[port]),
            "time": moments.stamps[0],
        }
        for (hba, port), count in counts.items()
    ]


def _initiator(hba: Hba) -> Row:
    return {"iqn": hba.iqn, "nqn": hba.nqn, "portal": None, "wwn": with_colons(hba.wwpn)}
