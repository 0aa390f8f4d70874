"""Run only the simulated arrays and vCenters, in a process of their own. Options are the lab's: see `gavel lab -- --help`."""

import argparse
import os
import sys

from gavel.cli.data_dir import require_remembered
from gavel.config import Settings


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, help="first port (GAVEL_LAB_PORT, default 8330)")
    parser.add_argument("--seed", type=int, help="seed of names, workloads and noise (GAVEL_LAB_SEED, default 1)")
    parser.add_argument("--scale", help="size of the environment (GAVEL_LAB_SCALE, default)")
    parser.add_argument("--at", help="start the lab's clock at this ISO instant")
    parser.add_argument("more", nargs="*", metavar="-- OPTION", help="passed on as they are")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    require_remembered(arguments, settings)
    options = {
        "--port": settings.lab_port if arguments.port is None else arguments.port,
        "--seed": settings.lab_seed if arguments.seed is None else arguments.seed,
        "--scale": arguments.scale or settings.lab_scale,
        "--data-dir": settings.data_dir / "lab",
        "--at": arguments.at,
    }
    spelled = [part for name, value in options.items() if value is not None for part in (name, str(value))]
    command = [sys.executable, "-m", "gavel_lab", *spelled, *arguments.more]
    sys.stdout.flush()
    os.execv(sys.executable, command)  # noqa: S606 (our own interpreter, no shell)
