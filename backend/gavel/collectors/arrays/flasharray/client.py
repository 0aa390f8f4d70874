"""One FlashArray over HTTPS: version, session, pages, back-off and deadlines. Knows nothing of what the items mean."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException, HTTPMessage, HTTPResponse, IncompleteRead
from typing import Self
from urllib.parse import urlencode

import msgspec
import stamina

from gavel import clock
from gavel.collectors.arrays.flasharray import parse
from gavel.collectors.arrays.flasharray.paging import MOST_PAGES, PAGE_LIMIT, ListProgress
from gavel.collectors.clock import DateClock
from gavel.collectors.net import only_source_errors
from gavel.domain.errors import (
    AuthenticationError,
    OverloadedError,
    PermissionMissingError,
    ProtocolError,
    SourceError,
    WrongKindError,
)
from gavel.domain.source import Usage
from gavel.domain.text import clean_text
from gavel.egress.kept_connection import KeptConnection
from gavel.egress.network import (
    LOGOUT_S,
    TOTAL_S,
    http_date_s,
    parse_address,
    remaining_s,
    resolve,
    retry_after_s,
    total_deadline,
)
from gavel.egress.tls import TrustContext, network_error

# A page of 1,000 performance rows is 1–2 MB; a body beyond this is not one.
_LARGEST_BODY = 16 * 1024 * 1024
_LONGEST_RETRY_AFTER_S = 5.0
# The longest that stamina waits between two attempts; with less time left, there is none.
_LONGEST_WAIT_S = 8.0
_LONGEST_TOKEN = 4096
_TOKENS_ON_PERFORMANCE = (2, 38)

Params = Mapping[str, str | int]
_HEADERS = {"Accept": "application/json", "Accept-Encoding": "identity"}


@dataclass(frozen=True, slots=True)
class ArrayResponse:
    """What one call was answered with: the body as it came over the wire, never unpacked."""

    status: int
    headers: HTTPMessage
    body: bytes


class FlashArrayClient:
    """A session with one array. Logs in at the first need and once more after a 401; not thread-safe."""

    def __init__(self, address: str, api_token: str, context: TrustContext) -> None:
        self.address = parse_address(address)
        self.clock = DateClock()
        self._api_token = api_token
        self._session_token: str | None = None
        self._version: parse.RestVersion | None = None
        self._calls = 0
        self._bytes = 0
        self._connection = KeptConnection(self.address, context)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def usage(self) -> Usage:
        return Usage(self._calls, self._bytes)

    @property
    def version(self) -> parse.RestVersion:
        """The REST version spoken with this array, agreed on at the first call."""
        if self._version is None:
            offered = parse.parse_versions(self._read_versions(), str(self.address))
            self._version = parse.choose_version(offered)
            if self._version is None:
                raise WrongKindError(
                    f"{self.address}: offers REST {offered or 'no 2.x version'}; Gavel needs one from 2.2 on (Purity 6.0 or newer)."
                )
        return self._version

    def login(self) -> None:
        """Open a session. A refused token is final: it is not tried again."""
        response = self._call("POST", self._path("login"), headers={"api-token": self._api_token})
        token = response.headers.get("x-auth-token")
        if response.status in (400, 401, 403):
            reason = parse.error_message(response.body) or f"HTTP {response.status}"
            raise AuthenticationError(
                f"{self.address}: the API token was refused ({reason}). Give this source a valid one."
            )
        self._raise_for(response, "login")
        if not token:
            raise ProtocolError(f"{self.address}: login answered without a session token. Is this a FlashArray?")
        if not (token.isascii() and token.isprintable() and len(token) <= _LONGEST_TOKEN):
            raise ProtocolError(f"{self.address}: login answered with a session token that no header can carry.")
        self._session_token = token

    def rows(self, resource: str, params: Params, kind: type[parse.Item]) -> Iterator[parse.ItemPage[parse.Item]]:
        """All pages of a list of a kind. Raises ProtocolError as `items`."""
        return self._pages(resource, params, partial(parse.parse_rows, kind=kind))

    def _pages(
        self, resource: str, params: Params, read: Callable[[bytes, str], parse.ItemPage[parse.AnyItem]]
    ) -> Iterator[parse.ItemPage[parse.AnyItem]]:
        """All pages of a list, by continuation token where the version has it, else by offset. Ends at an empty or last page.

        Raises ProtocolError where the pages go round in a circle or are more than any array has.
        """
        query: dict[str, str | int] = {"limit": PAGE_LIMIT, **params}
        what = f"{self.address}: {resource}"
        tokens: set[str] = set()
        offset = 0
        for _ in range(MOST_PAGES):
            page = read(self.get(resource, query), what)
            length = len(page.items) + page.rejected
            if length:
                yield page
            if not length or page.is_last:
                return
            offset += length
            query.pop("offset", None)
            if page.continuation_token and self._takes_token(resource):
                if page.continuation_token in tokens:
                    raise ProtocolError(f"{what}: the same continuation token came twice; its list has no end.")
                tokens.add(page.continuation_token)
                query["continuation_token"] = page.continuation_token
            else:
                query["offset"] = offset
        raise ProtocolError(f"{what}: after {MOST_PAGES:,} pages the array still announces more; no array has so many.")

    def items(self, resource: str, params: Params | None = None) -> list[msgspec.Raw]:
        """A whole list. Raises ProtocolError where it is larger than any array's or repeats itself."""
        progress = ListProgress(f"{self.address}: {resource}")
        found: list[msgspec.Raw] = []
        for page in self._pages(resource, params or {}, parse.raw_page):
            progress.add_items(page.items)
            found += page.items
        return found

    def get(self, resource: str, params: Params) -> bytes:
        """The body of one GET. An expired session is renewed once; an overloaded array is asked again for as long as one run may take."""
        with total_deadline(TOTAL_S):
            for attempt in stamina.retry_context(
                on=_worth_waiting, attempts=4, timeout=TOTAL_S, wait_initial=1.0, wait_max=_LONGEST_WAIT_S
            ):
                with attempt:
                    return self._get_in_session(resource, params)
        raise AssertionError("retry_context either returns or raises")

    def close(self) -> None:
        """Log out, as sessions left behind raise an alert on the array. A failure to do so is the array's own clean-up's business."""
        if self._session_token is not None:
            try:
                with total_deadline(LOGOUT_S):
                    self._call("POST", self._path("logout"), headers={"x-auth-token": self._session_token})
            except SourceError:
                pass
            self._session_token = None
        self._connection.disconnect()

    def _get_in_session(self, resource: str, params: Params) -> bytes:
        fresh = self._session_token is None
        if fresh:
            self.login()
        response = self._call(
            "GET", self._path(resource), params=params, headers={"x-auth-token": self._session_token or ""}
        )
        if response.status == 401 and not fresh:
            self.login()
            response = self._call(
                "GET", self._path(resource), params=params, headers={"x-auth-token": self._session_token or ""}
            )
        self._raise_for(response, resource)
        return response.body

    def _read_versions(self) -> bytes:
        with total_deadline(TOTAL_S):
            response = self._call("GET", "/api/api_version")
        if response.status == 404:
            raise WrongKindError(
                f"{self.address}: answers, but has no /api/api_version. This is not a FlashArray's management address."
            )
        self._raise_for(response, "api_version")
        return response.body

    def _path(self, resource: str) -> str:
        major, minor = self.version
        return f"/api/{major}.{minor}/{resource}"

    def _takes_token(self, resource: str) -> bool:
        return "performance" not in resource or self.version >= _TOKENS_ON_PERFORMANCE

    def _call(
        self, method: str, path: str, *, params: Params | None = None, headers: Mapping[str, str] | None = None
    ) -> ArrayResponse:
        try:
            with only_source_errors(self.address):
                return self._exchange(method, path, params, headers)
        finally:
            self._calls += 1

    def _exchange(
        self, method: str, path: str, params: Params | None, headers: Mapping[str, str] | None
    ) -> ArrayResponse:
        sent_at_s = clock.time_s()
        try:
            if not self._calls:
                resolve(self.address)
            target = f"{path}?{urlencode(params)}" if params else path
            response = self._connection.request(method, target, {**_HEADERS, **(headers or {})})
            self._note_date(response, sent_at_s)
            self._refuse_packed(response, path)
            return ArrayResponse(response.status, response.headers, self._bounded_body(response, path))
        except (HTTPException, OSError) as error:
            self._connection.disconnect()
            raise self._in_words(error, path) from error
        except BaseException:
            self._connection.disconnect()
            raise

    def _in_words(self, error: HTTPException | OSError, path: str) -> SourceError:
        if isinstance(error, HTTPException):
            return ProtocolError(
                f"{self.address}: the answer to {path} broke off or was not HTTP ({clean_text(str(error), 200)})."
            )
        return network_error(self.address, error)

    def _refuse_packed(self, response: HTTPResponse, path: str) -> None:
        """Unpacked was asked for; of what is packed all the same, a few bytes may become gigabytes."""
        packed = response.headers.get("content-encoding", "").strip().lower()
        if packed not in ("", "identity"):
            raise ProtocolError(
                f"{self.address}: the answer to {path} is packed ({clean_text(packed, 40)}), although Gavel asks for unpacked "
                "ones only. Does a proxy answer in place of the array?"
            )

    def _bounded_body(self, response: HTTPResponse, path: str) -> bytes:
        try:
            body = response.read(_LARGEST_BODY + 1)
        except ValueError as error:  # http.client takes a chunk's length below 0 for one
            raise ProtocolError(
                f"{self.address}: the parts of the answer to {path} have no length ({error})."
            ) from error
        self._bytes += len(body)
        if len(body) > _LARGEST_BODY:
            raise ProtocolError(
                f"{self.address}: the answer to {path} is larger than {_LARGEST_BODY >> 20} MiB; given up."
            )
        if response.length:
            raise IncompleteRead(body, response.length)
        return body

    def _note_date(self, response: HTTPResponse, sent_at_s: float) -> None:
        date_s = http_date_s(response.headers.get("date"))
        if date_s is not None:
            self.clock.observe(sent_at_s=sent_at_s, received_at_s=clock.time_s(), date_s=date_s)

    def _raise_for(self, response: ArrayResponse, resource: str) -> None:
        status = response.status
        if status in (200, 207):
            return
        reason = parse.error_message(response.body)
        what = f"{self.address}: {resource}: HTTP {status}{f' ({reason})' if reason else ''}"
        if status == 401:
            raise AuthenticationError(
                f"{what}. The session was refused twice: is its API token still valid? Give this source a valid one."
            )
        if status == 403:
            raise PermissionMissingError(f"{what}. The API user needs at least the role readonly.")
        if status in (429, 503) or "server is busy" in reason.lower():
            raise OverloadedError(
                f"{what}. The array is busy; Gavel waits and asks again.",
                retry_after_s=retry_after_s(response.headers.get("retry-after")),
            )
        raise ProtocolError(f"{what}. The array refused a valid request; please report it with the Purity version.")


def _worth_waiting(error: Exception) -> bool | float:
    """Whether one run should wait for this; a wish of the array longer than a few seconds is left to the scheduler."""
    if not isinstance(error, OverloadedError):
        return False
    wait_s = error.retry_after_s
    if wait_s is not None and wait_s > _LONGEST_RETRY_AFTER_S:
        return False
    try:
        left_s = remaining_s(TOTAL_S) or 0.0
    except TimeoutError:
        return False
    if left_s <= (_LONGEST_WAIT_S if wait_s is None else wait_s):
        return False
    return True if wait_s is None else wait_s
