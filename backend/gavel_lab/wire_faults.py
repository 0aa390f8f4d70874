"""What is sent in place of an answer while a wire fault is in force."""

import json
import random
from email.utils import formatdate

from gavel_lab.faults import Fault, FaultKind

_MATCHED_BODY = 4096
_GARBAGE_BYTES = 2000
_LOGIN_PAGE = b"""<!DOCTYPE html>
<html><head><title>Sign in</title></head><body><h1>Sign in</h1><form method="post"><input name="user"></form></body></html>
"""

# status, body, content type, headers
Replacement = tuple[int, bytes, str, dict[str, str]]


def text_of(method: str, target: str, body: bytes) -> str:
    """The text a fault's `match` is looked for in."""
    return f"{method} {target}\n{body[:_MATCHED_BODY].decode('utf-8', 'replace')}"


def replacement(fault: Fault, *, is_json: bool, now: float) -> Replacement:
    """The response a fault puts in the place of the app's. `now` is what the source's clock shows."""
    if fault.kind is FaultKind.HTML:
        return 200, _LOGIN_PAGE, "text/html", {}
    if fault.kind is FaultKind.GARBAGE:
        kind = "application/json" if is_json else "text/xml; charset=utf-8"
        text = fault.parameters.get("text")
        noise = random.Random(fault.id).randbytes(_GARBAGE_BYTES)
        return 200, noise if text is None else str(text).encode(), kind, {}
    status = fault.number("status")
    headers = _retry_after(fault, now)
    usual = {429: "Too many requests.", 503: "Server is busy."}.get(status, f"Refused on purpose with {status}.")
    message = str(fault.parameters.get("message", usual))
    if is_json:
        error = {"errors": [{"context": None, "message": message}]}
        return status, json.dumps(error).encode(), "application/json", headers
    return status, f"<html><body>{message}</body></html>".encode(), "text/html", headers


def _retry_after(fault: Fault, now: float) -> dict[str, str]:
    """Retry-After in seconds, or as a date by the source's clock: both forms are allowed."""
    if "retry_after_s" not in fault.parameters:
        return {}
    wait_s = fault.number("retry_after_s")
    as_date = fault.parameters.get("retry_after_form") == "date"
    return {"Retry-After": formatdate(now + wait_s, usegmt=True) if as_date else str(wait_s)}
