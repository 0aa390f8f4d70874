"""Requests that no page sends: every hostile value in every place of a query or path, then bodies, methods and headers by chance.

What the API does at an address of the asker's choice (tries, certificates) is asked of it by strangers only: it would leave this machine.
"""

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from tests.hostile.api import values
from tests.hostile.api.server import Server

LATE_S = 2.0
MOST_MEMORY_MIB = 256
AT_ONCE = 4
# They ask other machines; and the stream never ends.
OUTSIDE = {"certificate", "try_settings", "try_stored", "try_channel_settings", "try_stored_channel"}
STREAM = "live"
# Would take away what the others ask for.
_ENDING = {"remove_source", "sign_out_everywhere"}


@dataclass(frozen=True)
class Request:
    operation: str
    method: str
    target: str
    headers: tuple[tuple[str, str], ...]
    body: bytes | None

    def raw(self) -> bytes:
        """As it goes over the wire, whatever is in it."""
        names = {name.lower() for name, _ in self.headers}
        fields = [] if "host" in names else [("Host", "127.0.0.1")]
        fields += self.headers
        if self.body is not None and not {"content-length", "transfer-encoding"} & names:
            fields.append(("Content-Length", str(len(self.body))))
        fields.append(("Connection", "close"))
        head = f"{self.method} {self.target} HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in fields)
        return head.encode("utf-8", errors="surrogatepass") + b"\r\n" + (self.body or b"")

    def __str__(self) -> str:
        return f"{self.operation}: {self.raw()[:600]!r}"


@dataclass
class Report:
    """What became of the requests. Only those that were really sent count."""

    requests: int = 0
    systematic: int = 0
    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    late: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    seconds: float = 0.0
    memory_mib: float = 0.0

    def __str__(self) -> str:
        return "\n  ".join([
            f"requests         {self.requests} ({self.systematic} of them each value in each place), {self.seconds:.0f} s",
            f"answers          {dict(sorted(self.statuses.items()))} (0: cut off before an answer)",
            f"5xx              {len(self.faults)}",
            f"later than {LATE_S:.0f} s   {len(self.late)} (slowest {self.slowest_s:.2f} s)",
            f"memory           +{self.memory_mib:.0f} MiB at its highest",
            *self.faults[:5],
            *self.late[:5],
        ])  # fmt: skip


