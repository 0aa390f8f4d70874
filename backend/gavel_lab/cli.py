"""`python -m gavel_lab`: serves the lab until it is told to stop. `python -m gavel_lab esxtop`: writes a capture of one of its hosts."""

import argparse
import gc
import gzip
import io
import logging
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

from gavel_lab.clocks import LabTime, machine_time_s
from gavel_lab.environment import EsxiHost
from gavel_lab.esxtop import EsxtopCapture
from gavel_lab.guests.pushing import Pushing
from gavel_lab.guests.request import Receiver
from gavel_lab.lab import Lab, create_lab
from gavel_lab.scale import Scale
from gavel_lab.settings import Settings
from gavel_lab.sources import Served, announce, serve_lab

_PORT = 9440
_HIGHEST_PORT = 65535

_DESCRIPTION = """
Simulated FlashArrays and vCenters on their real protocols, driven by one queueing model. Every source gets a port of
its own on 127.0.0.1: arrays on PORT, PORT+1, ..., then the vCenters, then the truth port (plain HTTP: /truth, /stories,
/clocks, /faults). Any past hour can be read; equal seeds give equal numbers.
"""

_EPILOG = """
scales:    default, large (106 hosts with 40 devices each, 2,056 VMs, 2,000 volumes), or counts of what is added to the
           default environment, as in --scale large,vms=4000 or --scale clusters=2,vms=200
settings:  --set old_purity=6.3.3 --set new_purity=6.9.2 --set old_ms_rounding=truncate|round
           --set new_latest_means=mean|last_second --set mirrored_writes_counted_on=one|both
           --set new_slots_fill_s=8 (seconds until the newest 20 s sample has all of its counters; 0 is at once)
captures:  python -m gavel_lab esxtop --help
"""

_ESXTOP = "esxtop"
_ESXTOP_DESCRIPTION = """
Writes what esxtop -b -a -d INTERVAL would have written on a host of the lab from an instant on. The same --seed, --scale
and --set as of a lab that is being served give a capture of that lab. What was done to it while it was served (faults,
changed settings, stepped clocks) is not in it.
"""


class _LogLine(logging.Formatter):
    """A line with the machine's time in UTC, as GAVEL_TEST_CLOCK sets it."""

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: ARG002, N802  # the base class names it so
        at = datetime.fromtimestamp(machine_time_s(), UTC).replace(tzinfo=None)
        return f"{at.isoformat(sep=' ', timespec='milliseconds')}Z"


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM, or write a capture. Returns 0, or 2 where it cannot start or write."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if given[:1] == [_ESXTOP]:
        return _capture(_esxtop_parser().parse_args(given[1:]))
    return _serve(_parser().parse_args(given))


def _serve(options: argparse.Namespace) -> int:
    lines = logging.StreamHandler(sys.stderr)
    lines.setFormatter(_LogLine("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[lines])
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stop.set())
    try:
        lab = _lab(options)
        # What a big environment is made of stays for good: the collector would walk it again and again.
        gc.collect()
        gc.freeze()
        pushing = _pushing(options, lab)
        served = serve_lab(lab, options.port, options.data_dir)
        if options.announce:
            announce(options.announce, served.announcement)
    except (OSError, ValueError) as error:
        sys.stderr.write(f"gavel_lab: {error}\n")
        return 2
    _tell(lab, served)
    if pushing:
        pushing.start()
    stop.wait()
    if pushing:
        pushing.stop()
    served.stop()
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m gavel_lab",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=_port, default=_PORT, help=f"first port ({_PORT}); 0 takes any free ones")
    _add_lab(parser)
    parser.add_argument(
        "--at", type=_instant, help="start the lab's clock at this ISO instant (now); UTC without a zone"
    )
    parser.add_argument("--speed", type=float, default=1.0, help="lab seconds per second (1); 0 holds the clock still")
    parser.add_argument(
        "--data-dir", type=Path, default=Path("data/lab"), help="where certificates are kept (data/lab)"
    )
    parser.add_argument("--announce", type=Path, metavar="FILE", help="write what is served as JSON, once it is served")
    parser.add_argument(
        "--push-to",
        metavar="URL",
        help="where guests with an agent push their disk counters, in InfluxDB line protocol",
    )
    parser.add_argument("--push-token", type=Path, metavar="FILE", help="holds the token for it, once it is there")
    return parser


def _esxtop_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=f"python -m gavel_lab {_ESXTOP}", description=_ESXTOP_DESCRIPTION)
    _add_lab(parser)
    parser.add_argument("--host", required=True, help="name of an ESXi host, such as esx-01")
    parser.add_argument(
        "--from", required=True, type=_instant, dest="at", help="first row: an ISO instant by the host's clock, UTC"
    )
    parser.add_argument("--minutes", type=int, default=10, help="length (10)")
    parser.add_argument("--interval", type=int, default=5, metavar="SECONDS", help="between rows (5)")
    parser.add_argument("-o", "--output", required=True, type=Path, metavar="FILE", help="with .gz at its end: packed")
    return parser


