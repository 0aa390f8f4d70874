"""`gavel status` on a database that can be read: what is told of sources and of what is on one side only."""

import re
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.db.environments import array_inventory, host_inventory

from gavel.cli.commands import main
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.sources import add_source
from gavel.db.write.inventory import store_inventory
from gavel.domain.inventory import Inventory, InventoryTaken
from gavel.domain.source import SourceKind

NOW = datetime.now(UTC)


@pytest.fixture(autouse=True)
def _on_this_database(postgres_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GAVEL_DATABASE_URL", postgres_url)
    monkeypatch.setenv("GAVEL_DATA_DIR", str(tmp_path))
    monkeypatch.setattr("gavel.cli.commands.configure", lambda _settings: None)  # the tests keep their own log


def polled(url: str, kind: SourceKind, name: str, inventory: Inventory) -> None:
    engine = open_engine(url, Role.WORKER)
    with transaction(engine) as connection:
        source_id = add_source(connection, kind=kind, name=name, address=name, settings={}, enabled=True, now=NOW)
        store_inventory(connection, source_id, InventoryTaken(inventory, NOW))
    engine.dispose()


def said(capsys: pytest.CaptureFixture[str]) -> str:
    assert main(["status"]) == 0
    return capsys.readouterr().out


def test_what_is_on_one_side_only_is_counted_by_kind(postgres_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    polled(postgres_url, SourceKind.VCENTER, "vc", host_inventory())
    polled(postgres_url, SourceKind.FLASHARRAY, "array", array_inventory())
    line = said(capsys).splitlines()[-1]
    assert line == (
        "Not matched: 2 datastores. The Sources page has the reasons. On one side only, no match needed: 2."
    )


def test_what_a_source_keeps_from_its_account_is_told_below_it(
    postgres_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = "The queue settings of esx-1 may not be read (the privilege Host.Config.Settings is missing)."
    polled(postgres_url, SourceKind.VCENTER, "vc", replace(host_inventory(), withheld=(kept,)))
    lines = said(capsys).splitlines()
    place = next(index for index, line in enumerate(lines) if line.startswith("  vc "))
    assert lines[place + 1] == f"    {kept}"
    assert main(["source", "list"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == f"    {kept}"


def test_before_there_is_a_source_nothing_is_said_of_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert "atched" not in said(capsys)


def test_where_nothing_is_missing_that_is_said(postgres_url: str, capsys: pytest.CaptureFixture[str]) -> None:
    hosts = host_inventory()
    known = tuple(each for each in hosts.datastores if each.name not in ("unknown", "nfs-elsewhere"))
    polled(postgres_url, SourceKind.VCENTER, "vc", replace(hosts, datastores=known))
    polled(postgres_url, SourceKind.FLASHARRAY, "array", array_inventory())
    line = said(capsys).splitlines()[-1]
    assert line == "All objects that need a match are matched. On one side only, no match needed: 2."


def test_what_is_kept_is_listed_with_its_size(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line for line in said(capsys).splitlines() if ": keeps " in line]
    assert [line.split(":")[0].strip() for line in lines] == [
        "samples",
        "minutes of disks and devices",
        "minutes",
        "5-minute sums",
        "hourly sums",
    ]
    assert re.fullmatch(r"  samples: keeps 2 days \(GAVEL_KEEP_SAMPLES, default\), \d+\.\d MB", lines[0])


def test_kept_length_that_is_set_and_not_in_force_yet_is_named(
    postgres_url: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GAVEL_KEEP_5_MINUTES", "6w")

    def line() -> str:
        return next(line for line in said(capsys).splitlines() if "5-minute sums: keeps" in line)

    assert "keeps 30 days (GAVEL_KEEP_5_MINUTES, default)" in line()
    assert line().endswith(
        "; here GAVEL_KEEP_5_MINUTES says 42 days, in force with the next gavel up or gavel db migrate"
    )
    assert main(["db", "migrate"]) == 0
    capsys.readouterr()
    assert "keeps 42 days (GAVEL_KEEP_5_MINUTES)" in line()
    assert "in force" not in line()
    monkeypatch.delenv("GAVEL_KEEP_5_MINUTES")
    assert "; here GAVEL_KEEP_5_MINUTES says the default, in force" in line()
