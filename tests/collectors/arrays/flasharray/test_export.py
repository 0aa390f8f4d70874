"""An array's export: read elsewhere it gives what the array gave, holds no secret, and a file that is none is refused with its reason."""

import gzip
import io
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from gavel.collectors.arrays.flasharray import export as exporting
from gavel.collectors.arrays.flasharray.collector import FLASHARRAY
from gavel.collectors.arrays.flasharray.export import export_array, read_export
from gavel.collectors.arrays.flasharray.settings import FlashArraySettings
from gavel.domain.errors import ProtocolError, SettingsError
from gavel.domain.samples import SampleBatch
from gavel.domain.source import Stream
from gavel_lab.lab import create_lab
from gavel_lab.sources import serve_lab


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FlashArraySettings]:
    """Of an array of a lab."""
    served = serve_lab(create_lab(), 0, tmp_path_factory.mktemp("lab"))
    array: Any = next(each for each in served.announcement if each["kind"] == "flasharray")
    yield FlashArraySettings.model_validate({
        "address": array["address"],
        "api_token": array["settings"]["api_token"],
        "fingerprint_sha256": array["settings"]["tls_sha256"],
    })  # fmt: skip
    served.stop()


@pytest.fixture(scope="module")
def file(settings: FlashArraySettings, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "array.json.gz"
    with path.open("wb") as stream:
        export_array(settings, timedelta(minutes=12), stream, lambda _: None)
    return path


def rows(batches: Iterator[SampleBatch]) -> set[tuple[str, int, tuple[int, ...]]]:
    return {
        (
            batch.keys[batch.key_index[at]],
            int(batch.ended_at_us[at]),
            tuple(int(each[at]) for each in batch.values.values()),
        )
        for batch in batches
        for at in range(len(batch))
    }


def test_export_gives_the_inventory_and_samples_that_the_array_gives(settings: FlashArraySettings, file: Path) -> None:
    export, live = read_export(file), FLASHARRAY.open(settings)
    try:
        assert export.collector.inventory() == live.inventory()
        # The newest samples may still have changed since.
        settled = [window for window in export.windows if window[2] < datetime.now(UTC) - timedelta(minutes=4)]
        assert {stream for stream, _, _ in settled} == set(live.streams)
        for window in settled:
            assert rows(export.collector.samples(*window)) == rows(live.samples(*window)), window
        assert any(rows(export.collector.samples(*window)) for window in settled if window[0] is Stream.ARRAY_VOLUME)
    finally:
        live.close()


def test_export_covers_the_span_that_was_asked_for_without_a_hole(file: Path) -> None:
    windows = [window for window in read_export(file).windows if window[0] is Stream.ARRAY_VOLUME]
    assert windows[-1][2] - windows[0][1] == timedelta(minutes=12)
    assert all(before[2] == after[1] for before, after in pairwise(windows))


def test_export_holds_no_token_and_no_session(settings: FlashArraySettings, file: Path) -> None:
    text = gzip.decompress(file.read_bytes()).decode()
    assert settings.api_token.get_secret_value() not in text
    assert "x-auth-token" not in text.lower()
    assert "api-token" not in text.lower()


def test_export_knows_how_far_the_arrays_clock_is_off(file: Path) -> None:
    clock = read_export(file).clock
    assert clock is not None
    assert 0 < clock.error_s < 1.5


def test_export_answers_only_what_was_asked(file: Path) -> None:
    export = read_export(file)
    stream, since, until = export.windows[0]
    with pytest.raises(ProtocolError, match="the export has no answer to volumes/performance"):
        list(export.collector.samples(stream, since - timedelta(hours=1), until))


def test_export_stops_at_a_size_that_no_file_should_have(
    settings: FlashArraySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "MOST_BYTES", 50_000)
    with pytest.raises(SettingsError, match="Export a shorter span"):
        export_array(settings, timedelta(minutes=12), io.BytesIO(), lambda _: None)


@pytest.mark.parametrize("length", [timedelta(0), timedelta(days=3)])
def test_export_of_no_usable_length_is_refused(settings: FlashArraySettings, length: timedelta) -> None:
    with pytest.raises(SettingsError, match="from 1 minute to 24 hours"):
        export_array(settings, length, io.BytesIO(), lambda _: None)


def test_export_may_be_plain_json(file: Path, tmp_path: Path) -> None:
    plain = tmp_path / "array.json"
    plain.write_bytes(gzip.decompress(file.read_bytes()))
    assert read_export(plain).collector.inventory() == read_export(file).collector.inventory()


def changed(file: Path, **fields: Any) -> bytes:
    return json.dumps(json.loads(gzip.decompress(file.read_bytes())) | fields).encode()


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("empty", "is no export of an array"),
        ("csv", "is no export of an array"),
        ("cut", "cannot be read|is no export"),
        ("other_json", "is no export of an array"),
        ("release", "another release of Gavel"),
        ("stream", "is no export of an array"),
        ("address", "is no export of an array"),
        ("deep", "is no export of an array"),
        ("torn", "cannot be read"),
        ("bomb", "unpacks to more than"),
        ("missing", "cannot be read"),
    ],
)
def test_export_that_cannot_be_used_is_refused_with_its_reason(
    file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, reason: str
) -> None:
    monkeypatch.setattr(exporting, "MOST_BYTES", 4 * 2**20)
    window = {"stream": "no_stream", "since": "2026-01-01T00:00:00Z", "until": "2026-01-01T00:05:00Z"}
    data = {
        "empty": b"",
        "csv": b"time,value\n1,2\n",
        "cut": file.read_bytes()[:-2000],
        "torn": file.read_bytes()[:2000] + b"\xff" * 2000 + file.read_bytes()[4000:],
        "other_json": b"{}",
        "release": changed(file, gavel_array_export=99),
        "stream": changed(file, windows=[window]),
        "address": changed(file, address="no host/at all"),
        "deep": b"[" * 100_000,
        "bomb": gzip.compress(b" " * (9 * 2**20)),
        "missing": None,
    }[fault]
    bad = tmp_path / "bad.json.gz"
    if data is not None:
        bad.write_bytes(data)
    with pytest.raises(SettingsError, match=reason) as raised:
        read_export(bad)
    assert str(bad) in str(raised.value)
