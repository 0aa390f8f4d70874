"""Files of databases: the disk that holds one is the one with its drive, or none."""

import pytest

from gavel.domain.database_files import disk_of_drive, drive_of
from gavel.domain.guests import GuestDiskKind

DISK, LOGICAL = GuestDiskKind.DISK, GuestDiskKind.LOGICAL


@pytest.mark.parametrize(
    ("path", "drive"),
    [
        (r"D:\data\orders.mdf", "D:"),
        ("e:/logs/orders.ldf", "E:"),
        (r"\\filer\share\orders.mdf", None),
        ("/var/opt/mssql/data/orders.mdf", None),
        ("D:orders.mdf", None),
        ("", None),
        (None, None),
    ],
)
def test_database_file_drive_is_the_letter_that_its_path_begins_with(path: str | None, drive: str | None) -> None:
    assert drive_of(path) == drive


def test_database_file_disk_is_the_whole_disk_with_its_drive_else_the_drive() -> None:
    system, data, drive = (
        (1, DISK, "PhysicalDisk 0", "C:"),
        (2, DISK, "PhysicalDisk 1", "D: E:"),
        (3, LOGICAL, "D:", None),
    )
    assert disk_of_drive("D:", [system, data, drive]) == 2
    assert disk_of_drive("D:", [system, drive]) == 3
    assert disk_of_drive("D:", [system]) is None
    assert disk_of_drive(None, [system, data, drive]) is None
    # A spanned volume lies on several disks.
    assert disk_of_drive("D:", [data, (4, DISK, "PhysicalDisk 2", "D:")]) is None
