"""HTTPS serving on loopback, one listener per source, a thread per connection, keep-alive; wire faults are applied here.

A protocol server is one function from `Request` to `Response`. The lab finds them here:

    gavel_lab.flasharray.server:create(lab: Lab, array: Array) -> App
    gavel_lab.vcenter.server:create(lab: Lab, vcenter: VCenter) -> App

`create` is called once per source at start-up; the App is called from many threads at once and may block (a long poll such as
WaitForUpdatesEx just sleeps in its thread). It knows nothing of TLS, sockets or wire faults. An exception it raises becomes
a 500 with the traceback on stderr.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Request:
    """One HTTP request, completely read. Header names are lower case. `query` is the raw string after `?`."""

    method: str
    path: str  # percent-decoded, without the query
    query: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Response:
    """One HTTP response. Content-Length, Date (the source's clock), Server and Connection are added by the serving side."""

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    headers: Mapping[str, str] = field(default_factory=dict)


App = Callable[[Request], Response]
