"""A reader is a process of its own: it ends at its limits, with its parent and with its import, and names what it read."""

import os
import resource
import select
import signal
import subprocess
import sys

import pytest
from tests.waiting import exit_code, wait_for

from gavel.db.errors import DatabaseUnreachableError, NotFoundError
from gavel.domain.errors import GavelError, SettingsError
from gavel.ingest.reader import MOST_S, ReaderEndedError, ReaderLimits, UnwantedError, run_reader

LIMITS = ReaderLimits.for_file(1000, b"{")
MIB = 2**20


def pause() -> None:
    while True:
        signal.pause()


def test_reader_returns_the_answer_of_its_work_from_a_process_of_its_own() -> None:
    found = run_reader(lambda: [os.getpid(), os.getppid()], "a.json", LIMITS)
    assert found[0] != os.getpid()
    assert found[1] == os.getpid()
    with pytest.raises(ChildProcessError):
        os.waitpid(found[0], os.WNOHANG)


@pytest.mark.parametrize("kind", [SettingsError, DatabaseUnreachableError, NotFoundError])
def test_reader_raises_expected_errors_in_its_parent_with_their_kind_and_text(kind: type[GavelError]) -> None:
    def refuse() -> None:
        raise kind("a.json, line 3: is cut short.")

    with pytest.raises(kind, match="line 3: is cut short"):
        run_reader(refuse, "a.json", LIMITS)


def test_reader_of_a_file_that_takes_too_much_memory_is_refused_and_its_parent_stays_small() -> None:
    before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(SettingsError, match=r"a\.json: reading it takes more than 512 MiB of memory.*split it"):
        run_reader(lambda: len(bytearray(600 * MIB)), "a.json", LIMITS)
    assert run_reader(lambda: len(bytearray(300 * MIB)), "a.json", LIMITS) == 300 * MIB
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kb < 50 * 1024


def test_reader_that_never_ends_is_stopped_by_the_kernel_at_its_time_limit() -> None:
    with pytest.raises(SettingsError, match=r"a\.json: reading was stopped at its time limit.*split it"):
        run_reader(pause, "a.json", ReaderLimits(0.2, MIB))


def test_reader_that_is_no_longer_wanted_is_ended_at_once() -> None:
    readers: list[int] = []

    def report() -> None:
        os.write(writer, str(os.getpid()).encode())
        pause()

    def is_wanted() -> bool:
        readers.append(int(os.read(reader, 64)))
        return False

    reader, writer = os.pipe()
    with pytest.raises(UnwantedError):
        run_reader(report, "a.json", LIMITS, is_wanted)
    with pytest.raises(ProcessLookupError):
        os.kill(readers[0], 0)
    os.close(reader)
    os.close(writer)


def test_reader_that_was_killed_is_distinguished_from_a_file_that_cannot_be_read() -> None:
    with pytest.raises(ReaderEndedError, match=r"a\.json"):
        run_reader(lambda: os.kill(os.getpid(), signal.SIGKILL), "a.json", LIMITS)


def test_reader_names_a_defect_of_its_own_and_the_file() -> None:
    with pytest.raises(SettingsError, match=r"a\.json: reading it failed with ZeroDivisionError, an error of Gavel"):
        run_reader(lambda: 1 // 0, "a.json", LIMITS)


_WORKER = """
import os, signal, sys
from gavel.ingest.reader import ReaderLimits, run_reader
def report():
    os.write(1, f"{os.getpid()}\\n".encode())
    while True:
        signal.pause()
run_reader(report, "a.json", ReaderLimits.for_file(1, b""))
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_reader_ends_with_its_worker_also_when_that_is_killed(number: signal.Signals) -> None:
    worker = subprocess.Popen([sys.executable, "-c", _WORKER], stdout=subprocess.PIPE)
    assert worker.stdout is not None
    pid = int(worker.stdout.readline())
    descriptor = os.pidfd_open(pid)
    worker.send_signal(number)
    exit_code(worker)
    # Readable from the end of the process on.
    wait_for(lambda: select.select([descriptor], [], [], 0)[0], "the reader ends")
    os.close(descriptor)
    worker.stdout.close()


@pytest.mark.parametrize(
    ("size_bytes", "head", "seconds", "output_bytes"),
    [
        (64_188, b"{", 60.016047, MIB),
        (400_000_000, b'"(PD', 160.0, 800_000_000),
        (40_000_000, b"\x1f\x8b\x08\x00", 260.0, 1_600_000_000),
        (8 * 2**30, b"PK\x03\x04", MOST_S, 2 * 20 * 8 * 2**30),
    ],
    ids=["small", "plain", "gzip", "largest"],
)
def test_reader_limits_follow_the_size_of_the_text(
    size_bytes: int, head: bytes, seconds: float, output_bytes: int
) -> None:
    limits = ReaderLimits.for_file(size_bytes, head)
    assert limits.seconds == pytest.approx(seconds)
    assert limits.output_bytes == output_bytes


def test_reader_refuses_results_that_are_larger_than_twice_the_file() -> None:
    limits = ReaderLimits.for_file(MIB, b"{")
    limits.require_output(["x" * MIB], "a.json")
    with pytest.raises(SettingsError, match=r"a\.json: its results take more than 2 MiB, twice the size"):
        limits.require_output(["x" * MIB, "y" * 2 * MIB], "a.json")
