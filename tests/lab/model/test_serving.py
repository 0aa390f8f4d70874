"""The listener and its wire faults, the truth port, and the lab as a program: over real sockets."""

import hashlib
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPSConnection, IncompleteRead
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from tests.waiting import HANG_S

from gavel_lab import truth
from gavel_lab.cli import main
from gavel_lab.clocks import LabTime
from gavel_lab.lab import Lab, create_lab
from gavel_lab.serve import Listener, Request, Response, Source
from gavel_lab.tls import identity

HOUR = 1_780_002_000
NAME = "flasharray-1"
BODY = b"x" * 10_000

Fault = Callable[..., object]


def echo(request: Request) -> Response:
    if request.path == "/echo":
        return Response(200, request.body, "text/plain", {"X-Query": request.query})
    if request.path == "/bug":
        raise RuntimeError("a bug")
    return Response(200, BODY)


@pytest.fixture(scope="module")
def own_lab() -> Lab:
    return create_lab(lab_time=LabTime(at=HOUR, speed=0.0), offsets_s={NAME: 4.0})


@pytest.fixture(scope="module")
def listener(own_lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Listener]:
    folder = tmp_path_factory.mktemp("tls")
    right, wrong = identity(folder, NAME), identity(folder, "wrong")
    found = Listener(0, Source(NAME, echo, own_lab.clocks.arrays[0].now, right.context, wrong.context), own_lab.faults)
    found.start()
    yield found
    found.stop()


@pytest.fixture
def fault(own_lab: Lab) -> Iterator[Fault]:
    """Puts a fault on the source; all are gone after the test."""
    yield lambda **parameters: own_lab.faults.add({"source": NAME, **parameters})
    own_lab.faults.remove()


def connect(listener: Listener, timeout_s: float = HANG_S) -> HTTPSConnection:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return HTTPSConnection("127.0.0.1", listener.port, timeout=timeout_s, context=context)


def get(listener: Listener, path: str = "/", timeout_s: float = HANG_S) -> tuple[int, bytes, dict[str, str]]:
    connection = connect(listener, timeout_s)
    try:
        connection.request("GET", path)
        response = connection.getresponse()
        return response.status, response.read(), dict(response.getheaders())
    finally:
        connection.close()


def test_a_connection_is_kept_for_many_requests_and_dated_by_the_sources_clock(listener: Listener) -> None:
    connection = connect(listener)
    ends = set()
    for number in range(3):
        connection.request("POST", "/echo?a=1", body=f"{number}".encode())
        response = connection.getresponse()
        assert (response.read(), response.headers["X-Query"]) == (f"{number}".encode(), "a=1")
        assert response.headers["Date"] == time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(HOUR + 4))
        ends.add(connection.sock.getsockname())
    assert len(ends) == 1
    connection.close()


def test_a_refused_request_is_dated_by_the_sources_clock_too(listener: Listener) -> None:
    connection = connect(listener)
    connection.putrequest("POST", "/echo")
    connection.putheader("Content-Length", "many")
    connection.endheaders()
    response = connection.getresponse()
    assert (response.status, response.headers.get_all("Date")) == (
        400, [time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(HOUR + 4))]
    )  # fmt: skip
    connection.close()


def test_a_certificate_of_the_lab_is_valid_whatever_the_clock_says(tmp_path: Path) -> None:
    made = x509.load_pem_x509_certificate(identity(tmp_path, NAME).certificate.read_bytes())
    assert made.not_valid_before_utc == datetime(1970, 1, 1, tzinfo=UTC)
    assert made.not_valid_after_utc == datetime(2100, 1, 1, tzinfo=UTC)


def test_chunked_bodies_are_read_whole(listener: Listener) -> None:
    connection = connect(listener)
    connection.request("POST", "/echo", body=iter([b"one,", b"two"]), encode_chunked=True)
    assert connection.getresponse().read() == b"one,two"
    connection.close()


def test_twenty_clients_are_served_at_once(listener: Listener) -> None:
    with ThreadPoolExecutor(20) as pool:
        assert list(pool.map(lambda _: get(listener)[1], range(60))) == [BODY] * 60


def test_a_client_that_never_shakes_hands_stops_nobody_else(listener: Listener) -> None:
    with socket.create_connection(("127.0.0.1", listener.port)):
        assert get(listener)[0] == 200


