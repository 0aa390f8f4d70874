"""Disks of guests in the store: matched by the job, tied by hand, matched anew when the inventory says otherwise."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import Engine, text
from tests.db.environments import host_inventory

from gavel.admin.guests import guest_token, make_guest_token, revoke
from gavel.cli import main
from gavel.db.engine import Role, open_engine, transaction
from gavel.db.queries.correlation import matched_disks
from gavel.db.queries.guest_tokens import GuestToken
from gavel.db.queries.guests import PushedDisk, guest_disks, matching_stamp, push_summary
from gavel.db.queries.sources import add_source
from gavel.db.write.guest_matches import tie_disk
from gavel.db.write.inventory import store_inventory
from gavel.domain.guest_matching import MatchedBy, UnmatchedReason
from gavel.domain.inventory import InventoryTaken
from gavel.domain.source import SourceKind
from gavel.ingest.guest_matching import match_now
from gavel.ingest.guests import Push, read_line_protocol, store_pushes

NOW = datetime.now(UTC)
NOW_US = round(NOW.timestamp() * 1e6)


@pytest.fixture
def engine(postgres_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setenv("GAVEL_DATABASE_URL", postgres_url)
    made = open_engine(postgres_url, Role.WORKER)
    with transaction(made) as connection:
        source = add_source(
            connection, kind=SourceKind.VCENTER, name="vc", address="192.0.2.1", settings={}, enabled=True, now=NOW
        )
        store_inventory(connection, source, InventoryTaken(host_inventory("vc", 1), NOW))
    yield made
    made.dispose()


def push(engine: Engine, *lines: str) -> None:
    with transaction(engine) as connection:
        known = connection.scalar(text("SELECT name FROM guest_token WHERE name = 'site'"))
    if known is None:
        made = make_guest_token(engine, "site", (), NOW).token
        push.token = made  # type: ignore[attr-defined]
    with transaction(engine) as connection:
        body = "\n".join(f"{line} {NOW_US * 1000}" for line in lines).encode()
        store_pushes(connection, [Push(push.token, "192.0.2.9", NOW_US, read_line_protocol(body, "ns"))], NOW)  # type: ignore[attr-defined]
        match_now(connection, NOW)


def listed(engine: Engine) -> tuple[PushedDisk, ...]:
    with transaction(engine) as connection:
        return guest_disks(connection, NOW).items


def test_a_disk_is_matched_by_name_of_its_vm_and_tools_and_listed_with_how(engine: Engine) -> None:
    with transaction(engine) as connection:
        vm, instance = connection.execute(
            text(
                "SELECT m.name, k.instance FROM vm_disk k JOIN vm m ON m.id = k.vm_id WHERE k.present ORDER BY k.id LIMIT 1"
            )
        ).one()
    push(
        engine,
        f"gavel_disk,host={vm},name=sda,vdisk={instance} reads=1i,writes=1i",
        "diskio,host=far,name=sda reads=1i,writes=1i",
    )
    far, near = sorted(listed(engine), key=lambda disk: disk.host_name != "far")
    assert (near.vm_name, near.matched_by, near.reason) == (vm, MatchedBy.TOOLS_NAME, None)
    assert (far.vm_name, far.matched_by, far.reason) == (None, None, UnmatchedReason.NO_VM)
    with transaction(engine) as connection:
        summary = push_summary(connection, NOW)
        assert [disk.host_name for disk in guest_disks(connection, NOW, unmatched_only=True).items] == ["far"]
    assert (summary.guests, summary.disks, summary.live, summary.matched, summary.lag_s) == (2, 2, 2, 1, 0.0)

    assert main(["guest", "tie", str(far.id), vm, instance]) == 0
    tied = next(disk for disk in listed(engine) if disk.host_name == "far")
    other = next(disk for disk in listed(engine) if disk.host_name != "far")
    assert (tied.vm_name, tied.matched_by) == (vm, MatchedBy.HAND)
    assert other.reason is UnmatchedReason.CLAIMED_TWICE
    # A later look changes nothing of what a person tied.
    with transaction(engine) as connection:
        assert match_now(connection, NOW) == 0
    assert main(["guest", "untie", str(far.id)]) == 0
    assert next(disk for disk in listed(engine) if disk.host_name == "far").reason is UnmatchedReason.NO_VM
    assert next(disk for disk in listed(engine) if disk.host_name != "far").matched_by is MatchedBy.TOOLS_NAME


@pytest.mark.parametrize(
    "identity",
    [
        "host=vm.example.org",
        "host=renamed,bios_uuid=421a0c5e-1122-3344-aabb-ccddeeff0011",
        "host=renamed,bios_uuid=5e0c1a4222114433aabbccddeeff0011",
        "host=renamed,ip=192.0.2.77",
    ],
)
def test_a_vm_is_identified_by_what_its_vcenter_has_of_its_guest(engine: Engine, identity: str) -> None:
    with transaction(engine) as connection:
        vm, instance = connection.execute(
            text("SELECT k.vm_id, k.instance FROM vm_disk k WHERE k.present ORDER BY k.id LIMIT 1")
        ).one()
        connection.execute(
            text(
                "UPDATE vm SET dns_name = 'VM.example.org', ip_addresses = '{192.0.2.77}',"
                " bios_uuid = '421a0c5e-1122-3344-aabb-ccddeeff0011' WHERE id = :id"
            ),
            {"id": vm},
        )
    push(engine, f"gavel_disk,{identity},name=sda,vdisk={instance} reads=1i,writes=1i")
    (disk,) = listed(engine)
    assert (disk.vm_id, disk.matched_by) == (vm, MatchedBy.TOOLS_NAME)


def push_with(engine: Engine, token: GuestToken, at: datetime, *lines: str) -> None:
    at_us = round(at.timestamp() * 1e6)
    body = "\n".join(f"{line} {at_us * 1000}" for line in lines).encode()
    with transaction(engine) as connection:
        store_pushes(connection, [Push(token, "192.0.2.9", at_us, read_line_protocol(body, "ns"))], at)
        match_now(connection, at)


def virtual_disk(engine: Engine) -> tuple[int, str, str]:
    """The first one: its id, the name of its VM, its instance."""
    query = "SELECT k.id, m.name, k.instance FROM vm_disk k JOIN vm m ON m.id = k.vm_id WHERE k.present ORDER BY k.id LIMIT 1"
    with transaction(engine) as connection:
        row = connection.execute(text(query)).one()
    return row.id, row.name, row.instance


@pytest.mark.parametrize("is_tied", [False, True])
def test_a_replaced_guest_token_changes_nothing_for_its_guests(engine: Engine, *, is_tied: bool) -> None:
    disk_id, vm, instance = virtual_disk(engine)
    host = "far" if is_tied else vm
    line = f"gavel_disk,host={host},name=sda,vdisk={instance} reads=1i,writes=1i"
    leaked = make_guest_token(engine, "linux", (), NOW).token
    push_with(engine, leaked, NOW, line)
    (before,) = listed(engine)
    if is_tied:
        with transaction(engine) as connection:
            tie_disk(connection, before.id, disk_id)
    replaced_at = NOW + timedelta(minutes=5)
    revoke(engine, "linux", replaced_at)
    assert listed(engine) == ()
    renewed = make_guest_token(engine, "linux", (), replaced_at).token
    push_with(engine, renewed, replaced_at, line)
    (after,) = listed(engine)
    assert (after.vm_disk_id, after.matched_by) == (disk_id, MatchedBy.HAND if is_tied else MatchedBy.TOOLS_NAME)
    with transaction(engine) as connection:
        assert push_summary(connection, replaced_at).matched == 1
        matched = matched_disks(connection)
        until_us = round(replaced_at.timestamp() * 1e6)
        # Its samples from before stay, and those of the two tokens never overlap.
        assert matched["until_us"].tolist() == [until_us, np.iinfo(np.int64).max]
        if is_tied:
            tie_disk(connection, after.id, None)
            match_now(connection, replaced_at)
    if is_tied:
        assert listed(engine)[0].matched_by is None


def test_a_guest_with_two_valid_tokens_counts_with_the_newer_one(engine: Engine) -> None:
    disk_id, vm, instance = virtual_disk(engine)
    line = f"gavel_disk,host={vm},name=sda,vdisk={instance} reads=1i,writes=1i"
    for name, at in (("old", NOW), ("new", NOW + timedelta(minutes=5))):
        push_with(engine, make_guest_token(engine, name, (), at).token, at, line)
    assert [disk.vm_disk_id for disk in listed(engine)] == [disk_id, disk_id]
    with transaction(engine) as connection:
        until_us = round((NOW + timedelta(minutes=5)).timestamp() * 1e6)
        assert matched_disks(connection)["until_us"].tolist() == [until_us, np.iinfo(np.int64).max]
    # Without the newer one, the older one has never been replaced.
    revoke(engine, "new", NOW + timedelta(minutes=6))
    with transaction(engine) as connection:
        assert matched_disks(connection)["until_us"].tolist() == [np.iinfo(np.int64).max, round(NOW.timestamp() * 1e6)]


def test_disks_of_a_revoked_guest_token_stop_silencing_others_at_once(engine: Engine) -> None:
    disk_id, vm, instance = virtual_disk(engine)
    with transaction(engine) as connection:
        connection.execute(
            text("UPDATE vm_disk SET backing_uuid = '6000C294-e9da-4137-7ffb-eda45b97abeb' WHERE id = :id"),
            {"id": disk_id},
        )
    honest, hostile = (make_guest_token(engine, name, (), NOW).token for name in ("honest", "hostile"))
    push_with(engine, honest, NOW, f"gavel_disk,host={vm},name=sda,vdisk={instance} reads=1i,writes=1i")
    push_with(
        engine, hostile, NOW, "gavel_disk,host=evil,name=sda,wwid=6000c294e9da41377ffbeda45b97abeb reads=1i,writes=1i"
    )
    assert {disk.reason for disk in listed(engine)} == {UnmatchedReason.CLAIMED_TWICE}
    with transaction(engine) as connection:
        stamp = matching_stamp(connection)
    revoke(engine, "hostile", NOW)
    with transaction(engine) as connection:
        assert matching_stamp(connection) != stamp
        match_now(connection, NOW)
    assert [(disk.vm_disk_id, disk.matched_by) for disk in listed(engine)] == [(disk_id, MatchedBy.TOOLS_NAME)]


def test_guest_token_and_list_commands(engine: Engine, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["guest", "list"]) == main(["guest", "token", "list"]) == 0
    assert "No guest has pushed" in capsys.readouterr().out
    assert main(["guest", "token", "add", "linux", "--vm", "Web-01"]) == 0
    made = capsys.readouterr().out.strip()
    assert made.startswith("gvg_")
    assert main(["guest", "token", "add", "linux"]) == 1
    push(engine, "diskio,host=a,name=sda reads=1i,writes=1i", "mem,host=a used=1i")
    assert main(["guest", "list"]) == main(["guest", "token", "list"]) == 0
    out = capsys.readouterr().out
    assert "not matched: no vm" in out
    assert "linux                not used yet  guests 0, disks 0  only web-01" in out
    assert "not used: 1 × unknown measurement; mem" in out
    assert made not in out
    assert main(["guest", "token", "revoke", "linux"]) == 0
    assert main(["guest", "token", "revoke", "linux"]) == 1
    assert main(["guest", "token", "add", "linux"]) == 0


def test_guest_token_in_a_file_is_made_once_and_made_anew_when_it_is_revoked_or_its_file_is_lost(
    engine: Engine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "token"
    command = ["guest", "token", "add", "site", "--file", str(file)]

    def made() -> str:
        assert main(command) == 0
        said, text_ = capsys.readouterr().out, file.read_text().strip()
        assert str(file) in said
        assert text_ not in said
        assert guest_token(engine, text_) is not None
        return text_

    first = made()
    assert file.stat().st_mode & 0o077 == 0
    assert made() == first
    assert main(["guest", "token", "revoke", "site"]) == 0
    capsys.readouterr()
    second = made()
    file.unlink()
    third = made()
    assert len({first, second, third}) == 3
    assert guest_token(engine, second) is None
    assert [each.name for each in tmp_path.iterdir()] == ["token"]
