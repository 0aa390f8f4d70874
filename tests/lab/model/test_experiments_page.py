"""The page of experiments has the lab's own numbers: each of its rows is read and compared with the model."""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from gavel_lab.lab import Lab
from gavel_lab.model import By
from gavel_lab.reading import LAYERS, SEGMENT

HOUR = 1_780_002_000
PAGE = Path(__file__).parents[3] / "docs" / "experiments.md"
# Two digits on the page, and load that varies with the hour.
WITHIN_MS, WITHIN_IOPS = 0.02, 0.2


@dataclass(frozen=True)
class Row:
    name: str
    minutes: tuple[int, int]
    vm: str
    disk: str
    iops: float
    layers_ms: tuple[float, ...]


def rows() -> list[Row]:
    found = []
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) != 8 or re.fullmatch(r"\d+–\d+", cells[1]) is None:
            continue
        first, last = (int(minute) for minute in cells[1].split("–"))
        vm, disk = (name.strip("`") for name in cells[2].split())
        numbers = [float(cell.replace(",", "")) for cell in cells[3:]]
        found.append(Row(cells[0], (first, last), vm, disk, numbers[0], tuple(numbers[1:])))
    return found


def test_experiments_page_has_its_rows() -> None:
    assert len(rows()) == 11


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_experiments_page_has_the_numbers_of_the_lab(lab: Lab, row: Row) -> None:
    vms = {vm.index: vm.name for vm in lab.environment.vms}
    (disk,) = [one for one in lab.environment.disks if vms[one.vm] == row.vm and one.instance == row.disk]
    starts = HOUR + np.arange(60.0 * row.minutes[0] + 60, 60.0 * row.minutes[1] - 60, 60.0)
    reading = lab.model.read(By.DISK, [disk.index], np.stack([starts, starts + 60], axis=1))
    ops = reading.ops.sum()
    assert ops / (60 * len(starts)) == pytest.approx(row.iops, rel=WITHIN_IOPS)
    for name, shown_ms in zip(("guest", "kernel", "san", "array"), row.layers_ms, strict=True):
        time_us = np.nansum(reading.io_time_us[..., [SEGMENT[segment] for segment in LAYERS[name]]])
        assert time_us / ops / 1000 == pytest.approx(shown_ms, abs=WITHIN_MS), name
