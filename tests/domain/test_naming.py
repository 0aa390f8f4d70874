"""Canonical names and serials of FlashArray volumes."""

import csv
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.domain.naming import NameForm, name_form, volume_serial

SERIALS = st.text("0123456789ABCDEF", min_size=24, max_size=24)


@given(SERIALS)
def test_both_names_of_a_serial_lead_back_to_it(serial: str) -> None:
    digits = serial.lower()
    scsi, nvme = f"naa.624a9370{digits}", f"eui.00{digits[:14]}24a937{digits[14:]}"
    assert volume_serial(scsi) == volume_serial(nvme) == volume_serial(scsi.upper()) == serial
    assert (name_form(scsi), name_form(nvme)) == (NameForm.NAA, NameForm.EUI)


@pytest.mark.parametrize(
    "name",
    [
        "naa.5000c500a1b2c3d4",
        "naa.624a9371" + "0" * 24,
        "naa.624a9370" + "0" * 23,
        "eui.00" + "0" * 30,
        "t10.ATA",
        "mpx.vmhba0",
        "",
    ],
)
def test_other_names_have_no_serial(name: str) -> None:
    assert volume_serial(name) is None


def test_published_pairs_agree(shared: Path) -> None:
    with (shared / "data/names/pure_scsi_nvme_names.csv").open(newline="") as lines:
        pairs = [(name, row[2]) for row in list(csv.reader(lines))[1:] for name in row[1].split(" / ")]
    compared = 0
    for name, told in pairs:
        serial = re.match(r"[0-9A-F]{24}", told)
        if serial:
            assert volume_serial(name) == serial.group(), name
            compared += 1
    assert compared >= 6
