"""The waterfall that goes with a message: drawn when it is sent or looked at, from the window that the message is about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from gavel.alerting.render.message import Picture, message_of, window
from gavel.alerting.render.picture import waterfall_picture
from gavel.alerting.render.picture_link import LASTS, LinkError, opened, signed
from gavel.alerting.render.picture_svg import Heading
from gavel.db.engine import Connection, Engine, reading
from gavel.db.errors import NotFoundError
from gavel.db.queries.notifications import NotificationRow, notification_by_event
from gavel.db.queries.refs import RefKind
from gavel.diagnosis.breakdown import DirectionNumbers, waterfall
from gavel.egress.policy import OutboundPolicy
from gavel.vault import Vault

# Where a message as the outbox keeps it says what its picture shows: subject, id, head of the diagnosis, named layers.
PICTURE_OF = "picture_of"
ROUTE = "/api/v1/alert-pictures"
_PURPOSE = "alert pictures"


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a picture is drawn from; drawing it takes 0.2 s of a processor and is done outside of transactions."""

    heading: Heading
    directions: Sequence[DirectionNumbers]

    def draw(self) -> Picture | None:
        """None where there is nothing to draw."""
        try:
            return waterfall_picture(self.heading, self.directions)
        except ValueError:
            return None


def load_drawing(connection: Connection, plain: Mapping[str, Any]) -> Drawing | None:
    """Of a message as the outbox keeps it; None when there is nothing to draw, or no longer."""
    of = plain.get(PICTURE_OF)
    if of is None:
        return None
    message = message_of(plain)
    try:
        found = waterfall(connection, RefKind(of["subject"]), of["id"], message.from_at, message.to_at)
    except (NotFoundError, ValueError):
        return None
    heading = Heading(
        name=" › ".join(message.path),
        sentence=of["head"],
        window=window(message.from_at, message.to_at),
        quality=message.quality.value if message.quality else None,
        named=tuple(of["named"]),
        baseline_from=found.baseline_from,
    )
    return Drawing(heading, found.directions)


def linked_picture(vault: Vault, outside: OutboundPolicy, due: NotificationRow, now: datetime) -> Picture | None:
    """The same by a signed address, for who cannot be sent a file."""
    if outside.public_url is None or due.message.get(PICTURE_OF) is None:
        return None
    token = signed(vault.derived(_PURPOSE), due.event_id, now + LASTS)
    alt = f"Latency breakdown of {' › '.join(due.message['path'])}"
    return Picture(alt=alt, url=f"{outside.public_url}{ROUTE}/{token}")


def event_of(vault: Vault, token: str, now: datetime) -> str:
    """The event whose picture a signed address is for. Raises NotFoundError, with no more said than that, for any other address."""
    try:
        return opened(vault.derived(_PURPOSE), token, now)
    except LinkError as error:
        raise NotFoundError("There is no such picture.") from error


def png_of(engine: Engine, event_id: str) -> bytes:
    """Raises NotFoundError for what is gone."""
    with reading(engine) as connection:
        drawing = load_drawing(connection, notification_by_event(connection, event_id).message)
    found = drawing.draw() if drawing else None
    if found is None or found.png is None:
        raise NotFoundError("There is no such picture.")
    return found.png
