"""One FlashArray over HTTPS: version, session, pages, back-off and deadlines. Knows nothing of what the items mean."""

import time
from collections.abc import Iterator, Mapping
from email.utils import parsedate_to_datetime
from typing import Self

import httpx
import msgspec
import stamina

from gavel.collectors.arrays.flasharray import parse
from gavel.collectors.clock import DateClock
from gavel.domain.errors import (
    AuthenticationError,
    OverloadedError,
    PermissionMissingError,
    ProtocolError,
    SourceError,
    WrongKindError,
)
from gavel.domain.source import Usage
from gavel.network import (
    CONNECT_S,
    LOGOUT_S,
    READ_S,
    TOTAL_S,
    parse_address,
    resolve,
    retry_after_s,
    total_deadline,
)
from gavel.trust import TrustContext, network_error

PAGE_LIMIT = 1000
# A page of 1,000 performance rows is 1–2 MB; a body beyond this is not one.
_LARGEST_BODY = 64 * 1024 * 1024
_LONGEST_RETRY_AFTER_S = 5.0
_TOKENS_ON_PERFORMANCE = (2, 38)

Params = Mapping[str, str | int]


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
        self._http = httpx.Client(
            base_url=f"https://{self.address}",
            verify=context,
            timeout=httpx.Timeout(READ_S, connect=CONNECT_S),
            headers={"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "gavel"},
            trust_env=False,
        )

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
        if response.status_code in (400, 401, 403):
            reason = parse.error_message(response.content) or f"HTTP {response.status_code}"
            raise AuthenticationError(
                f"{self.address}: the API token was refused ({reason}). Give this source a valid one."
            )
        self._raise_for(response, "login")
        if not token:
            raise ProtocolError(f"{self.address}: login answered without a session token. Is this a FlashArray?")
        self._session_token = token

    def pages(self, resource: str, params: Params) -> Iterator[list[msgspec.Raw]]:
        """All pages of a list, by continuation token where the version has it, else by offset. Ends at an empty or last page."""
        query: dict[str, str | int] = {"limit": PAGE_LIMIT, **params}
        offset = 0
        while True:
            page = parse.parse_page(self.get(resource, query), f"{self.address}: {resource}")
            items = page.items or []
            if items:
                yield items
            if not items or page.more_items_remaining is not True:
                return
            offset += len(items)
            query.pop("offset", None)
            if page.continuation_token and self._takes_token(resource):
                query["continuation_token"] = page.continuation_token
            else:
                query["offset"] = offset

    def items(self, resource: str, params: Params | None = None) -> list[msgspec.Raw]:
        return [item for page in self.pages(resource, params or {}) for item in page]

    def get(self, resource: str, params: Params) -> bytes:
        """The body of one GET. An expired session is renewed once; an overloaded array is asked again for as long as one run may take."""
        with total_deadline(TOTAL_S):
            for attempt in stamina.retry_context(
                on=_worth_waiting, attempts=4, timeout=TOTAL_S, wait_initial=1.0, wait_max=8.0
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
        self._http.close()

    def _get_in_session(self, resource: str, params: Params) -> bytes:
        fresh = self._session_token is None
        if fresh:
            self.login()
        response = self._call(
            "GET", self._path(resource), params=params, headers={"x-auth-token": self._session_token or ""}
        )
        if response.status_code == 401 and not fresh:
            self.login()
            response = self._call(
                "GET", self._path(resource), params=params, headers={"x-auth-token": self._session_token or ""}
            )
        self._raise_for(response, resource)
        return response.content

    def _read_versions(self) -> bytes:
        with total_deadline(TOTAL_S):
            response = self._call("GET", "/api/api_version")
        if response.status_code == 404:
            raise WrongKindError(
                f"{self.address}: answers, but has no /api/api_version. This is not a FlashArray's management address."
            )
        self._raise_for(response, "api_version")
        return response.content

    def _path(self, resource: str) -> str:
        major, minor = self.version
        return f"/api/{major}.{minor}/{resource}"

    def _takes_token(self, resource: str) -> bool:
        return "performance" not in resource or self.version >= _TOKENS_ON_PERFORMANCE

    def _call(
        self, method: str, path: str, *, params: Params | None = None, headers: Mapping[str, str] | None = None
    ) -> httpx.Response:
        request = self._http.build_request(method, path, params=params, headers=headers)
        sent_at_s = time.time()
        try:
            if not self._calls:
                resolve(self.address)
            response = self._http.send(request, stream=True)
            try:
                self._note_date(response, sent_at_s)
                body = self._bounded_body(response, path)
            finally:
                response.close()
            return httpx.Response(response.status_code, headers=response.headers, content=body, request=request)
        except httpx.RemoteProtocolError as error:
            raise ProtocolError(f"{self.address}: the answer to {path} broke off or was not HTTP ({error}).") from error
        except (httpx.TransportError, OSError) as error:
            raise network_error(self.address, error) from error
        finally:
            self._calls += 1

    def _bounded_body(self, response: httpx.Response, path: str) -> bytes:
        body = bytearray()
        for chunk in response.iter_raw():
            body += chunk
            if len(body) > _LARGEST_BODY:
                raise ProtocolError(
                    f"{self.address}: the answer to {path} is larger than {_LARGEST_BODY >> 20} MiB; given up."
                )
        self._bytes += len(body)
        return bytes(body)

    def _note_date(self, response: httpx.Response, sent_at_s: float) -> None:
        stamp = response.headers.get("date")
        try:
            date_s = parsedate_to_datetime(stamp).timestamp() if stamp else None
        except ValueError:
            date_s = None
        if date_s is not None:
            self.clock.observe(sent_at_s=sent_at_s, received_at_s=time.time(), date_s=date_s)

    def _raise_for(self, response: httpx.Response, resource: str) -> None:
        status = response.status_code
        if status in (200, 207):
            return
        reason = parse.error_message(response.content)
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
        raise ProtocolError(
            f"{what}. The array refused a request that Gavel believes valid; please report it with the Purity version."
        )


def _worth_waiting(error: Exception) -> bool | float:
    """Whether one run should wait for this; a wish of the array longer than a few seconds is left to the scheduler."""
    if not isinstance(error, OverloadedError):
        return False
    if error.retry_after_s is None:
        return True
    return error.retry_after_s if error.retry_after_s <= _LONGEST_RETRY_AFTER_S else False
