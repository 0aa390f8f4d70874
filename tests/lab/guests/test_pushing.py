"""Agents of the lab against receivers that are well, busy, away or mute: what comes, how often they ask, and that they end at once."""

import asyncio
import gzip
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from tests.alerting.receivers import HttpReceiver, Received, Says, http_receiver
from tests.ports import reserve_port
from tests.waiting import HANG_S, join, wait_for

from gavel.collectors.guest_registry import read_line_protocol
from gavel.domain.guests import DiskReading
from gavel_lab.clocks import LabTime
from gavel_lab.guests import request
from gavel_lab.guests.agents import agents
from gavel_lab.guests.outbox import BATCH, MOST_LINES, Outbox, Pause
from gavel_lab.guests.pushing import Pushing
from gavel_lab.guests.request import Answer, Receiver
from gavel_lab.lab import Lab, create_lab

# So fast that every agent has read several times after a second.
_SPEED, _AT_S = 40.0, 1_780_002_300.0
_DONE = Says(204, b"")


@pytest.fixture
def lab() -> Lab:
    return create_lab(seed=1, lab_time=LabTime(_AT_S, _SPEED), step_s=60)


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(request, "TIMEOUT_S", HANG_S)


@pytest.fixture
def token_file(tmp_path: Path) -> Path:
    file = tmp_path / "guest-token"
    file.write_text("gvg_first\n")
    return file


@contextmanager
def pushing(lab: Lab, url: str, token_file: Path) -> Iterator[None]:
    made = Pushing(lab, Receiver.parse(url), token_file)
    made.start()
    try:
        yield
    finally:
        made.stop()


def readings(one: Received) -> list[DiskReading]:
    return list(read_line_protocol(gzip.decompress(one.body), "ns").readings)


def hosts(receiver: HttpReceiver) -> set[str]:
    return {reading.guest.host_name for one in list(receiver.received) for reading in readings(one)}


def test_every_agent_pushes_as_telegraf_does_with_one_request_at_a_time(lab: Lab, token_file: Path) -> None:
    names = {agent.vm.name for agent in agents(lab.environment)}
    with http_receiver() as receiver:
        receiver.answers, receiver.delay_s = [_DONE], 0.02
        with pushing(lab, receiver.url, token_file):
            wait_for(lambda: hosts(receiver) == names, "push of every agent")
    first = receiver.received[0]
    assert (first.method, first.path) == ("POST", "/api/v2/write?bucket=guests&org=lab")
    assert first.headers["authorization"] == "Token gvg_first"
    assert first.headers["content-encoding"] == "gzip"
    assert all(len({reading.guest.key for reading in readings(one)}) == 1 for one in receiver.received)
    began = [one.at_s for one in receiver.received]
    assert min(after - before for before, after in pairwise(began)) >= 0.9 * receiver.delay_s


@pytest.mark.parametrize("status", [429, 503])
def test_a_receiver_that_asks_for_time_gets_it_and_then_the_lines_that_it_did_not_take(
    lab: Lab, token_file: Path, status: int
) -> None:
    with http_receiver() as receiver:
        receiver.answers = [Says(status, b"", {"Retry-After": "1"}), _DONE]
        with pushing(lab, receiver.url, token_file):
            wait_for(lambda: len(receiver.received) > 1, "second push")
            refused, *_ = receiver.received
            assert receiver.received[1].at_s - refused.at_s >= 1
            wait_for(
                lambda: _stamps(refused) <= {stamp for one in receiver.received[1:] for stamp in _stamps(one)},
                "refused readings pushed again",
            )


def _stamps(one: Received) -> set[tuple[str, str, int | None]]:
    return {(reading.guest.host_name, reading.disk, reading.at_us) for reading in readings(one)}


def test_a_token_that_is_refused_is_read_again_and_nothing_is_pushed_before_there_is_one(
    lab: Lab, tmp_path: Path
) -> None:
    file = tmp_path / "guest-token"
    with http_receiver() as receiver:
        receiver.answers = [Says(401, b""), _DONE]
        with pushing(lab, receiver.url, file):
            time.sleep(0.3)
            assert receiver.received == []
            file.write_text("gvg_old")
            wait_for(lambda: receiver.received, "first push")
            file.write_text("gvg_new")
            wait_for(lambda: len(receiver.received) > 1, "second push")
    assert [one.headers["authorization"] for one in receiver.received[:2]] == ["Token gvg_old", "Token gvg_new"]


