"""`gavel whatif`: a published case as a table and as JSON, and settings that no queue has."""

import json

import pytest

from gavel.cli.commands import main


@pytest.fixture(autouse=True)
def _own_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gavel.cli.commands.configure", lambda _settings: None)  # the tests keep their own log


def test_what_if_of_an_example_is_a_table_with_ranges(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["whatif", "--example", "both-queues"]) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[:3] == ["Before After", "IOPS 65,000 65,000–130,000", "Latency 1.40 ms 0.49–1.48 ms"]
    assert "Binding limit: Demand (96 I/Os); next: Threads (96 I/Os)" in lines


def test_what_if_as_json_is_the_answer_of_the_api(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["whatif", "--example", "both-queues", "--virtual-disk-queue", "64", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["then"]["virtual_disk_queue"] == 64
    assert found["fast"]["iops"] == pytest.approx(130_000)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--example", "both-queues", "--device-depth", "65535"], "--device-depth: Input should be less than"),
        (["--example", "both-queues", "--dsnro", "0"], "--dsnro: Input should be greater than"),
        ([], "Give a kind and a name"),
    ],
)
def test_what_if_of_nothing_or_of_a_depth_that_no_queue_has_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    assert main(["whatif", *arguments]) == 1
    assert words in capsys.readouterr().err
