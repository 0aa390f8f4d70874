"""What well-behaved sources answer, recorded from the lab in this process: the material that the campaign spoils."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any
from unittest.mock import patch

from pydantic import SecretStr
from tests.hostile.sources.peer import Answers, Bytes, Request, Socket

from gavel.collectors.arrays.flasharray.collector import FlashArrayCollector
from gavel.collectors.arrays.flasharray.settings import FlashArraySettings
from gavel.collectors.contract import Collector
from gavel.collectors.hosts.vcenter.collector import VcenterCollector
from gavel.collectors.hosts.vcenter.settings import VcenterSettings
from gavel.collectors.net import CheckedCollector
from gavel.db.write.inventory_rows import rows_by_kind
from gavel.domain.source import Stream
from gavel.egress import kept_connection
from gavel_lab.clocks import LabTime
from gavel_lab.flasharray.server import create as create_array
from gavel_lab.lab import Lab, create_lab
from gavel_lab.serve import App
from gavel_lab.serve import Request as LabRequest
from gavel_lab.vcenter.server import create as create_vcenter

AT = 1_795_213_032.0  # 2026-11-20T22:17:12Z
UNTIL = datetime.fromtimestamp(AT, UTC) + timedelta(seconds=10)
SINCE = UNTIL - timedelta(seconds=70)
PATHS_SINCE = UNTIL - timedelta(minutes=11)
PIN = "00" * 32
ADDRESS = "127.0.0.1"


@dataclass(frozen=True)
class Answer:
    """One whole answer of a well-behaved source, before anything is spoiled."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass
class Recording:
    """What was answered to each question (an array's path, a vCenter's method), in order."""

    answers: dict[str, list[Answer]] = field(default_factory=lambda: defaultdict(list))

    def again(self) -> Callable[[str], Answer]:
        """The same answers in the same order; the last of each for ever."""
        asked: dict[str, int] = defaultdict(int)

        def next_of(question: str) -> Answer:
            known = self.answers.get(question)
            if not known:
                return Answer(404, {"Content-Type": "text/plain"}, b"Not Found")
            answer = known[min(asked[question], len(known) - 1)]
            asked[question] += 1
            return answer

        return next_of


def question_of(request: Request) -> str:
    """An array's path without its version, or a vCenter's method."""
    if request.method == "POST" and request.path == "/sdk":
        start = request.body.find(b"Body><") + len(b"Body><")
        return request.body[start:].split(b" ", 1)[0].decode("latin-1")
    return f"{request.method} {request.path}"


def encoded(answer: Answer) -> bytes:
    head = [f"HTTP/1.1 {answer.status} X", f"Content-Length: {len(answer.body)}"]
    head += [f"{name}: {value}" for name, value in answer.headers.items()]
    return "\r\n".join(head).encode("utf-8", "surrogatepass") + b"\r\n\r\n" + answer.body


def _asked(app: App, request: Request, session: Mapping[str, str]) -> Answer:
    path, _, query = request.target.partition("?")
    response = app(LabRequest(request.method, path, query, session, request.body))
    return Answer(response.status, {"Content-Type": response.content_type, **response.headers}, response.body)


def _recording(app: App, recording: Recording, session: dict[str, str]) -> Answers:
    def answers(request: Request) -> Bytes:
        answer = _asked(app, request, session)
        recording.answers[question_of(request)].append(answer)
        if token := answer.headers.get("x-auth-token"):
            session["x-auth-token"] = token
        if cookie := answer.headers.get("Set-Cookie"):
            session["cookie"] = cookie.split(";", 1)[0]
        return Bytes(encoded(answer))

    return answers


# --- collectors whose connections end in this process --------------------------------------------------------------------


def array_collector(answers: Answers) -> CheckedCollector:
    settings = FlashArraySettings(address=ADDRESS, api_token=SecretStr("a-token-of-nobody"), fingerprint_sha256=PIN)
    collector = FlashArrayCollector(settings)
    opened: Any = partial(Socket, answers)
    collector._client._connection._open = opened
    return CheckedCollector(collector, settings.address)


def vcenter_collector(*, esxcli: bool = True) -> CheckedCollector:
    """Its connections are those of `vcenter_answers`, within whose block it is used."""
    settings = VcenterSettings(
        address=ADDRESS, username="gavel", password=SecretStr("x"), fingerprint_sha256=PIN, read_esxcli=esxcli
    )
    return CheckedCollector(VcenterCollector(settings), settings.address)


@contextmanager
def vcenter_answers(answers: Answers) -> Any:
    with patch.object(kept_connection, "open_tls", lambda *_, **__: Socket(answers)):
        yield


# --- recording -----------------------------------------------------------------------------------------------------------

Operation = Callable[[Collector], None]


def read_clocks(collector: Collector) -> None:
    collector.clocks()


def read_inventory(collector: Collector) -> None:
    """With what makes rows of it, up to the door of the database."""
    for _, rows in rows_by_kind(collector.inventory()):
        list(rows)


def read_samples(stream: Stream) -> Operation:
    def read(collector: Collector) -> None:
        since = PATHS_SINCE if stream is Stream.PATH else SINCE
        for batch in collector.samples(stream, since, UNTIL):
            assert len(batch.keys) == len(set(batch.keys))

    return read


def _lab() -> Lab:
    return create_lab(lab_time=LabTime(AT, 0.0))


def record_array() -> dict[Operation, Recording]:
    """What the collector asks one array of the lab for each operation, twice in a row."""
    operations = read_clocks, read_inventory, read_samples(Stream.ARRAY_VOLUME), read_samples(Stream.ARRAY_DIRECTORY)
    return {operation: array_recording(operation) for operation in operations}


def array_recording(operation: Operation) -> Recording:
    lab, recording, session = _lab(), Recording(), {}
    array = lab.environment.arrays[0]
    session["api-token"] = array.api_token
    collector = array_collector(_recording(create_array(lab, array), recording, session))
    operation(collector)
    operation(collector)
    collector.close()
    return recording


def record_vcenter() -> dict[Operation, Recording]:
    """What the collector asks the vCenter of the lab that serves microseconds for each operation, twice in a row."""
    streams = Stream.HOST_DEVICE, Stream.VM_DISK, Stream.ADAPTER, Stream.PATH, Stream.HOST_CPU
    operations = read_clocks, read_inventory, *map(read_samples, streams)
    return {operation: vcenter_recording(operation) for operation in operations}


def vcenter_recording(operation: Operation) -> Recording:
    lab, recording = _lab(), Recording()
    vcenter = lab.environment.vcenters[1]
    settings = VcenterSettings(
        address=ADDRESS, username=vcenter.username, password=SecretStr(vcenter.password), fingerprint_sha256=PIN
    )
    collector = VcenterCollector(settings)
    with vcenter_answers(_recording(create_vcenter(lab, vcenter), recording, {})):
        operation(collector)
        operation(collector)
        collector.close()
    return recording
