"""Which virtual disk a guest's disk is, as it was found out or as a person tied it."""

import json
from collections.abc import Sequence

from sqlalchemy import Connection, text, update

from gavel.db.errors import NotFoundError
from gavel.db.schema.guests import guest_disk
from gavel.db.schema.work import CORRELATING_GUESTS
from gavel.domain.guest_matching import DiskMatch, MatchedBy

_SAVE = text("""
    UPDATE guest_disk SET vm_disk_id = r.vm_disk_id, matched_by = r.matched_by, unmatched_reason = r.reason, suggested_id = r.suggested_id
    FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS r(id int, vm_disk_id int, matched_by text, reason text, suggested_id int)
    WHERE guest_disk.id = r.id AND (guest_disk.matched_by IS DISTINCT FROM 'hand' OR guest_disk.vm_disk_id IS NULL)
""")
_SAVE_VMS = text("""
    UPDATE guest_disk SET vm_id = r.vm_id FROM jsonb_to_recordset(CAST(:rows AS jsonb)) AS r(id int, vm_id int)
    WHERE guest_disk.id = r.id AND guest_disk.vm_id IS DISTINCT FROM r.vm_id
""")


# Once it turns out which virtual disk a disk is, the last two hours are attributed again, as far as it has pushed in them.
_AGAIN = text("""
    INSERT INTO dirty_window (kind, lo, hi)
    SELECT :kind, greatest(min(first_seen_at), c.until_at - interval '2 hours'), max(last_seen_at)
    FROM guest_disk CROSS JOIN correlated c
    WHERE id = ANY(CAST(:ids AS int[])) AND kind = 'disk' AND intervals > 0 AND last_seen_at > c.until_at - interval '2 hours'
    GROUP BY c.until_at
""")


def _note(connection: Connection, disks: Sequence[int]) -> None:
    connection.execute(_AGAIN, {"kind": CORRELATING_GUESTS.kind, "ids": list(disks)})


def save_matches(connection: Connection, matches: Sequence[DiskMatch]) -> None:
    """What a person tied meanwhile stays. Minutes of what changed are to be attributed again."""
    rows = [
        {
            "id": match.disk_id,
            "vm_disk_id": match.vm_disk_id,
            "matched_by": match.by,
            "reason": match.reason,
            "suggested_id": match.suggested_id,
            "vm_id": match.vm_id,
        }
        for match in matches
    ]
    if rows:
        connection.execute(_SAVE, {"rows": json.dumps(rows)})
        connection.execute(_SAVE_VMS, {"rows": json.dumps(rows)})
        _note(connection, [match.disk_id for match in matches])


_FORGET_FORMER = text("""
    UPDATE guest_disk SET vm_disk_id = NULL, matched_by = NULL
    FROM guest_disk d JOIN guest g ON g.id = d.guest_id JOIN guest_token t ON t.id = g.token_id
        JOIN guest_token ot ON ot.name = t.name AND ot.revoked_at IS NOT NULL JOIN guest og ON og.token_id = ot.id AND og.key = g.key
    WHERE d.id = :id AND guest_disk.guest_id = og.id AND guest_disk.id <> d.id AND guest_disk.matched_by = 'hand'
        AND (guest_disk.agent, guest_disk.kind, guest_disk.disk) = (d.agent, d.kind, d.disk)
""")


def tie_disk(connection: Connection, disk_id: int, vm_disk_id: int | None) -> None:
    """To a virtual disk, or to none again. Raises NotFoundError."""
    known = connection.scalar(text("SELECT id FROM vm_disk WHERE id = :id"), {"id": vm_disk_id})
    if vm_disk_id is not None and known is None:
        raise NotFoundError(f"There is no virtual disk {vm_disk_id}.")
    by = None if vm_disk_id is None else MatchedBy.HAND
    values = {"vm_disk_id": vm_disk_id, "matched_by": by, "unmatched_reason": None, "suggested_id": None}
    if connection.execute(update(guest_disk).where(guest_disk.c.id == disk_id).values(values)).rowcount == 0:
        raise NotFoundError(f"There is no disk {disk_id} of a guest.")
    # Matching takes over what was tied with the token that this one replaced; the newer decision ends that.
    connection.execute(_FORGET_FORMER, {"id": disk_id})
    _note(connection, [disk_id])
