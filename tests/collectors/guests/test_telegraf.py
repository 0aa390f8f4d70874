"""Telegraf's lines as its plug-ins write them become readings; what is no disk of the guest is counted out by reason."""

from dataclasses import replace

import pytest

from gavel.collectors.guest_registry import read_line_protocol
from gavel.domain.guests import (
    DiskCounters,
    DiskRates,
    DiskReading,
    GuestAgent,
    GuestDiskKind,
    LatencyStep,
    PushedReadings,
    RefusalReason,
)

DISKIO = (
    "diskio,host=db01,name={name},wwid=naa.6000c294e9da41377ffbeda45b97abeb reads=100i,writes=200i,read_bytes=409600i,"
    "write_bytes=819200i,read_time=50i,write_time=160i,io_time=90i,weighted_io_time=210i,iops_in_progress=1i,"
    "merged_reads=3i,merged_writes=4i,io_await=0.7,io_svctm=0.3,io_util=9.1 1732400000000000000"
)
# As described of the plug-in, which replaces letters of counters in this order; no Windows was at hand to record them.
WINDOWS = (
    r"win_diskio,host=SQL01,instance=0\ C:\ D:,objectname=PhysicalDisk,source=SQL01 Avg._Disk_Queue_Length=2.5,"
    "Avg._Disk_sec/Read=0.00047,Avg._Disk_sec/Write=0.0011,Current_Disk_Queue_Length=3,Disk_Read_Bytes_persec=65536,"
    "Disk_Reads_persec=16,Disk_Write_Bytes_persec=8192,Disk_Writes_persec=2,Percent_Idle_Time=91.5 1732400000000000000"
)
SQLSERVER = (
    r"sqlserver_database_io,database_name=Orders,file_type=ROWS,host=mon01,logical_filename=Orders_data,"
    r"physical_filename=D:\\data\\orders.mdf,sql_instance=SQL01:PROD reads=1000i,read_bytes=8192000i,read_latency_ms=530i,"
    "writes=400i,write_bytes=3276800i,write_latency_ms=800i,rg_read_stall_ms=0i,rg_write_stall_ms=0i 1732400000000000000"
)


def read(text: str) -> PushedReadings:
    return read_line_protocol(text.encode(), "ns")


def reading(text: str) -> DiskReading:
    found = read(text)
    assert found.refused == ()
    (only,) = found.readings
    return only


def reason(text: str) -> RefusalReason:
    found = read(text)
    assert found.readings == ()
    (only,) = found.refused
    assert only.detail
    return only.reason


def test_diskio_is_sums_of_a_whole_disk_with_its_serial() -> None:
    found = reading(DISKIO.format(name="sda"))
    assert (found.agent, found.kind, found.disk) == (GuestAgent.TELEGRAF, GuestDiskKind.DISK, "sda")
    assert (found.guest.host_name, found.guest.key) == ("db01", "host:db01")
    assert found.identity.serial == "naa.6000c294e9da41377ffbeda45b97abeb"
    assert found.at_us == 1_732_400_000_000_000
    assert found.step is LatencyStep.MILLISECOND_SUM
    assert found.numbers == DiskCounters(
        reads=100,
        writes=200,
        read_bytes=409_600,
        write_bytes=819_200,
        read_time_us=50_000,
        write_time_us=160_000,
        queue_time_us=210_000,
        wraps_ms=True,
    )


@pytest.mark.parametrize("name", ["sda", "sdab", "nvme0n1", "vdb", "xvda", "hda"])
def test_whole_disks_of_linux_are_read(name: str) -> None:
    assert reading(DISKIO.format(name=name)).disk == name


@pytest.mark.parametrize(
    "name", ["sda1", "nvme0n1p2", "dm-0", "md127", "loop3", "ram0", "zram0", "sr0", "fd0", "sda\\ (root)"]
)
def test_devices_that_count_twice_or_are_no_disks_are_counted_out(name: str) -> None:
    assert reason(DISKIO.format(name=name)) is RefusalReason.NOT_A_DISK


@pytest.mark.parametrize("serial", ["unknown", "Unknown", "none"])
def test_a_serial_that_says_there_is_none_is_none(serial: str) -> None:
    line = DISKIO.format(name="sda").replace("wwid=naa.6000c294e9da41377ffbeda45b97abeb", f"serial={serial}")
    assert reading(line).identity.serial is None


