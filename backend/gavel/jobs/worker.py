"""The worker's part of the Celery application: the tasks, and a workplace from the start of each process to its clean end."""

import functools
import gc
from typing import Any

from celery.signals import (
    celeryd_init,
    task_postrun,
    worker_process_init,
    worker_process_shutdown,
    worker_ready,
    worker_shutting_down,
)

from gavel.egress.policy import outside
from gavel.jobs import memory, tasks, workplace
from gavel.jobs.app import app, settings
from gavel.jobs.stopping import Stop, cut_short

__all__ = ["app", "tasks"]

# Here already, so that what it makes of tasks is shared by all processes that are forked after.
app.finalize()

# How long running work may take to end by itself: the supervisor ends everything after a few seconds.
_PATIENCE_S = 0.7


@functools.cache
def _stop() -> Stop:
    """Of this worker and the processes it forks: not made before it starts, for it may itself be forked beside others."""
    return Stop()


@celeryd_init.connect
def _begin(**_: Any) -> None:
    """What is loaded by now stays: the collector of garbage need not look at it, so that processes go on sharing it and end quickly."""
    _stop()
    gc.collect()
    gc.freeze()


@worker_ready.connect
def _listen(sender: Any, **_: Any) -> None:
    """A signal alone does not wake the main process from its poll, which may last a second."""
    sender.hub.add_reader(_stop().fileno(), _stop().is_asked)


@worker_shutting_down.connect
def _ask(**_: Any) -> None:
    _stop().ask()


@worker_process_init.connect
def _open(**_: Any) -> None:
    reach = outside(settings.public_url, settings.alert_networks, plain_http=settings.alert_plain_http)
    workplace.open_worker(settings.database_url, settings.key_file, _stop().is_asked, reach)
    cut_short(_stop(), _PATIENCE_S, unless=workplace.is_closed)


@task_postrun.connect
def _give_back(**_: Any) -> None:
    memory.give_back()


@worker_process_shutdown.connect
def _close(**_: Any) -> None:
    workplace.close_worker()
