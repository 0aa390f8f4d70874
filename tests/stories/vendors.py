"""A receiver of every vendor's kind beside a product, and what each of them has to have received of one incident."""

import email
import email.policy
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

from tests.alerting.channel_settings import ANSWERS, SECRETS, SETTINGS
from tests.alerting.inertness import complaints
from tests.alerting.receivers import HttpReceiver, SmtpReceiver, http_receiver, smtp_receiver
from tests.alerting.signing import is_signed

from gavel.alerting.registry import CHANNELS

_UNSEEN = "\u200b"


@dataclass(frozen=True)
class Vendors:
    """over_http: by kind."""

    over_http: dict[str, HttpReceiver]
    mailbox: SmtpReceiver

    def settings(self) -> dict[str, dict[str, object]]:
        """By kind, of channels that lead here."""
        places = {kind: made.url for kind, made in self.over_http.items()} | {"email": f":{self.mailbox.port}"}
        return {kind: SETTINGS[kind](url) for kind, url in places.items()}

    def bodies(self) -> dict[str, list[bytes]]:
        """Messages by kind, in order; uploads of pictures are none."""
        found = {
            kind: [one.body for one in made.received if "/files." not in one.path]
            for kind, made in self.over_http.items()
        }
        return found | {"email": list(self.mailbox.mails)}

    def have_had(self, count: int) -> bool:
        return all(len(bodies) >= count for bodies in self.bodies().values())

    def problems(self, said: dict[str, Any]) -> list[str]:
        """What is wrong with what came: each vendor its own form of one beginning and one end. said: the data of the signed webhook."""
        return list(self._problems(said))

    def _problems(self, said: dict[str, Any]) -> Iterator[str]:
        (array,) = (layer for layer in said["layers"] if layer["name"] == "Array")
        number = f"{array['us'] / 1000:.2f} ms"
        for kind, bodies in self.bodies().items():
            if len(bodies) != 2:
                yield f"{kind}: {len(bodies)} messages"
            yield from (f"{kind}: {wrong}" for body in bodies for wrong in complaints(kind, body))
            text = _text(kind, bodies[0])
            yield from (f"{kind}: does not say {word}" for word in (said["path"][-1], number) if word not in text)
        for one in self.over_http["webhook"].received:
            yield from ("webhook: a signature is wrong" for key in SECRETS if not is_signed(one.headers, one.body, key))
        if len({one.headers["webhook-id"] for one in self.over_http["webhook"].received}) != 2:
            yield "webhook: beginning and end have to have ids of their own"


@contextmanager
def vendors() -> Iterator[Vendors]:
    with ExitStack() as stack:
        made = {kind: stack.enter_context(http_receiver()) for kind in sorted(set(CHANNELS) - {"email"})}
        for kind, answer in ANSWERS.items():
            made[kind].answers[:] = [answer]
        yield Vendors(made, stack.enter_context(smtp_receiver()))


def _text(kind: str, body: bytes) -> str:
    """Everything that it says, without what breaks markup."""
    if kind == "email":
        plain = email.message_from_bytes(body, policy=email.policy.default).get_body(("plain",))
        return plain.get_content() if plain else ""
    if body.startswith(b"--"):
        body = body.split(b"\r\n\r\n")[1].partition(b"\r\n--")[0]
    told = json.loads(body)
    if kind == "webhook":
        # Its numbers are numbers.
        told = [told, [f"{layer['us'] / 1000:.2f} ms" for layer in told["data"]["layers"]]]
    return json.dumps(told, ensure_ascii=False).replace("\\", "").replace(_UNSEEN, "")
