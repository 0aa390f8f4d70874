"""The truth port: what really happened, for scoring, and faults on demand. Gavel never talks to it.

    GET    /truth?from=&to=[&by=disk|device|volume][&step=60][&name=...]   true time per segment, row and step
    GET    /stories?from=&to=                                             which layer is guilty where and when
    GET    /clocks                                                        offsets of all clocks
    GET    /faults      POST /faults      DELETE /faults[/ID]             see gavel_lab.faults

What changes something needs the header `X-Lab-Token` with what stands in the file truth-token of the lab's data folder: any
page that is open in a browser on this machine could send the rest of it.

`from` and `to` are ISO instants or seconds since the epoch in lab time. Errors are 400 with {"error": ...}.
"""

import hmac
import json
import secrets
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import parse_qs

import numpy as np

from gavel_lab.environment import Environment
from gavel_lab.faults import Fault
from gavel_lab.lab import Lab
from gavel_lab.model import By
from gavel_lab.reading import READ, SEGMENTS, WRITE, Floats, Reading
from gavel_lab.serve import App, Request, Response
from gavel_lab.stories import HOUR_S, PHASES

_MAX_VALUES = 5_000_000
_KINDS = {"disk": By.DISK, "device": By.DEVICE, "volume": By.VOLUME}

Json = dict[str, object]
Query = dict[str, list[str]]


TOKEN_FILE = "truth-token"  # noqa: S105 - a name
TOKEN_HEADER = "x-lab-token"  # noqa: S105 - a name


def make_token(folder: Path) -> str:
    """A token of this start, in a file that only its owner may read."""
    folder.mkdir(parents=True, exist_ok=True)
    token, file = secrets.token_urlsafe(24), folder / TOKEN_FILE
    file.unlink(missing_ok=True)
    file.touch(mode=0o600)
    file.write_text(token)
    return token


def create(lab: Lab, token: str) -> App:
    """The app of the truth port. token: what a request that changes something has to carry."""
    answers: dict[tuple[str, str], Callable[[Request, Query], Json]] = {
        ("GET", "truth"): lambda _request, query: _truth(lab, query),
        ("GET", "stories"): lambda _request, query: _stories(lab, query),
        ("GET", "clocks"): lambda _request, _query: _clocks(lab),
        ("GET", "faults"): lambda _request, _query: {"faults": [_fault(fault) for fault in lab.faults.all()]},
        ("POST", "faults"): lambda request, _query: _fault(lab.faults.add(_object(request.body))),
        ("DELETE", "faults"): lambda request, _query: {"removed": lab.faults.remove(_id(request.path))},
    }

    def app(request: Request) -> Response:
        answer = answers.get((request.method, request.path.strip("/").partition("/")[0]))
        if answer is None:
            return _json(404, {"error": f"there is no {request.method} {request.path} here"})
        if request.method != "GET" and not hmac.compare_digest(
            request.headers.get(TOKEN_HEADER, "").encode(), token.encode()
        ):
            return _json(
                403,
                {"error": f"{TOKEN_HEADER} is missing or wrong: it stands in {TOKEN_FILE} of the lab's data folder"},
            )
        try:
            return _json(201 if request.method == "POST" else 200, answer(request, parse_qs(request.query)))
        except ValueError as error:
            return _json(400, {"error": str(error)})

    return app


