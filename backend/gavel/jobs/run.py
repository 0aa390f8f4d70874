"""Run one worker of Celery, or beat, without the command line of Celery and its 200 modules.

python -m gavel.jobs.run worker-live | worker-slow | worker-back | worker-notify
python -m gavel.jobs.run beat SCHEDULE_FILE
"""

import os
import socket
import sys
from dataclasses import dataclass


@dataclass(frozen=True)
class WorkerPool:
    """The queues of one worker and its number of processes."""

    queues: tuple[str, ...]
    processes: int


# One process of worker-back reads history, one reads files, and one is left for minutes and alerts (jobs.tasks).
# Live reading holds a process for seconds at most. Sources that take longer, fail or were never read are read by
# worker-slow, where failing sources have all processes but one (ingest.lanes). Messages have more: receivers may be
# slow together, and fewer slow ones are tried at once than there are processes (alerting.use.deliver).
WORKERS = {
    "worker-live": WorkerPool(("live",), 2),
    "worker-slow": WorkerPool(("slow", "inventory"), 3),
    "worker-back": WorkerPool(("backfill", "compute"), 3),
    "worker-notify": WorkerPool(("notify", "apart"), 4),
}


def run_worker(name: str) -> int:
    """Run the worker until it is stopped, and return its exit status."""
    from gavel.jobs.worker import app  # noqa: PLC0415 (the supervisor imports this module without Celery)

    pool = WORKERS[name]
    worker = app.Worker(
        hostname=f"{name}@{socket.gethostname()}",
        queues=pool.queues,
        concurrency=pool.processes,
        quiet=True,
        without_gossip=True,
        without_mingle=True,
    )
    worker.start()
    return int(worker.exitcode or 0)


def run_beat(schedule_file: str) -> None:
    """Send the periodic jobs until it is stopped. There is no pid file: a stale one would stop the next start."""
    from gavel.jobs.app import app  # noqa: PLC0415 (as above)

    app.Beat(schedule=schedule_file, pidfile=None, quiet=True).run()


def main(arguments: list[str]) -> int:
    match arguments:
        case [name] if name in WORKERS:
            return run_worker(name)
        case ["beat", schedule_file]:
            # The schedule's files are made by a library, which asks for no modes.
            os.umask(0o077)
            run_beat(schedule_file)
            return 0
    sys.stderr.write(f"usage: python -m gavel.jobs.run {' | '.join(WORKERS)} | beat SCHEDULE_FILE\n")
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
