"""An anonymized export of an array has no name, address or serial of its site, and every number of it."""

import gzip
import io
import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.offline.test_with_arrays import END_S
from tests.truth.environments import HeldTime

from gavel.cli.commands import main
from gavel.collectors.anonymous_names import AnonymousNames
from gavel.collectors.arrays.flasharray.anonymize import ExportAnonymizer
from gavel.collectors.arrays.flasharray.export import export_array, read_export
from gavel.collectors.arrays.flasharray.settings import FlashArraySettings
from gavel.domain.errors import SettingsError
from gavel.domain.naming import volume_serial, with_serial
from gavel_lab.lab import create_lab
from gavel_lab.sources import serve_lab


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Of an array of the lab, asked over its real protocol."""
    folder = tmp_path_factory.mktemp("export")
    time = HeldTime()
    time.at_s = END_S + 120.0
    served = serve_lab(create_lab(seed=1, lab_time=time), 0, folder)
    own: Any = next(each for each in served.announcement if each["kind"] == "flasharray")
    settings = {
        "address": own["address"],
        "api_token": own["settings"]["api_token"],
        "fingerprint_sha256": own["settings"]["tls_sha256"],
    }
    path = folder / "fa1.json.gz"
    with path.open("wb") as stream:
        export_array(FlashArraySettings.model_validate(settings), timedelta(minutes=6), stream, lambda _: None)
    served.stop()
    return path


def anonymized(data: bytes, names: AnonymousNames | None = None) -> bytes:
    made = io.BytesIO()
    ExportAnonymizer(names or AnonymousNames()).write(io.BytesIO(data), "x.json", made)
    return gzip.decompress(made.getvalue())


def texts(value: Any, field: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield from texts(each, name)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each, field)
    elif isinstance(value, str):
        yield field, value


def without_texts(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: without_texts(each) for name, each in value.items()}
    if isinstance(value, list):
        return [without_texts(each) for each in value]
    return "" if isinstance(value, str) else value


def test_anonymized_export_has_no_text_of_its_site_and_every_number(file: Path) -> None:
    before = json.loads(gzip.decompress(file.read_bytes()))
    made = anonymized(file.read_bytes())
    after = json.loads(made)
    assert without_texts(after) == without_texts(before)
    plain = {"version", "os", "model", "type", "subtype", "status", "services", "interface_type", "personality", "mode"}
    bodies = [each["body"] for each in before["answers"]]
    secrets = {text for field, text in texts(bodies) if field not in plain and not text.startswith(("CT", "ct"))}
    secrets -= {text for field, text in texts(bodies) if field in plain}
    assert len(secrets) > 100
    left = {text for _, text in texts([each["body"] for each in after["answers"]])} & secrets
    assert left <= {"", "/"}
    volumes = read_export(file).collector.inventory().volumes  # type: ignore[union-attr]
    assert [each.name for each in volumes if f'"{each.name}"'.encode() in made] == []
    assert [each.serial for each in volumes if each.serial.encode() in made] == []
    assert before["address"].encode() not in made


def test_anonymized_export_is_read_as_before(file: Path, tmp_path: Path) -> None:
    target = tmp_path / "anonymous.json"
    target.write_bytes(anonymized(file.read_bytes()))
    before, after = (read_export(each).collector for each in (file, target))
    assert counts(before.inventory()) == counts(after.inventory())
    windows = read_export(file).windows
    assert list(map(str, windows)) == list(map(str, read_export(target).windows))
    for window in windows:
        for left, right in zip(before.samples(*window), after.samples(*window), strict=True):
            assert len(left.keys) == len(right.keys)
            assert (left.ended_at_us == right.ended_at_us).all()
            assert all((left.values[name] == right.values[name]).all() for name in left.values)


def counts(inventory: Any) -> list[tuple[str, int]]:
    """How many there are of each kind."""
    parts = ("pods", "volumes", "hosts", "connections", "ports", "volume_groups", "exports", "directories")
    return [(name, len(getattr(inventory, name))) for name in parts]


@pytest.mark.parametrize("name", ["naa.624a9370a934ae2e94a9486b00011010", "eui.00a934ae2e94a94824a9376b00011010"])
def test_anonymized_device_and_volume_have_one_serial(name: str) -> None:
    names = AnonymousNames()
    serial = volume_serial(name)
    assert serial is not None
    assert with_serial(name, serial) == name
    device = names.device(name)
    assert device is not None
    assert device != name
    assert volume_serial(device) == names.serial(serial)
    assert names.device("naa.600508b1001c") is None


def test_anonymized_files_of_a_site_are_written_by_one_command(file: Path, tmp_path: Path) -> None:
    assert main(["esxtop", "anonymize", str(file), "--output", str(tmp_path)]) == 0
    made = tmp_path / "anonymous-1.json.gz"
    assert read_export(made).address.startswith("address-")
    bad = tmp_path / "bad.json"
    bad.write_text('{"no": "export"}')
    (tmp_path / "other").mkdir()
    assert main(["esxtop", "anonymize", str(bad), "--output", str(tmp_path / "other")]) == 1
    assert list((tmp_path / "other").iterdir()) == []


def test_anonymized_export_of_an_answer_that_is_no_json_is_refused(file: Path) -> None:
    data = json.loads(gzip.decompress(file.read_bytes()))
    with pytest.raises(SettingsError, match=r"x\.json: is no export"):
        anonymized(json.dumps(data)[:-20].encode())
