"""An anonymized capture has no name of its site and every number of it; the kit records within its bounds."""

import gzip
import io
import os
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.collectors.imports.esxtop.twin import Device, Load, Machine, Twin, incident

import gavel.collectors.imports.esxtop as package
from gavel.cli.commands import main
from gavel.collectors.anonymous_names import AnonymousNames
from gavel.collectors.imports.esxtop.anonymize import Anonymizer
from gavel.collectors.imports.esxtop.capture import EsxtopCapture
from gavel.collectors.imports.esxtop.errors import EsxtopFileError
from gavel.collectors.imports.esxtop.parse import read_capture
from gavel.collectors.imports.esxtop.summary import summarize

KIT = Path(package.__file__).with_name("gavel-esxtop.sh")
SECRETS = ("acme", "payroll", "esx-04", "vdi", "SQL02", "a934ae2e94a9486b", "Disk-7", "prod-lan", "nfs-hr")


def site() -> Twin:
    """Names of a site wherever esxtop writes them, the odd ones of §7 included."""
    more = {
        "Physical Disk NFS Volume(nfs-hr)\\Reads/sec": ["3.00"] * 13,
        "Group Cpu(4711:payroll, old (x))\\% Ready": ["0.10"] * 13,
        "Network Port(prod-lan:335544:480214:vdi-03)\\Packets Received/sec": ["1.00"] * 13,
        "Interrupt Cookie(acme-driver)\\Interrupts/sec": ["1.00"] * 13,
        "Future Object(acme:new)\\Things/sec": ["1.00"] * 13,
    }
    plain = incident()
    machines = (*plain.machines, Machine("payroll (a), b", 500_001, {"scsi0:0": (10, 10, 0.5, 0.5)}))
    return replace(plain, machines=machines, host="esx-04.acme.example", more=more)


def anonymized(data: bytes, anonymizer: Anonymizer | None = None) -> bytes:
    return b"\n".join((anonymizer or Anonymizer(AnonymousNames())).lines(io.BytesIO(data), "c.csv")) + b"\n"


def read(data: bytes) -> EsxtopCapture:
    return read_capture(io.BytesIO(data), file="c.csv")


@pytest.mark.parametrize("broken_pcpus", [0, 2, 5])
def test_anonymized_capture_has_no_name_and_every_number(broken_pcpus: int) -> None:
    data = replace(site(), broken_pcpus=broken_pcpus).data()
    made = anonymized(b"banner of esx-04.acme\n" + data)
    assert [secret for secret in SECRETS if secret.lower().encode() in made.lower()] == []
    assert any(secret.encode() in data for secret in SECRETS)
    before, after = read(data), read(made)
    assert len(before.objects) == len(after.objects)
    for left, right in zip(before.objects, after.objects, strict=True):
        assert (left.kind, left.part) == (right.kind, right.part)
        assert list(left.columns) == list(right.columns)
        assert all(np.array_equal(left.columns[name], right.columns[name], equal_nan=True) for name in left.columns)
    assert [each.worlds[0].share for each in summarize(before) if each.worlds] == [
        each.worlds[0].share for each in summarize(after) if each.worlds
    ]


def test_anonymized_names_stay_the_same_over_files_and_keep_the_vendor() -> None:
    anonymizer = Anonymizer(AnonymousNames())
    first, second = (read(anonymized(site().data(), anonymizer)) for _ in range(2))
    assert [each.name for each in first.objects] == [each.name for each in second.objects]
    (device,) = [each.name for each in first.objects if each.kind == "device" and each.name.startswith("naa.")]
    assert device.startswith("naa.624a9370")
    assert len(device) == len("naa.624a9370a934ae2e94a9486b00011010")
    assert device != "naa.624a9370a934ae2e94a9486b00011010"


def test_anonymized_rows_with_text_are_left_out() -> None:
    header, row, *rest = site().text().splitlines()
    made = anonymized("\n".join([header, row.replace("0.00", "acme", 1), *rest]).encode())
    assert b"acme" not in made
    assert len(made.splitlines()) == len(rest) + 1


def test_anonymized_needs_a_header() -> None:
    with pytest.raises(EsxtopFileError, match="no esxtop batch capture"):
        anonymized(b"hello\n")


def test_anonymize_writes_beside_or_into_a_folder_and_overwrites_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "esx-04.csv"
    path.write_bytes(site().data())
    assert main(["esxtop", "anonymize", str(path)]) == 0
    assert "anonymous-1.csv.gz" in capsys.readouterr().out
    assert read(gzip.decompress((tmp_path / "anonymous-1.csv.gz").read_bytes())).host == "esx-1"
    assert main(["esxtop", "anonymize", str(path)]) == 1
    assert main(["esxtop", "anonymize"]) == 1
    (tmp_path / "notes").write_text("no capture")
    (tmp_path / "made").mkdir()
    assert main(["esxtop", "anonymize", str(tmp_path / "notes"), "--output", str(tmp_path / "made")]) == 1
    assert list((tmp_path / "made").iterdir()) == []
    capsys.readouterr()


def test_kit_is_printed_and_is_a_posix_script(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["esxtop", "kit"]) == 0
    assert capsys.readouterr().out == KIT.read_text()
    assert subprocess.run(["sh", "-n", str(KIT)], check=False).returncode == 0


def kit(tmp_path: Path, esxtop: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run where esxtop is a program of ours."""
    programs = tmp_path / "bin"
    programs.mkdir(exist_ok=True)
    (programs / "esxtop").write_text(f"#!/bin/sh\n{esxtop}\n")
    (programs / "esxtop").chmod(0o755)
    (programs / "sleep").write_text("#!/bin/sh\nexec /bin/sleep 0.05\n")
    (programs / "sleep").chmod(0o755)
    environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
    return subprocess.run(
        ["sh", str(KIT), *words], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_kit_records_one_packed_file_that_can_be_read(tmp_path: Path) -> None:
    capture = tmp_path / "twin.csv"
    load = Load(reads=100, read=(0.4, 0.0, 0.0))
    capture.write_bytes(Twin(devices=[Device("naa.624a9370a934ae2e94a9486b00011010", [load])]).data())
    ended = kit(tmp_path, f'echo "$@" > {tmp_path}/asked; cat {capture}', "5", "5", str(tmp_path))
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "asked").read_text().split() == ["-b", "-a", "-d", "5", "-n", "61"]
    (made,) = tmp_path.glob("gavel-esxtop-*.csv.gz")
    assert read(gzip.decompress(made.read_bytes())).rows == 13
    assert not list(tmp_path.glob("*.err"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("0", "5"), "MINUTES is 1 to 240"),
        (("999", "5"), "MINUTES is 1 to 240"),
        (("5", "1"), "STEP is 2 to 60"),
        (("5;reboot", "5"), "MINUTES is"),
        (("5", "5", "/nowhere"), "no folder"),
    ],
)
def test_kit_refuses_what_it_does_not_understand(tmp_path: Path, words: tuple[str, ...], said: str) -> None:
    ended = kit(tmp_path, "echo never", *words)
    assert ended.returncode == 1
    assert said in ended.stderr


def test_kit_says_what_esxtop_said_when_it_writes_nothing(tmp_path: Path) -> None:
    ended = kit(tmp_path, "echo 'no such option' >&2; exit 1", "1", "5", str(tmp_path))
    assert ended.returncode == 1
    assert "esxtop wrote nothing: no such option" in ended.stderr
