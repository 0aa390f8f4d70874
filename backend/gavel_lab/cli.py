"""`python -m gavel_lab`: serves the lab until it is told to stop."""

import argparse
import logging
import signal
import sys
import threading
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from gavel_lab.clocks import LabTime
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
scales:    default, large (106 hosts with 40 devices each, 2,050 VMs, 2,000 volumes), or counts of what is added to the
           default environment, as in --scale large,vms=4000 or --scale clusters=2,vms=200
settings:  --set old_purity=6.3.3 --set new_purity=6.9.2 --set old_ms_rounding=truncate|round
           --set new_latest_means=mean|last_second --set mirrored_writes_counted_on=one|both
           --set new_slots_fill_s=8 (seconds until the newest 20 s sample has all of its counters; 0 is at once)
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until SIGINT or SIGTERM. Returns 0, or 2 where it cannot start."""
    options = _parser().parse_args(arguments)
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s", stream=sys.stderr)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: stop.set())
    try:
        lab = _lab(options)
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
    parser.add_argument("--seed", type=int, default=1, help="seed of names, ids, workloads and noise (1)")
    parser.add_argument("--scale", type=_scale, default="default", help="size of the environment, see below (default)")
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
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the sources")
    return parser


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
