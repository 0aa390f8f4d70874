"""Disks of guests find their virtual disks again whenever a new one comes or an inventory was read."""

from collections.abc import Mapping
from datetime import datetime
from weakref import WeakKeyDictionary

import structlog

from gavel.db.engine import Connection, Engine, transaction
from gavel.db.locks import only_one
from gavel.db.queries.guests import guest_disk_facts, matching_stamp, stored_matches, vm_disk_facts, vm_facts
from gavel.db.write.guest_matches import save_matches
from gavel.domain.guest_matching import DiskMatch, VmIndex, match_disks
from gavel.ingest.worker import WorkerContext

log = structlog.get_logger(__name__)
_matched: WeakKeyDictionary[Engine, object] = WeakKeyDictionary()


def match_guests(context: WorkerContext) -> int:
    """Returns how many matches are not as they were. Costs a glance where nothing changed since."""
    with only_one(context.engine, "match guests") as held:
        if not held:
            return 0
        with transaction(context.engine) as connection:
            stamp = matching_stamp(connection)
            if _matched.get(context.engine) == stamp:
                return 0
            changed = match_now(connection, context.now())
        _matched[context.engine] = stamp
        return changed


def match_now(connection: Connection, now: datetime) -> int:
    """In the caller's transaction."""
    found = match_disks(guest_disk_facts(connection, now), VmIndex(vm_facts(connection), vm_disk_facts(connection)))
    changed = _changed(stored_matches(connection), found)
    save_matches(connection, changed)
    if changed:
        log.info("guests matched", changed=len(changed), matched=sum(match.by is not None for match in found))
    return len(changed)


def _changed(before: Mapping[int, DiskMatch], matches: list[DiskMatch]) -> list[DiskMatch]:
    return [match for match in matches if before.get(match.disk_id) != match]
