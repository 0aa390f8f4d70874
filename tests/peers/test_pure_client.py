"""The vendor's SDK against both arrays of the lab: negotiation, login, paging, history, and the model's own numbers."""

import json
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gavel_lab.clocks import LabTime
from gavel_lab.environment import Array
from gavel_lab.lab import Lab, create_lab
from gavel_lab.model import ArrayBy
from gavel_lab.reading import Reading
from gavel_lab.scale import Scale
from gavel_lab.sources import serve_lab

ROOT = Path(__file__).resolve().parent.parent.parent
PYTHON = ROOT / ".tools/peers/bin/python"
AT = 1_795_213_032.831
ANSWER_DEADLINE_S = 120
VOLUMES_PER_ARRAY = 1_300
NEWEST = {"flasharray-1": "2.15", "flasharray-2": "2.52"}
DIRECTIONS = ("read", "write", "mirrored_write")


class Sdk:
    """A running session of the SDK with one array."""

    def __init__(self, process: "subprocess.Popen[str]", lab: Lab, array: Array) -> None:
        self._process = process
        self.lab = lab
        self.array = array
        self.version: str = self._heard()["version"]

    def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        """The answer of one SDK call, whatever it is."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"call": name, "arguments": arguments}) + "\n")
        self._process.stdin.flush()
        return self._heard()

    def items(self, name: str, **arguments: Any) -> list[dict[str, Any]]:
        """All items of a call, over all pages the SDK fetched."""
        answer = self.call(name, **arguments)
        assert answer["status"] == 200, answer
        found: list[dict[str, Any]] = answer["items"]
        return found

    def _heard(self) -> dict[str, Any]:
        assert self._process.stdout
        assert self._process.stderr
        line = self._process.stdout.readline()
        assert line, f"the SDK ended: {self._process.stderr.read()}"
        heard: dict[str, Any] = json.loads(line)
        return heard

    def now_ms(self) -> int:
        return int(self.lab.clocks.arrays[self.array.index].now() * 1000)


Start = Callable[[str | None], Any]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, dict[str, str], Path]]:
    """(lab, address of each array, folder of the certificates); more volumes than a page holds."""
    folder = tmp_path_factory.mktemp("lab")
    lab = create_lab(scale=Scale(bare_volumes=2 * VOLUMES_PER_ARRAY), lab_time=LabTime(AT, speed=0))
    running = serve_lab(lab, 0, folder)
    ports = {array.name: running.listeners[array.index].port for array in lab.environment.arrays}
    yield lab, {name: f"127.0.0.1:{port}" for name, port in ports.items()}, folder / "tls"
    running.stop()


@contextmanager
def session(served: tuple[Lab, dict[str, str], Path], name: str, version: str | None = None) -> Iterator[Sdk]:
    if not PYTHON.exists():
        pytest.fail(f"{PYTHON} is missing: `make peers` installs the SDK there.", pytrace=False)
    lab, addresses, certificates = served
    array = next(array for array in lab.environment.arrays if array.name == name)
    command = [PYTHON, ROOT / "tests/peers/pure_client/session.py", addresses[name], certificates / f"{name}.crt"]
    command += [array.api_token, *([version] if version else [])]
    pipe = subprocess.PIPE
    with subprocess.Popen([str(part) for part in command], text=True, stdin=pipe, stdout=pipe, stderr=pipe) as process:
        try:
            yield Sdk(process, lab, array)
        finally:
            process.kill()


@pytest.fixture(scope="module", params=NEWEST)
def sdk(request: pytest.FixtureRequest, served: tuple[Lab, dict[str, str], Path]) -> Iterator[Sdk]:
    with session(served, request.param) as running:
        yield running


def test_the_sdk_negotiates_the_newest_version_of_each_array(sdk: Sdk) -> None:
    assert sdk.version == NEWEST[sdk.array.name]
    (array,) = sdk.items("get_arrays")
    assert (array["name"], array["id"], array["version"]) == (sdk.array.name, sdk.array.id, sdk.array.purity)


def test_the_sdk_pages_through_all_volumes_once(sdk: Sdk) -> None:
    expected = [volume for volume in sdk.lab.environment.volumes if sdk.array.index in volume.arrays]
    volumes = sdk.items("get_volumes")
    assert len(volumes) > 1_000
    assert [volume["serial"] for volume in volumes] == [volume.serial for volume in expected]
    assert [volume["name"] for volume in volumes] == [volume.name for volume in expected]


@pytest.mark.parametrize(
    "call",
    [
        "get_hosts",
        "get_host_groups",
        "get_host_groups_hosts",
        "get_pods",
        "get_volume_groups",
        "get_volume_groups_volumes",
        "get_volumes_tags",
        "get_connections",
        "get_ports",
        "get_ports_initiators",
        "get_controllers",
        "get_network_interfaces",
        "get_network_interfaces_performance",
        "get_directories",
        "get_directories_performance",
        "get_directory_exports",
        "get_hosts_performance",
        "get_hosts_performance_by_array",
        "get_hosts_performance_balance",
        "get_pods_performance",
        "get_pods_performance_by_array",
        "get_volume_groups_performance",
        "get_volumes_performance_by_array",
        "get_arrays_performance",
    ],
)
def test_the_sdk_understands_every_endpoint(sdk: Sdk, call: str) -> None:
    items = sdk.items(call)
    if sdk.array.name == "flasharray-2":
        assert items


def test_history_through_the_sdk_is_what_the_model_says(sdk: Sdk) -> None:
    last = (sdk.now_ms() - 60_000) // 30_000 * 30_000
    rows = sdk.items("get_volumes_performance", resolution=30_000, start_time=last - 30_000, end_time=last)
    volumes = {volume.id: volume.index for volume in sdk.lab.environment.volumes if sdk.array.index in volume.arrays}
    assert len(rows) == 2 * len(volumes)
    assert {row["time"] for row in rows} == {last - 30_000, last}
    truth = _truth(sdk, list(volumes.values()), [last - 30_000, last])
    places = {identifier: place for place, identifier in enumerate(volumes)}
    for row in rows:
        _expect(row, truth, places[row["id"]], int(row["time"] == last), sdk.array)


def _truth(sdk: Sdk, volumes: list[int], stamps_ms: list[int]) -> Reading:
    windows = sdk.lab.clocks.arrays[sdk.array.index].windows(np.array(stamps_ms) // 1000, 30.0)
    return sdk.lab.model.read_array(ArrayBy.VOLUME, volumes, windows, array=sdk.array.index)


def _expect(row: dict[str, Any], truth: Reading, volume: int, stamp: int, array: Array) -> None:
    for place, direction in enumerate(DIRECTIONS):
        rate = truth.ops_per_s()[volume, stamp, place]
        assert row[f"{direction}s_per_sec"] == pytest.approx(rate, abs=0.501)
        assert row[f"{direction}_bytes_per_sec"] == pytest.approx(truth.bytes_per_s()[volume, stamp, place], abs=0.501)
        if row[f"{direction}s_per_sec"] == 0:
            continue
        times = {name: truth.segment_us(name)[volume, stamp, place] for name in ("array_service", "array_queue")}
        shown = sum(times.values()) if array.queue_in_usec else times["array_service"]
        assert row[f"usec_per_{direction}_op"] == pytest.approx(shown, abs=0.501)
        assert row[f"service_usec_per_{direction}_op"] == pytest.approx(times["array_service"], abs=0.501)
        assert row[f"queue_usec_per_{direction}_op"] == pytest.approx(times["array_queue"], abs=0.501)


def test_filter_and_sort_go_through_the_sdk_over_several_pages(sdk: Sdk) -> None:
    everything = sdk.items("get_volumes")
    regular = sdk.items("get_volumes", filter="subtype='regular' and not(pod)", sort="name-")
    expected = [
        volume["name"]
        for volume in everything
        if volume["subtype"] == "regular" and not volume.get("pod", {}).get("name")
    ]
    assert 1_000 < len(expected) < len(everything)
    assert [volume["name"] for volume in regular] == sorted(expected, reverse=True)


def test_an_unknown_name_reaches_the_sdk_as_an_error_with_its_context(sdk: Sdk) -> None:
    answer = sdk.call("get_volumes", names=["nobody"])
    assert answer == {"status": 400, "errors": [{"context": "nobody", "message": "Volume does not exist."}]}


def test_the_sdk_logs_in_again_after_its_session_expired(sdk: Sdk) -> None:
    sdk.lab.faults.add({"source": sdk.array.name, "kind": "expire_sessions"})
    assert len(sdk.items("get_arrays")) == 1


def test_the_sdk_waits_out_an_overload(sdk: Sdk) -> None:
    sdk.lab.faults.add({"source": sdk.array.name, "kind": "status", "status": 429, "retry_after_s": 1, "count": 1})
    assert len(sdk.items("get_arrays")) == 1


@pytest.mark.parametrize("version", ["2.2", "2.16", "2.26", "2.38"])
def test_older_versions_can_be_asked_for(served: tuple[Lab, dict[str, str], Path], version: str) -> None:
    with session(served, "flasharray-2", version) as older:
        assert older.version == version
        rows = older.items("get_volumes_performance", resolution=30_000)
        assert len(rows) == len({row["id"] for row in rows}) == len(older.items("get_volumes"))
