"""The waterfall that goes with a message: drawn when it is sent or looked at, from the window that the message is about."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from gavel.alerting.message import Picture, window
from gavel.alerting.message_plain import message_of
from gavel.alerting.picture import waterfall_picture
from gavel.alerting.picture_link import LASTS, LinkError, opened, signed
from gavel.alerting.picture_svg import Heading
from gavel.db.engine import Connection
from gavel.db.errors import NotFoundError
from gavel.db.queries.notifications import NotificationRow, notification_by_event
from gavel.db.queries.rows import RefKind
from gavel.pipeline.outside import Outside
from gavel.pipeline.secrets import Vault
from gavel.pipeline.waterfalls import waterfall

# Where a message as the outbox keeps it says what its picture shows: subject, id, head of the verdict, named layers.
PICTURE_OF = "picture_of"
ROUTE = "/api/v1/alert-pictures"
_PURPOSE = "alert pictures"


def picture(connection: Connection, plain: Mapping[str, Any]) -> Picture | None:
    """Of a message as the outbox keeps it; None when there is nothing to draw, or no longer."""
    of = plain.get(PICTURE_OF)
    if of is None:
        return None
    said = message_of(plain)
    try:
        found = waterfall(connection, RefKind(of["subject"]), of["id"], said.from_at, said.to_at)
        heading = Heading(
            name=" › ".join(said.path),
            sentence=of["head"],
            window=window(said.from_at, said.to_at),
            grade=said.grade.value if said.grade else None,
            named=tuple(of["named"]),
            expected_from=found.expected_from,
        )
        return waterfall_picture(heading, found.directions)
    except (NotFoundError, ValueError):
        return None


def linked_picture(vault: Vault, outside: Outside, one: NotificationRow, now: datetime) -> Picture | None:
    """The same by a signed address, for who cannot be sent a file."""
    if outside.public_url is None or one.message.get(PICTURE_OF) is None:
        return None
    token = signed(vault.derived(_PURPOSE), one.event_id, now + LASTS)
    alt = f"Where the time of one I/O of {' › '.join(one.message['path'])} went"
    return Picture(alt=alt, url=f"{outside.public_url}{ROUTE}/{token}")


def png_of(connection: Connection, vault: Vault, token: str, now: datetime) -> bytes:
    """The picture of a signed address. Raises NotFoundError, with no more said than that, for any other and for what is gone."""
    try:
        event_id = opened(vault.derived(_PURPOSE), token, now)
    except LinkError as error:
        raise NotFoundError("There is no such picture.") from error
    found = picture(connection, notification_by_event(connection, event_id).message)
    if found is None or found.png is None:
        raise NotFoundError("There is no such picture.")
    return found.png
