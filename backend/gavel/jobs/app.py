"""The Celery application, light enough for whoever only sends work (beat, `inspect`). The worker's part of it is `jobs.worker`."""

from typing import Any

from celery import Celery
from celery.signals import setup_logging

from gavel.config import Settings
from gavel.jobs.schedule import BEAT, ROUTES
from gavel.log import configure

settings = Settings()

app = Celery("gavel", broker=settings.broker_url)
app.conf.update(
    accept_content=["json"],
    task_serializer="json",
    task_ignore_result=True,
    # A killed worker's task goes back to the queue; running it twice is harmless, since the watermark is data. What may run longer than
    # the visibility timeout is a LongJob (jobs.tasks).
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    worker_prefetch_multiplier=1,
    broker_connection_retry_on_startup=True,
    broker_transport_options={"visibility_timeout": 120, "unacked_restore_interval": 5, "unacked_restore_throttle": 1},
    # Above every deadline of a source's call: the last net, not the first.
    task_soft_time_limit=90,
    task_time_limit=100,
    worker_max_tasks_per_child=5000,
    worker_send_task_events=False,
    timezone="UTC",
    task_default_queue="compute",
    task_routes=ROUTES,
    beat_schedule=BEAT,
    beat_max_loop_interval=5,
)


@setup_logging.connect
def _logging(**_: Any) -> None:
    configure(settings)
