"""Captures and exports of arrays together: both sides on one clock, and the array's layer told apart from the SAN."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from tests.lab.model.conftest import HOUR
from tests.offline.test_environments import NOW, read
from tests.truth.environments import HeldTime

from gavel.api.app import build
from gavel.cli.commands import main
from gavel.collectors.arrays.flasharray.export import export_array
from gavel.collectors.arrays.flasharray.settings import FlashArraySettings
from gavel.config import Settings
from gavel.db.engine import Role, open_engine
from gavel.domain.errors import SettingsError
from gavel.domain.imports import ImportOptions
from gavel.domain.source import ClockReading
from gavel.offline.environments import add_environment, remove_environment
from gavel.offline.fill import CaptureFile
from gavel.offline.host_clocks import ASSUMED_ERROR_S, ArrayFile, host_clock
from gavel.offline.reading import read_arrays, read_captures
from gavel.vault import load_vault
from gavel_lab.environment import EsxiHost
from gavel_lab.esxtop import EsxtopCapture
from gavel_lab.lab import Lab, create_lab
from gavel_lab.sources import serve_lab

# A volume at its QoS limit: minutes 20 to 30 of each hour.
STORY, FIRST_S, MINUTES = "array-qos", HOUR + 21 * 60, 8
END_S = FIRST_S + 60 * MINUTES


@pytest.fixture(scope="module")
def lab() -> Lab:
    time = HeldTime()
    time.at_s = END_S + 120.0
    return create_lab(seed=1, lab_time=time)


@pytest.fixture(scope="module")
def exports(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Of both arrays, asked over their real protocol."""
    folder = tmp_path_factory.mktemp("exports")
    served = serve_lab(lab, 0, folder)
    found = []
    for each in served.announcement:
        if each["kind"] != "flasharray":
            continue
        own: Any = each["settings"]
        settings = {"api_token": own["api_token"], "fingerprint_sha256": own["tls_sha256"], "address": each["address"]}
        found.append(folder / f"{each['name']}.json.gz")
        with found[-1].open("wb") as file:
            export_array(FlashArraySettings.model_validate(settings), timedelta(minutes=14), file, lambda _: None)
    served.stop()
    return found


@pytest.fixture(scope="module")
def arrays(lab: Lab, exports: list[Path]) -> list[ArrayFile]:
    return in_lab_time(lab, read_arrays(exports))


def in_lab_time(lab: Lab, arrays: list[ArrayFile]) -> list[ArrayFile]:
    """The lab's time stands still in another year than that of the machine that asked: their clocks as they would have been read then.
    Arrays in the order of the lab."""
    offsets = [lab.clocks.arrays[array.index].offset_s() for array in lab.environment.arrays]
    return [
        replace(each, clock=ClockReading(None, offset_s, 0.1, NOW))
        for each, offset_s in zip(arrays, offsets, strict=True)
    ]


def hosts_of_story(lab: Lab) -> tuple[EsxiHost, str]:
    """A host with the story's device, and the name of its volume."""
    environment = lab.environment
    store = next(each for each in environment.datastores if each.story == STORY)
    volume = environment.volumes[store.extents[0]]
    device = next(each for each in environment.devices if each.volume == volume.index)
    return environment.hosts[device.host], volume.name


def captured(lab: Lab, host: EsxiHost) -> CaptureFile:
    data = recorded(lab, host)
    return CaptureFile("capture.csv", len(data), read(data))


def recorded(lab: Lab, host: EsxiHost) -> bytes:
    capture = EsxtopCapture(lab, host, FIRST_S, interval_s=5, rows=12 * MINUTES + 1)
    return "".join(f"{line}\n" for line in capture.lines()).encode()


