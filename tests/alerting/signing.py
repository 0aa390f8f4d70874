"""Whether a request is signed as Standard Webhooks wants it."""

import base64
import hashlib
import hmac
from collections.abc import Mapping


def is_signed(headers: Mapping[str, str], body: bytes, secret: str) -> bool:
    """headers: lower-case names. One of several signatures is enough, as while a key is changed."""
    content = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    key = base64.b64decode(secret.removeprefix("whsec_"))
    ours = base64.b64encode(hmac.new(key, content, hashlib.sha256).digest()).decode()
    return f"v1,{ours}" in headers["webhook-signature"].split()