def test_an_apps_bug_is_a_500_and_not_a_broken_connection(listener: Listener) -> None:
    assert get(listener, "/bug")[0] == 500


def test_a_status_fault_lasts_for_its_count(listener: Listener, fault: Fault) -> None:
    fault(kind="status", status=429, retry_after_s=7, count=2, match="/api/")
    assert get(listener, "/")[0] == 200
    status, body, headers = get(listener, "/api/x")
    assert (status, headers["Retry-After"]) == (429, "7")
    assert json.loads(body)["errors"][0]["message"] == "Too many requests."
    assert [get(listener, "/api/x")[0] for _ in range(2)] == [429, 200]


def test_a_cut_body_ends_early_under_the_full_content_length(listener: Listener, fault: Fault) -> None:
    fault(kind="cut_body", after_bytes=1234, count=1)
    with pytest.raises(IncompleteRead) as caught:
        get(listener)
    assert (len(caught.value.partial), caught.value.expected) == (1234, len(BODY) - 1234)
    assert get(listener)[1] == BODY


def test_a_black_hole_never_answers(listener: Listener, fault: Fault) -> None:
    fault(kind="black_hole", count=1)
    connection = connect(listener)
    connection.request("GET", "/")
    connection.sock.settimeout(0.5)
    with pytest.raises(TimeoutError):
        connection.getresponse()
    connection.close()
    assert get(listener)[0] == 200


def test_a_slow_drip_sends_the_head_at_once_and_the_body_slowly(listener: Listener, fault: Fault) -> None:
    fault(kind="slow_drip", bytes_per_s=100, count=1)
    connection = connect(listener)
    connection.request("GET", "/")
    response = connection.getresponse()
    assert response.headers["Content-Length"] == str(len(BODY))
    assert len(response.read1(10_000)) < 100
    connection.close()


def test_a_wrong_certificate_is_another_one_and_the_right_one_comes_back(listener: Listener, fault: Fault) -> None:
    def certificate() -> bytes:
        connection = connect(listener)
        connection.connect()
        found = connection.sock.getpeercert(binary_form=True)
        connection.close()
        assert isinstance(found, bytes)
        return found

    right = certificate()
    fault(kind="wrong_certificate", count=1)
    assert certificate() != right
    assert certificate() == right


