"""Read every source once, now: live samples, inventory and what is owed from before. For looking at one run without the scheduler."""

import argparse

from gavel.cli.opened import opened, refuse_new_key
from gavel.config import Settings
from gavel.db.engine import reading
from gavel.db.queries.runs import runs
from gavel.db.queries.sources import sources
from gavel.ingest.backfill import backfill
from gavel.ingest.inventory import refresh_inventory
from gavel.ingest.live import collect_live
from gavel.ingest.worker import WorkerContext


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--once", action="store_true", required=True, help="one round (the only way there is)")
    parser.add_argument(
        "--backfill", type=float, default=0.0, metavar="SECONDS", help="also fill gaps for so long per source"
    )
    parser.add_argument("source", nargs="*", help="only these sources, by name")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    """0 when no run failed, else 1."""
    with opened(settings) as engine:
        refuse_new_key(engine, settings.key_file)
        place = WorkerContext.open(settings.database_url, settings.key_file)
        try:
            return _collect(place, set(arguments.source), arguments.backfill)
        finally:
            place.close()


def _collect(context: WorkerContext, names: set[str], backfill_s: float) -> int:
    with reading(context.engine) as connection:
        enabled = sources(connection, enabled_only=True)
    if unknown := names - {row.name for row in enabled}:
        print(f"No enabled source is called {', '.join(map(repr, sorted(unknown)))}. See: gavel source list")
        return 1
    rows = [row for row in enabled if not names or row.name in names]
    failed = 0
    for row in rows:
        began = context.now()
        if not (refresh_inventory(context, row.id) and collect_live(context, row.id)):
            print(f"{row.name}: another process is reading it right now.")
            continue
        if backfill_s:
            backfill(context, row.id, budget_s=backfill_s)
        with reading(context.engine) as connection:
            done = [found for found in runs(connection, row.id) if found.started_at >= began]
        if not done:
            print(f"{row.name}: it was read a moment ago, and nothing newer is due.")
        for found in reversed(done):
            said = found.error_message or f"{found.samples} read, {found.new_samples} new, {found.duration_s:.2f} s"
            print(f"{row.name}: {found.stream}: {said}")
        failed += any(found.error_kind for found in done)
    if not rows:
        print("No enabled source to read. See: gavel source list")
    return 1 if failed else 0