def _truth(lab: Lab, query: Query) -> Json:
    start, end, step = *_span(query), _number(query, "step", 60)
    kind = query.get("by", ["disk"])[0]
    if kind not in _KINDS:
        raise ValueError(f"by={kind} is not one of {', '.join(_KINDS)}")
    rows = [row for row in _rows(lab, kind) if _is_wanted(row, query.get("name"))]
    begin = -(-start // step) * step
    steps = max(0, int((end - begin) // step))
    if len(rows) * steps * len(SEGMENTS) * 2 > _MAX_VALUES:
        raise ValueError(f"{len(rows)} rows x {steps} steps are too many; ask for a shorter span or for names")
    first = begin + step * np.arange(steps)
    windows = np.stack([first, first + step], axis=1)
    reading = lab.model.read(_KINDS[kind], [int(str(row["index"])) for row in rows], windows)
    return {
        "by": kind,
        "step_s": step,
        "segments": SEGMENTS,
        "starts": [int(start) for start in first],
        "rows": [
            {**row, "read": _direction(reading, place, READ), "write": _direction(reading, place, WRITE)}
            for place, row in enumerate(rows)
        ],
    }


def _direction(reading: Reading, row: int, direction: int) -> Json:
    """ops and bytes are counts per step; us maps each segment to its op-weighted mean, null without operations."""
    return {
        "ops": _list(reading.ops[row, :, direction]),
        "bytes": _list(reading.bytes[row, :, direction]),
        "us": {segment: _list(reading.segment_us(segment)[row, :, direction]) for segment in SEGMENTS},
    }


def _rows(lab: Lab, kind: str) -> list[Json]:
    environment = lab.environment
    if kind == "device":
        return [
            {
                "index": device.index,
                "host": environment.hosts[device.host].name,
                "device": device.name,
                "volume": environment.volumes[device.volume].name,
            }
            for device in environment.devices
        ]
    if kind == "volume":
        return [{"index": each.index, "volume": each.name, "serial": each.serial} for each in environment.volumes]
    return [
        {
            "index": disk.index,
            "vm": environment.vms[disk.vm].name,
            "instance": disk.instance,
            "datastore": environment.datastores[disk.datastore].name,
            "story": None if disk.is_rdm else environment.datastores[disk.datastore].story,
        }
        for disk in environment.disks
    ]


def _is_wanted(row: Json, names: Sequence[str] | None) -> bool:
    return names is None or bool({str(value) for value in row.values()} & set(names))


def _stories(lab: Lab, query: Query) -> Json:
    return {"stories": phases(lab.environment, *_span(query))}


def phases(environment: Environment, start: float, end: float) -> list[Json]:
    """Phases of the stories that touch the time from `start` to `end`, in seconds since the epoch."""
    store_of = {store.story: store for store in environment.datastores if store.story}
    found: list[Json] = []
    for hour in range(int(start // HOUR_S) * HOUR_S, int(end) + 1, HOUR_S):
        for phase in PHASES:
            begin, finish = hour + 60 * phase.start_minute, hour + 60 * phase.end_minute
            if begin < end and finish > start:
                store = store_of[phase.story]
                culprits = [
                    environment.vms[disk.vm].name
                    for disk in environment.disks
                    if disk.datastore == store.index and disk.workload == phase.culprit
                ]
                found.append(
                    {
                        "story": phase.story,
                        "title": phase.title,
                        "datastore": store.name,
                        "from": begin,
                        "to": finish,
                        "layer": phase.layer,
                        "segment": phase.segment,
                        "culprits": culprits,
                    }
                )
    return found


def _clocks(lab: Lab) -> Json:
    environment, clocks = lab.environment, lab.clocks
    return {
        "lab_now": clocks.lab_time.now(),
        "arrays": {array.name: clocks.arrays[array.index].offset_s() for array in environment.arrays},
        "vcenters": {vcenter.name: clocks.vcenters[vcenter.index].offset_s() for vcenter in environment.vcenters},
        "hosts": {host.name: clocks.hosts[host.index].offset_s() for host in environment.hosts},
    }


def _fault(fault: Fault) -> Json:
    known = asdict(fault)
    del known["ends_at"]
    return known


def _object(body: bytes) -> Json:
    try:
        value = json.loads(body)
    except ValueError as error:
        raise ValueError(f"the body is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise ValueError('the body is an object such as {"source": "flasharray-1", "kind": "status", "status": 503}')  # noqa: TRY004  # bad input of a client
    return value


def _id(path: str) -> int | None:
    text = path.strip("/").partition("/")[2]
    if text and not text.isdigit():
        raise ValueError(f"{text!r} is not the number of a fault")
    return int(text) if text else None


def _span(query: Query) -> tuple[float, float]:
    missing = [name for name in ("from", "to") if name not in query]
    if missing:
        raise ValueError(f"{' and '.join(missing)} missing: ISO instants or seconds since the epoch")
    start, end = _instant(query["from"][0]), _instant(query["to"][0])
    if end <= start:
        raise ValueError("to must be after from")
    return start, end


def _instant(text: str) -> float:
    """Lab seconds of an ISO instant (UTC where no zone is given) or of a number."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is neither an ISO instant nor seconds since the epoch") from None
    return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp()


def _number(query: Query, name: str, default: int) -> int:
    text = query.get(name, [str(default)])[0]
    if not text.isdigit() or int(text) < 1:
        raise ValueError(f"{name}={text} is not a number of seconds above 0")
    return int(text)


def _list(values: Floats) -> list[float | None]:
    return [None if np.isnan(value) else round(float(value), 3) for value in values]


def _json(status: int, body: Json) -> Response:
    return Response(status, json.dumps(body).encode())
