"""HTTP of the listener: as that of the API, but who comes when all places are taken is told to keep its lines, as agents understand it."""

import json

from gavel.api.http_protocol import DeadlineProtocol
from gavel.listener.limits import LATER_S


class PushProtocol(DeadlineProtocol):
    """429 with Retry-After instead of 503."""

    @property
    def is_behind_proxy(self) -> bool:
        """Return whether the listener has no TLS of its own, so that a proxy adds it."""
        return self.scheme != "https"

    def full(self) -> bytes:
        message = "Too many connections are open."
        body = json.dumps({"code": "too many requests", "message": message, "error": message}).encode()
        head = (
            "HTTP/1.1 429 Too Many Requests\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nretry-after: {LATER_S}\r\nconnection: close\r\n\r\n"
        )
        return head.encode() + body