def test_a_physical_disk_of_windows_is_rates_under_its_number() -> None:
    found = reading(WINDOWS)
    assert (found.kind, found.disk, found.guest.key) == (GuestDiskKind.DISK, "PhysicalDisk 0", "host:sql01")
    assert found.step is LatencyStep.MICROSECOND
    assert isinstance(found.numbers, DiskRates)
    assert found.numbers.read_latency_us == pytest.approx(470)
    assert found.numbers.write_latency_us == pytest.approx(1100)
    fine = {"read_latency_us": None, "write_latency_us": None}
    assert replace(found.numbers, **fine) == DiskRates(16, 2, 65536, 8192, outstanding=2.5)


def test_other_spellings_of_the_counters_are_the_same_counters() -> None:
    other = WINDOWS.replace("Avg._Disk_sec/Read", "Avg_Disk_secPerRead").replace("_persec", "PerSec")
    assert reading(other).numbers == reading(WINDOWS).numbers


def test_a_volume_of_windows_is_no_disk() -> None:
    found = reading(WINDOWS.replace("PhysicalDisk", "LogicalDisk").replace(r"0\ C:\ D:", "c:"))
    assert (found.kind, found.disk) == (GuestDiskKind.LOGICAL, "C:")


@pytest.mark.parametrize("instance", ["_Total", "HarddiskVolume1", "abc"])
def test_totals_and_volumes_without_a_letter_are_counted_out(instance: str) -> None:
    assert reason(WINDOWS.replace(r"0\ C:\ D:", instance)) is RefusalReason.NOT_A_DISK


def test_a_file_of_a_database_belongs_to_the_machine_of_its_instance() -> None:
    found = reading(SQLSERVER)
    assert (found.kind, found.disk) == (GuestDiskKind.DATABASE_FILE, "PROD/Orders/Orders_data")
    assert found.guest.host_name == "SQL01"
    assert isinstance(found.numbers, DiskCounters)
    assert (found.numbers.read_time_us, found.numbers.write_time_us) == (530_000, 800_000)
    assert not found.numbers.wraps_ms


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cpu,host=a usage=1", RefusalReason.UNKNOWN_MEASUREMENT),
        ("diskio,name=sda reads=1i,writes=1i", RefusalReason.NO_HOST),
        ("diskio,host=a reads=1i,writes=1i", RefusalReason.NO_DISK),
        ("diskio,host=a,name=sda reads=1i", RefusalReason.NO_COUNTERS),
        ("diskio,host=a,name=sda reads=-1i,writes=1i", RefusalReason.NOT_A_NUMBER),
        ("diskio,host=a,name=sda reads=1.5,writes=1i", RefusalReason.NOT_A_NUMBER),
        ('diskio,host=a,name=sda reads="1",writes=1i', RefusalReason.NOT_A_NUMBER),
        ("diskio,host=a,name=sda reads=t,writes=1i", RefusalReason.NOT_A_NUMBER),
        ("diskio,host=a,name=sda reads=18446744073709551615u,writes=1i", RefusalReason.NOT_A_NUMBER),
        (f"diskio,host={'a' * 257},name=sda reads=1i,writes=1i", RefusalReason.TOO_LONG),
        ("diskio,host=a\x1b,name=sda reads=1i,writes=1i", RefusalReason.MALFORMED),
        ("win_diskio,host=a,objectname=PhysicalDisk,instance=0 Disk_Reads_persec=1", RefusalReason.NO_COUNTERS),
        (
            "sqlserver_database_io,sql_instance=:X,database_name=d,logical_filename=f reads=1i,writes=1i",
            RefusalReason.NO_HOST,
        ),
    ],
)
def test_a_line_without_what_it_needs_is_counted_out_by_reason(line: str, expected: RefusalReason) -> None:
    assert reason(line) is expected


def test_good_lines_of_a_batch_are_read_whatever_else_is_in_it() -> None:
    found = read("\n".join(["cpu f=1", DISKIO.format(name="sda"), "diskio garbage", DISKIO.format(name="sdb")]))
    assert [each.disk for each in found.readings] == ["sda", "sdb"]
    assert [(each.line, each.reason) for each in found.refused] == [
        (1, RefusalReason.UNKNOWN_MEASUREMENT),
        (3, RefusalReason.MALFORMED),
    ]
