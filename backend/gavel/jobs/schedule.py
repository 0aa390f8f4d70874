"""When what runs, and on which queue. A new job is a task in `tasks` and its lines here."""

from datetime import timedelta

LIVE, SLOW, BACKFILL, INVENTORY, COMPUTE, NOTIFY = "live", "slow", "backfill", "inventory", "compute", "notify"
# Deliveries that are a process of their own.
APART = "apart"

ROUTES = {
    "gavel.dispatch": {"queue": LIVE},
    "gavel.collect_live": {"queue": LIVE},
    "gavel.collect_slowly": {"queue": SLOW},
    "gavel.refresh_inventory": {"queue": INVENTORY},
    "gavel.backfill": {"queue": BACKFILL},
    "gavel.correlate": {"queue": COMPUTE},
    "gavel.alert": {"queue": COMPUTE},
    "gavel.deliver": {"queue": NOTIFY},
    "gavel.renew_baseline": {"queue": COMPUTE},
    "gavel.evaluate_findings": {"queue": COMPUTE},
    "gavel.maintain": {"queue": COMPUTE},
    # Takes half a minute an hour, and minutes once a day: backfill may wait, the ledger may not.
    "gavel.pack": {"queue": BACKFILL},
    "gavel.find_holes": {"queue": COMPUTE},
    "gavel.match_guests": {"queue": COMPUTE},
    "gavel.read_imports": {"queue": BACKFILL},
    "gavel.make_offline": {"queue": BACKFILL},
}


def _every(seconds: float, task: str) -> dict[str, object]:
    """A tick that expires when no worker takes it before the next one, instead of queueing up."""
    return {"task": task, "schedule": timedelta(seconds=seconds), "options": {"expires": seconds}}


BEAT = {
    "dispatch": _every(1, "gavel.dispatch"),
    "correlate": _every(3, "gavel.correlate"),
    # Also at once after every minute that is written.
    "alert": _every(3, "gavel.alert"),
    # Hours are computed once each: more ticks than hours cost a glance, and none is missed.
    "renew baseline": _every(600, "gavel.renew_baseline"),
    # Evaluated every five minutes: a tick that comes earlier costs a glance.
    "evaluate findings": _every(60, "gavel.evaluate_findings"),
    "maintain": _every(60, "gavel.maintain"),
    "pack": _every(60, "gavel.pack"),
    "read imports": _every(5, "gavel.read_imports"),
    "make offline environments": _every(5, "gavel.make_offline"),
    "match guests": _every(20, "gavel.match_guests"),
    "find holes": _every(120, "gavel.find_holes"),
}