class Campaign:
    """One server, one description, one seed."""

    def __init__(self, server: Server, described: Any, seed: int) -> None:
        self._server = server
        self._described = described
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self.report = Report()

    def run(self, count: int) -> Report:
        """At least `count` requests where there are fewer in all places; a share of each kind of place otherwise."""
        began = time.monotonic()
        systematic = list(self._systematic())
        self._chance.shuffle(systematic)
        systematic = systematic[: max(1, count * 3 // 5)]
        self.report.systematic = len(systematic)
        self._warm_up(systematic[:50])
        before = self._server.memory_mib()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for _ in pool.map(self._send, self._all(systematic, count)):
                if self.report.requests % 100 == 0:
                    self.report.memory_mib = max(self.report.memory_mib, self._server.memory_mib() - before)
        self.report.seconds = time.monotonic() - began
        return self.report

    def _all(self, systematic: list[Request], count: int) -> Iterator[Request]:
        yield from systematic
        yield from (self._by_chance() for _ in range(count - len(systematic)))

    def _warm_up(self, requests: Iterable[Request]) -> None:
        for request in requests:
            self._server.ask(request.raw(), request.method, head_only=request.operation == STREAM)

    def _send(self, request: Request) -> None:
        answered = self._server.ask(request.raw(), request.method, head_only=request.operation == STREAM)
        if answered.seconds > LATE_S:
            # Whether the request is slow, or this machine was busy.
            again = self._server.ask(request.raw(), request.method, head_only=request.operation == STREAM)
            answered = min(answered, again, key=lambda one: one.seconds)
        with self._lock:
            report = self.report
            report.requests += 1
            report.statuses[answered.status] += 1
            report.slowest_s = max(report.slowest_s, answered.seconds)
            if answered.seconds > LATE_S:
                report.late.append(f"{answered.seconds:.1f} s: {request}")
            if answered.status >= 500:
                report.faults.append(f"{answered.status} {answered.body[:300]!r}: {request}")

    # --- requests -----------------------------------------------------------------------------------------------------

    def _operations(self) -> Iterator[tuple[str, str, Any]]:
        for path, operations in self._described["paths"].items():
            for method, operation in operations.items():
                yield method.upper(), path, operation

    def _systematic(self) -> Iterator[Request]:
        """Each hostile value in each place of each reading operation, as a stranger and as the admin; each body where one is taken."""
        for method, path, operation in self._operations():
            places = [(one["in"], one["name"]) for one in operation.get("parameters", ())]
            for where, name in places if method == "GET" else ():
                for value in values.TEXTS:
                    for is_admin in (False, True):
                        yield self._made(method, path, operation, {(where, name): value}, is_admin=is_admin)
            if "requestBody" in operation:
                for body in values.BYTES:
                    yield self._made(method, path, operation, {}, is_admin=self._as_admin(operation), body=body)

    def _by_chance(self) -> Request:
        chance = self._chance
        method, path, operation = chance.choice(list(self._operations()))
        places = [(one["in"], one["name"]) for one in operation.get("parameters", ())]
        spoiled = {place: chance.choice(values.TEXTS) for place in places if chance.random() < 0.4}
        made = self._made(
            method, path, operation, spoiled, is_admin=chance.random() < 0.7 and self._as_admin(operation)
        )
        return self._with_odd_headers(made) if chance.random() < 0.3 else made

    @staticmethod
    def _as_admin(operation: Any) -> bool:
        return operation["operationId"] not in OUTSIDE | _ENDING

    def _with_odd_headers(self, request: Request) -> Request:
        chance = self._chance
        odd = [chance.choice(values.HEADERS)]
        if chance.random() < 0.3:
            odd.append(("Host", chance.choice(values.HOSTS)))
        if chance.random() < 0.3:
            odd.append(("Origin", chance.choice(values.ORIGINS)))
        method = chance.choice(values.METHODS) if chance.random() < 0.3 else request.method
        safe = request.operation not in OUTSIDE | _ENDING
        kept = request.headers if safe or method == request.method else ()
        names = {name.lower() for name, _ in odd}
        headers = tuple(one for one in kept if one[0].lower() not in names) + tuple(odd)
        # A deletion of another kind of request's path would take away what the others ask for.
        if method == "DELETE" and "/sources/" in request.target:
            method = "PUT"
        return Request(request.operation, method, request.target, headers, request.body)

    def _made(
        self,
        method: str,
        path: str,
        operation: Any,
        spoiled: dict[tuple[str, str], str],
        *,
        is_admin: bool,
        body: bytes | None = None,
    ) -> Request:
        target, query = path, []
        for one in operation.get("parameters", ()):
            value = spoiled.get((one["in"], one["name"]))
            if one["in"] == "path":
                target = target.replace(
                    f"{{{one['name']}}}", quote(value if value is not None else self._fine(one), safe="")
                )
            elif value is not None:
                query.append(f"{one['name']}={quote(value, safe='')}")
        if "requestBody" in operation and body is None:
            body = self._body(operation)
        headers = [("Authorization", f"Bearer {self._server.admin_token}")] if is_admin else []
        if body is not None:
            described = next(iter(operation.get("requestBody", {}).get("content", {})), "application/json")
            kind = self._chance.choice(values.KINDS) if self._chance.random() < 0.1 else described
            headers.append(("Content-Type", kind))
        whole = target + ("?" + "&".join(query) if query else "")
        return Request(operation["operationId"], method, whole, tuple(headers), body)

    def _fine(self, parameter: Any) -> str:
        schema = self._resolved(parameter["schema"])
        if "enum" in schema:
            return str(self._chance.choice(schema["enum"]))
        return str(self._chance.randint(1, 12)) if schema.get("type") == "integer" else "x"

    def _resolved(self, schema: Any) -> Any:
        reference = schema.get("$ref")
        return self._described["components"]["schemas"][reference.rpartition("/")[2]] if reference else schema

    def _body(self, operation: Any) -> bytes:
        """A body that fits the schema but for one or two values; of what is no JSON any bytes."""
        chance = self._chance
        described = operation["requestBody"]["content"].get("application/json")
        if described is None or chance.random() < 0.1:
            return chance.choice(values.BYTES)
        schema = described["schema"]
        made = self._example(schema, 0)
        for _ in range(chance.choice((1, 1, 2))):
            made = self._spoiled(made)
        return json.dumps(made).encode()

    def _example(self, schema: Any, depth: int) -> Any:
        schema = self._resolved(schema)
        if "anyOf" in schema:
            return self._example(self._chance.choice(schema["anyOf"]), depth)
        if "enum" in schema or "const" in schema:
            return self._chance.choice(schema.get("enum") or [schema["const"]])
        return self._plain(schema, depth)

    def _plain(self, schema: Any, depth: int) -> Any:
        kind = schema.get("type")
        if kind == "object":
            properties = schema.get("properties", {})
            if not properties:
                return {
                    "address": "127.0.0.1:9",
                    "api_token": "x" * 20,
                    "url": "https://127.0.0.1:9/x",
                    "username": "a",
                    "password": "b",
                }
            return {name: self._example(part, depth + 1) for name, part in properties.items()}
        if kind == "array":
            return [self._example(schema["items"], depth + 1) for _ in range(max(1, schema.get("minItems", 1)))]
        if kind == "string":
            return {"date-time": "2026-12-01T00:00:00Z", "date": "2026-12-01", "time": "22:00:00"}.get(
                schema.get("format"), "webhook"
            )
        numbers = {"integer": self._chance.randint(1, 9), "number": 1.5, "boolean": True}
        return numbers.get(kind)

    def _spoiled(self, document: Any) -> Any:
        """The same with a hostile value in one place, or another key."""
        document = deepcopy(document)
        places = list(_places(document))
        if not places:
            return self._chance.choice(values.LEAVES)
        container, key = self._chance.choice(places)
        if isinstance(container, dict) and self._chance.random() < 0.15:
            container[self._chance.choice(values.TEXTS)] = container.pop(key)
        else:
            container[key] = self._chance.choice(values.LEAVES)
        return document


def _places(document: Any) -> Iterator[tuple[Any, Any]]:
    entries: Iterable[tuple[Any, Any]] = ()
    if isinstance(document, dict):
        entries = document.items()
    elif isinstance(document, list):
        entries = enumerate(document)
    for key, value in entries:
        yield document, key
        yield from _places(value)
