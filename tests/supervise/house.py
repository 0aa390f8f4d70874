"""A supervisor of three tiny services as a program of its own, to be killed: python -m tests.supervise.house FOLDER."""

import asyncio
import sys
from pathlib import Path

from tests.supervise.processes import FAMILY, service

from gavel.supervise.lock import InstanceLock
from gavel.supervise.output import Terminal
from gavel.supervise.supervisor import Supervisor


def main() -> None:
    """Run until told to stop; says "all up" when it is."""
    folder = Path(sys.argv[1])
    diary = folder / "diary"
    services = [
        service("first", diary),
        service("second", diary, after=("first",)),
        service("family", diary, after=("first",), program=FAMILY),
    ]
    terminal = Terminal()
    lock = InstanceLock(folder)
    supervisor = Supervisor(services, folder, lock.fileno(), terminal)
    asyncio.run(supervisor.run(lambda _: terminal.say("all up")))


if __name__ == "__main__":
    main()