def _add_lab(parser: argparse.ArgumentParser) -> None:
    """Which lab it is."""
    parser.add_argument("--seed", type=int, default=1, help="seed of names, ids, workloads and noise (1)")
    parser.add_argument("--scale", type=_scale, default="default", help="size of the environment (default)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the sources")


def _capture(options: argparse.Namespace) -> int:
    """Write the file; its folder must be there."""
    try:
        lab = create_lab(options.seed, options.scale, Settings().with_(options.set), LabTime(options.at, 0.0))
        host = _host(lab, options.host)
        rows = 60 * options.minutes // max(options.interval, 1) + 1
        capture = EsxtopCapture(lab, host, int(options.at), interval_s=options.interval, rows=rows)
        with ExitStack() as files:
            stream = files.enter_context(options.output.open("wb"))
            if options.output.suffix == ".gz":
                stream = files.enter_context(gzip.GzipFile(fileobj=stream, mode="wb", mtime=0))
            text = files.enter_context(io.TextIOWrapper(stream, encoding="utf-8", newline="\n"))
            text.writelines(f"{line}\n" for line in capture.lines())
    except (OSError, ValueError) as error:
        sys.stderr.write(f"gavel_lab: {error}\n")
        return 2
    sys.stdout.write(f"{options.output}: {rows} rows of {host.name}, every {options.interval} s\n")
    return 0


def _host(lab: Lab, name: str) -> EsxiHost:
    """By its name, with or without its domain. Raises ValueError."""
    for host in lab.environment.hosts:
        if name.lower() in (host.name.lower(), host.name.lower().split(".")[0]):
            return host
    names = ", ".join(host.name for host in lab.environment.hosts)
    raise ValueError(f"no ESXi host is called {name!r}. There are: {names}")


def _lab(options: argparse.Namespace) -> Lab:
    settings = Settings().with_(options.set)
    return create_lab(options.seed, options.scale, settings, LabTime(options.at, options.speed))


def _pushing(options: argparse.Namespace, lab: Lab) -> Pushing | None:
    """Raises ValueError where only half of what it takes is given."""
    if options.push_to is None and options.push_token is None:
        return None
    if options.push_to is None or options.push_token is None:
        raise ValueError("--push-to and --push-token are given together, or neither")
    return Pushing(lab, Receiver.parse(options.push_to), options.push_token)


def _tell(lab: Lab, served: Served) -> None:
    for source in served.announcement:
        sys.stdout.write(f"{source['kind']:<12}{source['name']:<16}https://{source['address']}\n")
    sys.stdout.write(f"{'truth':<28}http://{served.truth.address}\n")
    began = datetime.fromtimestamp(lab.clocks.lab_time.now(), UTC)
    sys.stdout.write(f"seed {lab.environment.seed}, lab time {began:%Y-%m-%d %H:%M:%S} UTC, serving\n")
    sys.stdout.flush()


def _port(text: str) -> int:
    if not text.isdigit() or int(text) > _HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"{text!r} is not a port")
    return int(text)


def _scale(text: str) -> Scale:
    try:
        return Scale.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _instant(text: str) -> float:
    try:
        instant = datetime.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not an ISO instant such as 2026-11-21T10:00:00Z") from error
    return (instant if instant.tzinfo else instant.replace(tzinfo=UTC)).timestamp()