@pytest.mark.parametrize(("kind", "start"), [("html", b"<!DOCTYPE html>"), ("garbage", b"")])
def test_nonsense_is_served_with_200(listener: Listener, fault: Fault, kind: str, start: bytes) -> None:
    fault(kind=kind, count=1)
    status, body, _ = get(listener)
    assert status == 200
    assert body.startswith(start)
    assert body != BODY


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"source": "nobody"}, "not one of flasharray-1"),
        ({"kind": "flood"}, "not one of status"),
        ({"kind": "status"}, "needs status"),
        ({"kind": "status", "status": "503"}, "a whole number"),
        ({"kind": "cut_body", "after_bytes": -1}, "a whole number"),
        ({"kind": "black_hole", "depth": 3}, "does not take depth"),
        ({"kind": "black_hole", "count": 0}, "count is a number"),
        ({"kind": "black_hole", "for_s": "soon"}, "for_s is a number"),
        ({"kind": "rename_volume", "volume": "nothing", "name": "x"}, "has no volume 'nothing'"),
        ({"kind": "shift_clock", "by_s": 3, "host": "esx-99"}, "no host is called 'esx-99'"),
        ({"kind": "advance", "by_s": -1}, "time does not go back"),
        ({"source": "vcenter-2", "kind": "vmotion", "vm": "sql-01", "host": "x"}, "has no VM 'sql-01'"),
        (
            {"source": "vcenter-1", "kind": "power", "vm": "web-01", "state": "up"},
            "state of power is on or off, not 'up'",
        ),
        ({"source": "vcenter-1", "kind": "power", "vm": "web-01", "state": "on"}, "web-01 is on already"),
    ],
)
def test_a_fault_that_cannot_be_is_refused_with_a_reason(own_lab: Lab, wrong: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        own_lab.faults.add({"source": NAME, "kind": "black_hole", **wrong})
    assert own_lab.faults.all() == []


def test_acts_happen_at_once_and_once() -> None:
    lab = create_lab(lab_time=LabTime(at=HOUR, speed=0.0), offsets_s={NAME: 1.0})
    lab.faults.add({"source": NAME, "kind": "expire_sessions"})
    lab.faults.add({"source": "vcenter-1", "kind": "renumber_counters"})
    lab.faults.add({"source": NAME, "kind": "rename_volume", "volume": "sql-01", "name": "sql-one"})
    lab.faults.add({"source": NAME, "kind": "shift_clock", "by_s": 2})
    lab.faults.add({"source": "vcenter-1", "kind": "vmotion", "vm": "web-01", "host": "esx-02.lab.example"})
    assert (lab.faults.session_generation(NAME), lab.faults.session_generation("flasharray-2")) == (1, 0)
    assert (lab.faults.counter_generation("vcenter-1"), lab.faults.counter_generation("vcenter-2")) == (1, 0)
    assert lab.faults.volume_name(0) == "sql-one"
    assert lab.clocks.arrays[0].offset_s() == 3.0
    assert lab.placement.host_of(1, HOUR) == 1
    lab.faults.add({"source": "vcenter-1", "kind": "rename_vm", "vm": "web-01", "name": "web-one"})
    lab.faults.add({"source": "vcenter-1", "kind": "power", "vm": "web-one", "state": "off"})
    assert (lab.faults.vm_name(1), lab.placement.is_on(1, HOUR)) == ("web-one", False)
    lab.faults.add({"source": NAME, "kind": "advance", "by_s": 3300})
    assert lab.clocks.lab_time.now() == HOUR + 3300
    assert lab.faults.all() == []


# --- truth -----------------------------------------------------------------------------------------------------------


def ask(
    lab: Lab, path: str, query: str = "", method: str = "GET", body: bytes = b"", token: str = "t0ken"
) -> tuple[int, dict[str, Any]]:
    response = truth.create(lab, "t0ken")(Request(method, path, query, {truth.TOKEN_HEADER: token}, body))
    return response.status, json.loads(response.body)


def test_the_truth_tells_each_segment_of_each_disk_and_minute(own_lab: Lab) -> None:
    status, answer = ask(own_lab, "/truth", f"from={HOUR + 290}&to={HOUR + 850}&name=sql-01")
    assert status == 200
    assert answer["starts"] == [HOUR + 60 * minute for minute in range(5, 14)]
    disk = next(row for row in answer["rows"] if row["instance"] == "scsi1:0")
    assert disk["read"]["us"]["kernel_queue"] == pytest.approx([483] * 9, rel=0.03)
    assert disk["read"]["ops"] == pytest.approx([65_400 * 60] * 9, rel=0.01)
    assert disk["write"]["us"]["kernel_queue"] == [None] * 9


@pytest.mark.parametrize("by", ["device", "volume"])
def test_the_truth_of_devices_and_volumes_adds_up_to_that_of_the_disks(own_lab: Lab, by: str) -> None:
    span = f"from={HOUR}&to={HOUR + 60}"
    store = next(store for store in own_lab.environment.datastores if store.story == "array-qos")
    volume = own_lab.environment.volumes[store.extents[0]].name
    disks = ask(own_lab, "/truth", span)[1]["rows"]
    rows = ask(own_lab, "/truth", f"{span}&by={by}&name={volume}")[1]["rows"]
    expected = sum(row["read"]["ops"][0] for row in disks if row["datastore"] == store.name)
    assert sum(row["read"]["ops"][0] for row in rows) == pytest.approx(expected, rel=1e-4)


def test_the_stories_of_an_hour_name_layer_datastore_and_culprit(own_lab: Lab) -> None:
    told = ask(own_lab, "/stories", "from=2026-11-21T03:00:00Z&to=2026-11-21T04:00:00")[1]["stories"]
    assert {story["layer"] for story in told} == {"guest", "kernel", "san", "array", None}
    assert next(story for story in told if story["story"] == "noisy-neighbour")["culprits"] == ["vdi-03"]


@pytest.mark.parametrize(
    ("path", "query", "said"),
    [
        ("/truth", "", "from and to missing"),
        ("/truth", "from=1&to=yesterday", "neither an ISO instant"),
        ("/truth", "from=9&to=1", "to must be after from"),
        ("/truth", "from=0&to=9&by=vm", "by=vm is not one of"),
        ("/truth", "from=0&to=9&step=0", "step=0"),
        ("/truth", "from=0&to=9999999999", "too many"),
    ],
)
def test_a_bad_question_to_the_truth_is_answered_with_400_and_a_reason(
    own_lab: Lab, path: str, query: str, said: str
) -> None:
    status, answer = ask(own_lab, path, query)
    assert status == 400
    assert said in answer["error"]


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_faults_need_the_token_that_no_other_program_knows(own_lab: Lab, method: str) -> None:
    body = b'{"source": "flasharray-1", "kind": "html"}'
    for token in ("", "wrong", "schlüssel"):
        status, answer = ask(own_lab, "/faults", method=method, body=body, token=token)
        assert (status, "truth-token" in answer["error"]) == (403, True)
    assert ask(own_lab, "/faults", token="")[1]["faults"] == []


def test_faults_are_posted_listed_and_deleted(own_lab: Lab) -> None:
    status, added = ask(
        own_lab, "/faults", method="POST", body=b'{"source": "flasharray-1", "kind": "html", "count": 3}'
    )
    assert (status, added["kind"], added["remaining"]) == (201, "html", 3)
    assert ask(own_lab, "/faults")[1]["faults"] == [added]
    assert ask(own_lab, f"/faults/{added['id']}", method="DELETE") == (200, {"removed": 1})
    assert ask(own_lab, "/faults", method="POST", body=b"{")[0] == 400
    assert ask(own_lab, "/faults", method="POST", body=b"[]")[0] == 400
    assert ask(own_lab, "/nothing")[0] == 404


# --- the program -----------------------------------------------------------------------------------------------------


def start(tmp_path: Path, *more: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "gavel_lab", "--port", "0", "--data-dir", str(tmp_path / "lab"), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def test_the_lab_announces_what_it_serves_keeps_its_pins_and_stops_on_sigterm(tmp_path: Path) -> None:
    pins = []
    for _ in range(2):
        announcement = tmp_path / "announcement.json"
        announcement.unlink(missing_ok=True)
        process = start(
            tmp_path, "--announce", str(announcement), "--at", "2026-01-01T12:30:00Z", "--set", "old_purity=6.3.14"
        )
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(6)]
        sources = json.loads(announcement.read_text())
        assert announcement.stat().st_mode & 0o077 == 0
        assert [source["kind"] for source in sources] == ["flasharray", "flasharray", "vcenter", "vcenter"]
        assert set(sources[0]["settings"]) == {"api_token", "pod_round_trip_us", "tls_sha256"}
        assert set(sources[2]["settings"]) == {"username", "password", "tls_sha256"}
        for source in sources:
            port = int(source["address"].partition(":")[2])
            served = ssl.get_server_certificate(("127.0.0.1", port), timeout=HANG_S)
            assert identity_of(served) == source["settings"]["tls_sha256"]
        truth_address = lines[4].split()[1].removeprefix("http://")
        clocks = HTTPConnection(truth_address, timeout=HANG_S)
        clocks.request("GET", "/clocks")
        assert json.loads(clocks.getresponse().read())["lab_now"] == pytest.approx(1767270600, abs=HANG_S)
        clocks.close()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=HANG_S) == 0
        process.communicate()
        pins.append([source["settings"]["tls_sha256"] for source in sources])
    assert pins[0] == pins[1]
    assert len(set(pins[0])) == 4


def identity_of(pem: str) -> str:
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(pem)).hexdigest()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--scale", "huge"], "expected default, large"),
        (["--at", "noon"], "not an ISO instant"),
        (["--port", "70000"], "not a port"),
    ],
)
def test_the_lab_refuses_bad_arguments_with_a_reason(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert said in capsys.readouterr().err


def test_a_taken_port_is_named_and_nothing_stays_open(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        process = start(tmp_path, "--port", str(port))
        _, errors = process.communicate(timeout=HANG_S)
    assert process.returncode == 2
    assert f"port {port} for flasharray-1" in errors


def test_an_unwritable_data_directory_is_named(tmp_path: Path) -> None:
    (tmp_path / "lab").write_text(f"in the way of {os.getpid()}")
    process = start(tmp_path, "--set", "old_purity=6.3.14")
    _, errors = process.communicate(timeout=HANG_S)
    assert process.returncode == 2
    assert str(tmp_path / "lab") in errors
