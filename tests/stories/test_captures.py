"""A capture that the lab records of one of its hosts, all the way into a running product and out of it again."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

from tests.product import ledgers
from tests.product.comparing import KEPT_S, caught_up
from tests.product.running import Product, tell

from gavel.domain.scope import ScopeKind, scope_key
from gavel_lab.build import build_environment
from gavel_lab.environment import EsxiHost

_MINUTES, _BESIDE_S = 8, 120
_DEVICES = """
    SELECT d.id FROM host_device d JOIN esxi_host h ON h.id = d.host_id WHERE split_part(h.name, '.', 1) = split_part(%(host)s, '.', 1)
"""
_IMPORTS = "SELECT id FROM file_import ORDER BY id DESC LIMIT 1"


def coarse_host() -> EsxiHost:
    """Of a vCenter that counts whole milliseconds, with the most devices."""
    environment = build_environment()
    hosts = [host for host in environment.hosts if not environment.vcenters[host.vcenter].has_microsecond_family]
    return max(hosts, key=lambda host: len(host.devices))


def recorded(host: EsxiHost, file: Path, from_s: float, seconds: float) -> None:
    """As `esxtop -b -a` on the host would have been left running."""
    at = datetime.fromtimestamp(from_s, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    arguments = ("--host", host.name, "--from", at, "--minutes", str(int(seconds // 60)), "-o", str(file))
    made = subprocess.run(
        [sys.executable, "-m", "gavel_lab", "esxtop", *arguments], capture_output=True, text=True, check=False
    )
    assert made.returncode == 0, made.stderr


def kernel_widths(found: ledgers.Ledger, devices: set[int]) -> list[float]:
    """µs of range per read of the kernel, of the busy minutes of these devices."""
    base = scope_key(ScopeKind.HOST_DEVICE, 0)
    rows = [row for (key, _), row in found.items() if key - base in devices]
    return [
        (row["read_kernel_upper"] - row["read_kernel_lower"]) / row["read_ops"]
        for row in rows
        if (row["read_ops"] or 0) > 6000 and row["read_kernel_upper"] is not None
    ]


def test_a_capture_of_the_lab_is_imported_narrows_its_minutes_and_is_removed_without_a_trace(
    product: Product, tmp_path: Path
) -> None:
    caught_up(product)
    ledgers.settled(product)
    _, until = ledgers.whole_minutes(product, KEPT_S - 300)
    after, host, file = until - 60 * _MINUTES, coarse_host(), tmp_path / "esx.csv.gz"
    before = ledgers.everything(product, after, until)
    recorded(host, file, after - _BESIDE_S, until - after + 2 * _BESIDE_S)

    found = product.run("import", "esxtop", str(file), "--host", host.name)
    assert found.returncode == 0, found.stdout + found.stderr
    import_id = product.ask(_IMPORTS)[0][0]
    try:
        ledgers.settled(product)
        narrowed = ledgers.everything(product, after, until)
    finally:
        removed = product.run("import", "remove", str(import_id))
    assert removed.returncode == 0, removed.stderr
    ledgers.settled(product)
    assert ledgers.differences(before, ledgers.everything(product, after, until)) == []

    devices = {number for (number,) in product.ask(_DEVICES, host=host.name)}
    wide, narrow = sorted(kernel_widths(before, devices)), sorted(kernel_widths(narrowed, devices))
    assert len(wide) == len(narrow) > _MINUTES
    assert narrow[len(narrow) // 2] < wide[len(wide) // 2] / 2, found.stdout
    assert {key: row["read_ops"] for key, row in before.items()} == {
        key: row["read_ops"] for key, row in narrowed.items()
    }
    tell(
        f"kernel of the devices of {host.name}: {wide[len(wide) // 2]:.0f} µs of range, with the capture"
        f" {narrow[len(narrow) // 2]:.0f} µs (medians of {len(wide)} minutes)"
    )
