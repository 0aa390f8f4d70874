"""Addresses of pictures that chat services fetch without a login: signed, and over after a while."""

import base64
import hashlib
import hmac
import re
from datetime import UTC, datetime, timedelta

# Longer than a message is news; chat services keep their own copy.
LASTS = timedelta(days=7)
_PURPOSE = b"gavel alert picture 1"
_NAME = re.compile(r"[A-Za-z0-9_-]{1,128}")
_TOKEN = re.compile(r"([A-Za-z0-9_-]{1,128})\.([0-9]{1,12})\.([A-Za-z0-9_-]{43})")


class LinkError(Exception):
    """This is no picture's address, or it is over. Tells no more: who asks may be anybody."""


def signed(key: bytes, name: str, expires_at: datetime) -> str:
    """The last part of the address of picture `name`, for a route that gives it to `opened`. ValueError for an unusable name."""
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is no name for a picture: use letters, digits, - and _")
    content = f"{name}.{int(expires_at.timestamp())}"
    return f"{content}.{_signature(key, content)}"


def opened(key: bytes, token: str, now: datetime) -> str:
    """The name of the picture that this address is for. Raises LinkError."""
    # ASCII only: digits of other scripts are digits too.
    found = _TOKEN.fullmatch(token) if token.isascii() else None
    if found is None:
        raise LinkError("no such picture")
    name, expires_s, signature = found.groups()
    # The signature first, and in constant time: nothing is learnt by guessing.
    if not hmac.compare_digest(signature, _signature(key, f"{name}.{expires_s}")):
        raise LinkError("no such picture")
    if now >= datetime.fromtimestamp(int(expires_s), UTC):
        raise LinkError("no such picture")
    return name


def _signature(key: bytes, content: str) -> str:
    # A key of its own, so that what is signed here is worth nothing where else the same secret is used.
    own = hmac.new(key, _PURPOSE, hashlib.sha256).digest()
    return base64.urlsafe_b64encode(hmac.new(own, content.encode(), hashlib.sha256).digest()).decode().rstrip("=")