@pytest.fixture(scope="module")
def anonymous(lab: Lab, exports: list[Path], tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The capture and the exports of both arrays as one command writes them."""
    folder = tmp_path_factory.mktemp("anonymous")
    capture = folder / "capture.csv"
    capture.write_bytes(recorded(lab, hosts_of_story(lab)[0]))
    assert main(["esxtop", "anonymize", str(capture), *map(str, exports), "--output", str(folder)]) == 0
    return [folder / name for name in ("anonymous-1.csv.gz", "anonymous-2.json.gz", "anonymous-3.json.gz")]


@pytest.fixture(scope="module")
def client(
    lab: Lab,
    arrays: list[ArrayFile],
    anonymous: list[Path],
    module_postgres_url: str,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[TestClient]:
    """Of two environments: `both`, and `nameless` of the same files without names."""
    data_dir = tmp_path_factory.mktemp("data")
    settings = Settings(database_url=module_postgres_url, data_dir=data_dir, broker_url="memory://")
    engine, vault = open_engine(module_postgres_url, Role.API), load_vault(settings.key_file)
    files = [captured(lab, hosts_of_story(lab)[0])]
    add_environment(engine, vault, "both", files, NOW, arrays=arrays)
    capture, *exports = anonymous
    without = in_lab_time(lab, read_arrays(exports))
    add_environment(engine, vault, "nameless", read_captures([capture], ImportOptions()), NOW, arrays=without)
    base = "http://127.0.0.1:8321/offline/both/api/v1"
    with TestClient(build(settings), base_url=base) as found:
        yield found
    for name in ("both", "nameless"):
        remove_environment(engine, name)
    engine.dispose()


def test_offline_environment_with_arrays_names_the_array_where_the_lab_made_it_guilty(
    client: TestClient, lab: Lab
) -> None:
    _, volume = hosts_of_story(lab)
    store = next(each for each in client.get("datastores").json()["items"] if each["name"] == volume)
    diagnosis = client.get(f"datastores/{store['id']}/diagnosis").json()
    assert diagnosis["layer"] == "array"
    assert diagnosis["confidence"] != "inconclusive"


def test_offline_environment_with_arrays_has_their_volumes_and_says_what_they_are(client: TestClient) -> None:
    assert [each["name"] for each in client.get("arrays").json()["items"]] == ["flasharray-1", "flasharray-2"]
    assert len(client.get("volumes").json()["items"]) > 10


def test_offline_diagnoses_of_anonymized_files_are_those_of_the_files(client: TestClient) -> None:
    """Names aside: device and volume still belong together, and the array's layer is its own."""
    named, nameless = (ranked(client, name) for name in ("both", "nameless"))
    assert len(named) > 5
    assert named == nameless
    assert any(layer == "array" for _, layer, _, _, _ in named)


def ranked(client: TestClient, name: str) -> list[tuple[Any, ...]]:
    """What the diagnoses of all datastores and VMs say."""
    base = f"/offline/{name}/api/v1"
    found = []
    for kind in ("datastores", "vms"):
        for each in client.get(f"http://127.0.0.1:8321{base}/{kind}").json()["items"]:
            said = client.get(f"http://127.0.0.1:8321{base}/{kind}/{each['id']}/diagnosis").json()
            found.append((kind, said["layer"], said["severity"], said["confidence"], each["newest"]))
    return sorted(found, key=str)


def test_offline_clock_of_a_host_is_assumed_to_be_near_unless_its_ios_say_otherwise(
    lab: Lab, arrays: list[ArrayFile]
) -> None:
    host, _ = hosts_of_story(lab)
    capture = captured(lab, host).capture
    near = host_clock(capture, arrays)
    true_s = lab.clocks.hosts[host.index].offset_s()
    assert abs(near.offset_s - true_s) <= near.error_s <= ASSUMED_ERROR_S
    hour_us = 3_600_000_000
    wrong_zone = replace(capture, ended_us=capture.ended_us + hour_us)
    far = host_clock(wrong_zone, arrays)
    if far.is_measured:
        assert abs(far.offset_s - true_s - 3600) <= far.error_s


def test_offline_host_alone_is_the_time(lab: Lab) -> None:
    capture = captured(lab, hosts_of_story(lab)[0]).capture
    alone = host_clock(capture, [])
    assert (alone.offset_s, alone.is_measured) == (0.0, True)


def test_offline_array_that_is_given_twice_is_refused(exports: list[Path]) -> None:
    with pytest.raises(SettingsError, match="is in two of the exports"):
        read_arrays([exports[0], exports[0]])


def test_offline_window_is_that_of_the_captures(client: TestClient) -> None:
    until = datetime.fromisoformat(client.get("overview").json()["to_at"])
    assert abs((until - datetime.fromtimestamp(END_S, UTC)).total_seconds()) <= 60
