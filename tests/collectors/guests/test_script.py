"""The lines of Gavel's own scripts."""

import pytest

from gavel.collectors.guest_registry import read_line_protocol
from gavel.domain.guests import DiskCounters, DiskReading, GuestAgent, LatencyStep, RefusalReason

LINUX = (
    "gavel_disk,host=web01,name=sda,bios_uuid=42374be1-0b3c-8a5e-7c11-aa90ff21cd03,boot_id=a1,kernel=6.1.0-18-amd64,"
    r"ip=192.0.2.7\ 2001:db8::7,wwid=naa.6000c294e9da41377ffbeda45b97abeb,vdisk=scsi0:1,scsi=0:0:1:0 "
    "reads=10i,writes=20i,read_bytes=5120i,write_bytes=10240i,read_time_ms=7i,write_time_ms=9i,queue_time_ms=16i,"
    "capacity_bytes=42949672960i 1732400000000000000"
)
WINDOWS = (
    r"gavel_disk,host=SQL01,name=PhysicalDisk\ 1,bios_uuid=42374BE1-0B3C-8A5E-7C11-AA90FF21CD03,serial=6000c294e9da41377ffbeda45b97abeb "
    "reads=10i,writes=20i,read_bytes=5120i,write_bytes=10240i,read_time_100ns=70000i,write_time_100ns=90009i,queue_time_100ns=160000i"
)


def reading(line: str) -> DiskReading:
    found = read_line_protocol(line.encode(), "ns")
    assert found.refused == ()
    return found.readings[0]


def test_a_line_of_the_shell_script_has_everything_that_identifies_disk_and_vm() -> None:
    found = reading(LINUX)
    assert found.agent is GuestAgent.SCRIPT
    assert found.guest.key == "bios:42374be10b3c8a5e7c11aa90ff21cd03"
    assert found.guest.addresses == ("192.0.2.7", "2001:db8::7")
    identity = found.identity
    assert (identity.tools_name, identity.scsi_address, identity.capacity_bytes) == (
        "scsi0:1",
        "0:0:1:0",
        42_949_672_960,
    )
    assert found.numbers == DiskCounters(10, 20, 5120, 10240, 7000, 9000, 16_000, wraps_ms=True, epoch="a1")
    assert found.step is LatencyStep.MILLISECOND_SUM


@pytest.mark.parametrize(
    ("kernel", "step"),
    [
        ("4.18.0-553.el8", LatencyStep.TICK),
        ("3.10.0", LatencyStep.TICK),
        ("4.19.0", LatencyStep.MILLISECOND_SUM),
        ("5.4", LatencyStep.MILLISECOND_SUM),
        ("odd", LatencyStep.MILLISECOND_SUM),
    ],
)
def test_kernels_that_count_ticks_are_known_by_their_version(kernel: str, step: LatencyStep) -> None:
    assert reading(LINUX.replace("6.1.0-18-amd64", kernel)).step is step


def test_times_of_the_windows_script_are_hundreds_of_nanoseconds_which_do_not_wrap() -> None:
    found = reading(WINDOWS)
    assert found.disk == "PhysicalDisk 1"
    assert found.numbers == DiskCounters(10, 20, 5120, 10240, 7000, 9000, 16_000)
    assert found.step is LatencyStep.MICROSECOND


@pytest.mark.parametrize(
    ("tag", "worthless"),
    [
        ("vdisk=scsi0:1", "vdisk=x"),
        ("scsi=0:0:1:0", "scsi=0:0"),
        ("bios_uuid=42374be1-0b3c-8a5e-7c11-aa90ff21cd03", "bios_uuid=x"),
    ],
)
def test_an_identity_that_is_none_is_left_out(tag: str, worthless: str) -> None:
    found = reading(LINUX.replace(tag, worthless))
    assert None in (found.identity.tools_name, found.identity.scsi_address, found.guest.bios_uuid)


@pytest.mark.parametrize("name", ["0", "PhysicalDisk", "sda1", "_Total"])
def test_what_is_no_whole_disk_is_counted_out(name: str) -> None:
    found = read_line_protocol(LINUX.replace("name=sda", f"name={name}").encode(), "ns")
    assert [each.reason for each in found.refused] == [RefusalReason.NOT_A_DISK]
