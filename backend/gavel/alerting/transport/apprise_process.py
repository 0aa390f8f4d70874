"""One delivery through Apprise, as a process: its order comes on standard input, its end goes to standard output, its sockets are watched.

The watch is an audit hook of the interpreter: it sees every connection, file and process that Python code asks for, whichever library does,
and nothing can take it off again. What it refuses is told by the end, even if the library keeps the refusal for itself.
"""

import ipaddress
import json
import os
import resource
import signal
import sys
import sysconfig
from base64 import b64decode
from types import FrameType
from typing import Any

import apprise
import requests
from apprise.attachment.memory import AttachMemory
from apprise.manager_plugins import NotificationManager

from gavel.egress.policy import Allowed, ForbiddenError, parse_networks

# An answer is kept whole by the library: an endless one ends here.
_MOST_MEMORY = 1024 * 1024 * 1024
_PROCESSES = (
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "os.spawn",
    "os.fork",
    "os.forkpty",
    "pty.spawn",
)
_NEVER = frozenset({*_PROCESSES, "ctypes.dlopen", "syslog.openlog", "syslog.syslog", "socket.bind"})
_OUTWARD = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class AuditHook:
    """What this process may do. refused: the first thing that it may not and tried."""

    def __init__(self, allowed: Allowed) -> None:
        self.allowed = allowed
        self.refused: str | None = None
        # Program, standard library, packages, and the lists of types and time zones that they read.
        own = (
            *sysconfig.get_paths().values(),
            *(entry for entry in sys.path if entry),
            sys.prefix,
            sys.base_prefix,
            "/usr/share/zoneinfo",
        )
        self._readable = tuple({os.path.realpath(place) for place in own})
        self._files = frozenset(
            {os.devnull, "/dev/urandom", "/etc/mime.types", "/etc/localtime", "/proc/version", "/etc/os-release"}
        )

    def __call__(self, event: str, args: tuple[Any, ...]) -> None:
        if event in _OUTWARD:
            self._check_address(args[1])
        elif event == "open":
            self._check_file(args[0], args[2])
        elif event in _NEVER:
            self._refuse(f"the service wanted to do more than send a message ({event})")

    def _check_address(self, address: Any) -> None:
        if not isinstance(address, tuple):
            self._refuse("the service tried to connect to a program on this machine")
        host = str(address[0])
        try:
            # A name would be resolved again by the connection itself, perhaps to another address.
            ipaddress.ip_address(host.partition("%")[0])
            self.allowed.check(host, host)
        except ValueError:
            self._refuse(f"{host}: connected to by name, so where it leads cannot be checked")
        except ForbiddenError as error:
            self._refuse(str(error))

    def _check_file(self, path: Any, flags: Any) -> None:
        if isinstance(path, int):
            return
        place = os.path.realpath(os.fsdecode(path))
        is_own = place in self._files or any(
            place == root or place.startswith(root + os.sep) for root in self._readable
        )
        if not is_own or (isinstance(flags, int) and flags & _WRITING and place != os.devnull):
            self._refuse("the address asks for a file of this machine")

    def _refuse(self, why: str) -> None:
        self.refused = self.refused or why
        raise ForbiddenError(why)


class Answers:
    """The last answer over HTTP: status, and the headers that say when to come again."""

    def __init__(self, schemes: frozenset[str], watch: AuditHook) -> None:
        self.status: int | None = None
        self.headers: dict[str, str] = {}
        self._schemes, self._watch = schemes, watch

    def listen(self) -> None:
        """All HTTP of the library goes through `requests`: no redirect is followed, and no scheme used that is not allowed."""
        send = requests.Session.send

        def heard(session: requests.Session, request: requests.PreparedRequest, **options: Any) -> requests.Response:
            scheme = (request.url or "").partition(":")[0].lower()
            try:
                self._watch.allowed.check_scheme(scheme)
            except ForbiddenError as error:
                self._watch.refused = self._watch.refused or str(error)
                raise
            answer = send(session, request, **{**options, "allow_redirects": False})
            self.status = answer.status_code
            self.headers = {
                name.lower(): value for name, value in answer.headers.items() if name.lower() == "retry-after"
            }
            return answer

        requests.Session.send = heard  # type: ignore[method-assign, assignment]


def main() -> None:
    order = json.load(sys.stdin)
    schemes = frozenset(order["schemes"])
    # All plugins are read before the watch begins, so that it has less to allow.
    NotificationManager().schemas()  # type: ignore[no-untyped-call]
    watch = AuditHook(Allowed(parse_networks(order["networks"]), schemes))
    answers = Answers(schemes, watch)
    answers.listen()
    resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    _end_in(order["total_s"], answers, order["url"].partition("://")[0])
    # What was compiled is kept for the next process; from here on nothing is written.
    sys.dont_write_bytecode = True
    sys.addaudithook(watch)
    _report(_sent(order, answers, watch))


def _sent(order: dict[str, Any], answers: Answers, watch: AuditHook) -> dict[str, Any]:
    service = order["url"].partition("://")[0]
    asset = apprise.AppriseAsset(storage_mode="memory", allow_templates=False, service_timeout=0)
    asset.http_redirects = asset.async_mode = False
    plugin = apprise.Apprise.instantiate(order["url"], asset=asset)
    if not isinstance(plugin, apprise.NotifyBase):
        words = (
            f"Apprise does not support this address of {service}://, or lacks what that service needs."
            " Compare it with its documentation."
        )
        return {"end": "forbidden" if watch.refused else "unknown", "detail": watch.refused or words}
    # Whatever the address says: one attempt, now, with certificates checked.
    plugin.verify_certificate, plugin.redirects, plugin.request_rate_per_sec = True, False, 0
    plugin.overflow_mode = apprise.OverflowMode.SPLIT if service.startswith("mailto") else apprise.OverflowMode.TRUNCATE
    every = apprise.Apprise(asset=asset)
    every.add(plugin)
    told = every.notify(
        body=order["body"],
        title=order["title"],
        notify_type=order["kind"],
        body_format=apprise.NotifyFormat.TEXT,
        attach=_attached(order["picture"], asset),
    )
    if watch.refused:
        return {"end": "forbidden", "detail": watch.refused}
    end = "sent" if told else "failed"
    return {"end": end, "service": str(plugin.service_name), "status": answers.status, "headers": answers.headers}


def _attached(picture: str | None, asset: apprise.AppriseAsset) -> apprise.AppriseAttachment | None:
    if picture is None:
        return None
    file = AttachMemory(content=b64decode(picture), name="waterfall.png", mimetype="image/png")  # type: ignore[no-untyped-call]
    return apprise.AppriseAttachment([file], asset=asset)


def _end_in(seconds: float, answers: Answers, service: str) -> None:
    """However slowly the service answers: the end is reported and the process gone."""

    def late(_signal: int, _frame: FrameType | None) -> None:
        _report({"end": "late", "service": service, "status": answers.status, "headers": answers.headers})
        os._exit(0)

    signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds)


def _report(end: dict[str, Any]) -> None:
    os.write(1, json.dumps(end).encode())


if __name__ == "__main__":
    main()
