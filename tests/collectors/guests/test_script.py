"""The lines of Gavel's own scripts."""

import re

import pytest

from gavel.admin.guest_scripts import ADDRESS_MARK, TOKEN_MARK, GuestSystem, guest_script, script_template
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


def test_lines_that_the_powershell_script_names_as_its_own_are_read() -> None:
    template = script_template(GuestSystem.WINDOWS)
    examples = [line.removeprefix("# ") for line in template.splitlines() if line.startswith("# gavel_disk,")]
    first, second = (reading(line) for line in examples)
    assert (first.disk, second.disk) == ("PhysicalDisk 0", "PhysicalDisk 1")
    assert first.guest == second.guest
    assert first.guest.addresses == ("192.0.2.7", "2001:db8::7")
    assert (first.identity.serial, first.identity.scsi_address) == ("6000c294e9da41377ffbeda45b97abeb", "0:0:0:0")
    assert first.numbers == DiskCounters(5120, 981, 167_772_160, 8_036_352, 3_072_000, 981_000, 4_053_000, epoch="118")
    assert first.at_us == 1_732_400_000_123_456
    # Every field of the examples is one that the program writes.
    for name in re.findall(r"[ ,]([a-z_0-9]+)=\d+i", examples[0]):
        assert f"{name}=$(" in template


@pytest.mark.parametrize("system", GuestSystem)
def test_a_script_has_address_and_token_filled_in_once_and_takes_no_other_text(system: GuestSystem) -> None:
    text = guest_script(system, "https://gavel.example.com:8322/", "gvg_a-B_1")
    assert text.count("'https://gavel.example.com:8322'") == text.count("'gvg_a-B_1'") == 1
    assert ADDRESS_MARK not in text
    assert TOKEN_MARK not in text
    for address, token in [
        ("https://a';x", "gvg_a"),
        ("ftp://a", "gvg_a"),
        ("https://a b", "gvg_a"),
        ("https://a", "a'b"),
    ]:
        with pytest.raises(ValueError, match=r"no address|no token"):
            guest_script(system, address, token)
