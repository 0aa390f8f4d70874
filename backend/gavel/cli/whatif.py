"""What settings would do to the I/O of a datastore, VM or host, as ranges: `gavel whatif vm sql-01 --device-depth 128 --dsnro 128`.

It starts from the newest 10 analyzed minutes of the device queue with most I/O. Nothing is changed. With --example, a published case.
"""

import argparse
from collections.abc import Iterator

from pydantic import ValidationError

from gavel import clock
from gavel.api.convert_whatif import what_if_out
from gavel.api.schemas.whatif import ScenarioIn, TypedIn, WhatIfOut
from gavel.cli.opened import opened
from gavel.config import Settings
from gavel.db.engine import Engine, reading
from gavel.db.queries.refs import RefKind
from gavel.db.queries.search import search
from gavel.views.whatif import PredictedChange, Scenario, of_numbers, of_start
from gavel.views.whatif_examples import EXAMPLES
from gavel.views.whatif_load import NotPredictableError, load_start

_KINDS = ("datastore", "vm", "host")
_COUNTS = {
    "threads": "I/Os kept outstanding, all virtual disks together",
    "virtual-disk-queue": "queue of each virtual disk",
    "device-depth": "configured queue depth of the device",
    "dsnro": "DSNRO",
    "disks": "virtual disks the workload is spread over",
    "datastores": "datastores it is spread over",
    "hosts": "hosts it is spread over",
    "iops-limit": "IOPS limit of each virtual disk",
    "demand-iops": "IOPS that the application wants at most",
}
_NUMBERS = {
    "non-optimized-percent": "share of its I/O on non-optimized paths",
    "non-optimized-extra-us": "what an I/O takes longer there, in µs",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("kind", nargs="?", choices=_KINDS)
    parser.add_argument("name", nargs="?", help="as Gavel shows it")
    parser.add_argument("--example", choices=[one.id for one in EXAMPLES], help="a published case instead of an object")
    for name, text in _COUNTS.items():
        parser.add_argument(f"--{name}", type=int, metavar="N", help=text)
    for name, text in _NUMBERS.items():
        parser.add_argument(f"--{name}", type=float, metavar="N", help=text)
    parser.add_argument("--lift-iops-limit", action="store_true", help="without IOPS limit")
    parser.add_argument("--device", type=int, metavar="ID", help="another queue, by the id of its device")
    parser.add_argument("--json", action="store_true", help="as the API answers")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    scenario = _scenario(arguments)
    if arguments.example:
        answer = _example(arguments.example, scenario)
    elif arguments.kind and arguments.name:
        with opened(settings) as engine:
            answer = _of_object(engine, arguments.kind, arguments.name, arguments.device, scenario)
    else:
        raise NotPredictableError("Give a kind and a name, as in: gavel whatif vm sql-01 --dsnro 64; or --example.")
    print(answer.model_dump_json(indent=2) if arguments.json else "\n".join(_lines(answer)))
    return 0


def _scenario(arguments: argparse.Namespace) -> ScenarioIn:
    """Raises NotPredictableError for what no queue has."""
    names = [name.replace("-", "_") for name in (*_COUNTS, *_NUMBERS)]
    given = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    try:
        return ScenarioIn(**given, lifts_iops_limit=arguments.lift_iops_limit)
    except ValidationError as error:
        texts = (f"--{str(one['loc'][0]).replace('_', '-')}: {one['msg']}" for one in error.errors())
        raise NotPredictableError("; ".join(texts)) from error


def _example(name: str, scenario: ScenarioIn) -> WhatIfOut:
    """With its own settings to try, unless others are given."""
    example = next(one for one in EXAMPLES if one.id == name)
    typed = TypedIn.model_validate({"load": example.load, "settings": example.settings})
    tried = ScenarioIn.model_validate(dict(example.scenario) | scenario.model_dump(exclude_defaults=True))
    numbers = (typed.load.model_dump(), typed.settings.model_dump())
    return what_if_out(of_numbers(*numbers, Scenario(**tried.model_dump())), None, ())


def _of_object(engine: Engine, kind: str, name: str, device_id: int | None, scenario: ScenarioIn) -> WhatIfOut:
    with reading(engine) as connection:
        hits = {one.ref for one in search(connection, name, limit=200) if one.ref.kind == kind and one.ref.name == name}
        if len(hits) != 1:
            count = "no" if not hits else str(len(hits))
            raise NotPredictableError(
                f"There is {count} {kind} named {name!r}." if not hits else f"{count} are named {name!r}."
            )
        subject = hits.pop()
        start, queues = load_start(connection, RefKind(kind), subject.id, device_id, None, clock.now())
    return what_if_out(of_start(start, Scenario(**scenario.model_dump())), start, queues)


def _lines(answer: WhatIfOut) -> Iterator[str]:
    if answer.start is not None:
        start = answer.start
        minutes = f"{start.from_at:%H:%M} to {start.to_at:%H:%M} UTC"
        yield f"{start.subject.name}: {start.queue.device.name} on {start.queue.host.name}, {minutes}"
    yield f"{'':<26}{'Before':>14}{'After':>26}"
    yield _row("IOPS", answer.iops, 1, "")
    yield _row("Latency", answer.total_us, 1_000, " ms")
    for part in answer.parts:
        change = PredictedChange(before=part.before_us, lower=part.lower_us, upper=part.upper_us)
        yield _row(f"  {part.label}", change, 1_000, " ms")
    for label, beside, unit in (
        ("Neighbors, IOPS", answer.neighbor_iops, 1),
        ("Neighbors, latency", answer.neighbor_us, 1_000),
        ("Array, IOPS", answer.array_iops, 1),
    ):
        if beside is not None:
            yield _row(label, beside, unit, "" if unit == 1 else " ms")
    limits = [f"{one.label} ({one.ios:,.0f} I/Os)" for one in answer.ceilings]
    yield f"Binding limit: {limits[0]}" + (f"; next: {limits[1]}" if len(limits) > 1 else "")
    yield f"Driver time {'fitted to the history of this queue' if answer.is_fitted else 'bounded: latency stays, or throughput stays'}."
    yield from answer.notes


def _row(label: str, change: PredictedChange, per: int, unit: str) -> str:
    def shown(value: float | None) -> str:
        return "no bound" if value is None else f"{value / per:,.2f}" if per > 1 else f"{value:,.0f}"

    before = "not measured" if change.before is None else f"{shown(change.before)}{unit}"
    return f"{label:<26}{before:>14}{f'{shown(change.lower)}–{shown(change.upper)}{unit}':>26}"