def test_a_guest_that_is_off_pushes_nothing(lab: Lab, token_file: Path) -> None:
    off, *rest = (agent.vm for agent in agents(lab.environment))
    lab.placement.switch(off.index, _AT_S - 60, on=False)
    with http_receiver() as receiver:
        receiver.answers = [_DONE]
        with pushing(lab, receiver.url, token_file):
            wait_for(lambda: {vm.name for vm in rest} <= hosts(receiver), "push of every guest")
    assert off.name not in hosts(receiver)


def test_pushing_ends_at_once_while_a_receiver_does_not_answer(lab: Lab, token_file: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as mute:
        made = Pushing(lab, Receiver("127.0.0.1", mute.getsockname()[1]), token_file)
        made.start()
        mute.settimeout(HANG_S)
        asked, _ = mute.accept()
        with asked:
            made.stop()
            # It hangs up without an answer: the request was given up, not waited for.
            asked.settimeout(HANG_S)
            while asked.recv(65536):
                continue


def test_a_lab_whose_time_is_held_has_no_guests_that_push(token_file: Path) -> None:
    made = Pushing(create_lab(seed=1, lab_time=LabTime(_AT_S, 0.0)), Receiver("127.0.0.1", 9), token_file)
    made.start()
    made.stop()
    assert not [thread for thread in threading.enumerate() if thread.name == "guests"]


# --- one request ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [b"HTTP/1.1 204", b"", b"hello\r\n\r\n", b"HTTP/1.1 x OK\r\n\r\n", b"a" * 40_000])
def test_an_answer_that_is_none_counts_as_no_answer_within_the_deadline(
    answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request, "TIMEOUT_S", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(HANG_S)
        held: list[socket.socket] = []

        def serve() -> None:
            connection, _ = server.accept()
            connection.sendall(answer)
            held.append(connection)

        thread = threading.Thread(target=serve)
        thread.start()
        found = asyncio.run(
            request.write(Receiver("127.0.0.1", server.getsockname()[1]), "gvg_x", [b"diskio a=1i 1\n"])
        )
        join(thread)
        held.pop().close()
    assert found == Answer(None)


def test_a_receiver_that_is_away_counts_as_no_answer() -> None:
    assert asyncio.run(request.write(Receiver("127.0.0.1", reserve_port()), "gvg_x", [b"x"])) == Answer(None)


@pytest.mark.parametrize("url", ["https://gavel.example:8322", "ftp://gavel", "gavel:8322", "http://gavel/path"])
def test_an_address_to_push_to_is_plain_http_without_a_path(url: str) -> None:
    with pytest.raises(ValueError, match="pushed to an address"):
        Receiver.parse(url)


# --- what waits -------------------------------------------------------------------------------------------------------


def outbox(lines: int) -> Outbox:
    made = Outbox()
    made.lines.extend(str(n).encode() for n in range(lines))
    return made


def test_an_outbox_whose_receiver_is_away_drops_its_oldest_lines() -> None:
    full = outbox(MOST_LINES + 7)
    assert len(full.lines) == MOST_LINES
    assert full.next()[0] == b"7"


@pytest.mark.parametrize(
    ("status", "left", "is_well"),
    [
        (204, 0, True),
        (400, 0, True),
        (401, 10, False),
        (429, 10, False),
        (500, 10, False),
        (503, 10, False),
        (None, 10, False),
    ],
)
def test_lines_are_kept_unless_they_were_taken_or_are_wrong(status: int | None, left: int, is_well: bool) -> None:
    found = outbox(10)
    assert found.settle(len(found.next()), status) is is_well
    assert len(found.lines) == left


def test_a_batch_that_is_too_large_is_sent_in_halves_down_to_a_line_that_is_dropped() -> None:
    found, sizes = outbox(5), []
    while found.lines:
        sizes.append(len(found.next()))
        found.settle(sizes[-1], 413 if sizes[-1] > 1 or len(found.lines) == 5 else 204)
    assert sizes[:3] == [5, 2, 1]
    assert found.batch == BATCH


def test_a_pause_doubles_up_to_a_minute_and_is_as_long_as_a_receiver_asks_for() -> None:
    pause, waits = Pause(), []
    for _ in range(8):
        pause.failed(0.0, None)
        waits.append(pause.until_s)
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]
    pause.failed(0.0, 120.0)
    assert pause.until_s == 120
    pause.failed(0.0, 1e9)
    assert pause.until_s == 600
    pause.over()
    pause.failed(0.0, None)
    assert pause.until_s == 1
