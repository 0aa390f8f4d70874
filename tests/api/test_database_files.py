"""Files of SQL Server over the API: pushed as Telegraf writes them, beside the guest's disk that holds them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import Engine, text
from tests.api.ledgers import Environment

from gavel.admin.guests import guest_token, make_guest_token
from gavel.db.engine import transaction
from gavel.ingest.guest_matching import match_now
from gavel.ingest.guests import Push, read_line_protocol, store_pushes

NOW = datetime.now(UTC)
STEP = timedelta(seconds=10)
FILE = (
    r"sqlserver_database_io,database_name=Orders,host=mon01,logical_filename=Orders_data,physical_filename=D:\data\orders.mdf,"
    "sql_instance={host} reads={reads}i,read_bytes=0i,read_latency_ms={waited}i,writes={writes}i,write_bytes=0i,write_latency_ms={wrote}i"
)
DISK = (
    r"win_diskio,host={host},instance={instance},objectname=PhysicalDisk Disk_Reads_persec=80,Disk_Writes_persec=20,"
    "Avg._Disk_sec/Read=0.0021,Avg._Disk_sec/Write=0.0011"
)


def push(engine: Engine, *readings: tuple[str, ...]) -> None:
    """One request for each reading, 10 s apart, the last one now."""
    made = make_guest_token(engine, "windows", (), NOW).text
    token = guest_token(engine, made)
    assert token is not None
    with transaction(engine) as connection:
        for number, lines in enumerate(readings, 1 - len(readings)):
            at_us = round((NOW + number * STEP).timestamp() * 1e6)
            pushed = read_line_protocol("\n".join(f"{line} {at_us}" for line in lines).encode(), "us")
            assert pushed.refused == ()
            store_pushes(connection, [Push(token, "192.0.2.9", at_us, pushed)], NOW)
        match_now(connection, NOW)


def files(client: TestClient, vm_id: int) -> Any:
    answer = client.get(f"/api/v1/vms/{vm_id}/database-files?from=-1h")
    assert answer.status_code == 200, answer.text
    return answer.json()["items"]


def name_of(engine: Engine, vm_id: int) -> str:
    with transaction(engine) as connection:
        return str(connection.scalar(text("SELECT name FROM vm WHERE id = :id"), {"id": vm_id}))


def test_database_file_stands_beside_the_disk_that_its_drive_is_on(
    client: TestClient, engine: Engine, environment: Environment
) -> None:
    vm_id = environment.id("vm", "vm-1")
    host = name_of(engine, vm_id)
    disks = tuple(DISK.format(host=host, instance=one) for one in (r"0\ C:", r"1\ D:\ E:"))
    counts = ((1000, 500, 400, 60), (1500, 5400, 500, 250), (2000, 10300, 600, 440))
    push(
        engine,
        *(
            (FILE.format(host=host, reads=reads, waited=waited, writes=writes, wrote=wrote), *disks)
            for reads, waited, writes, wrote in counts
        ),
    )
    (file,) = files(client, vm_id)
    assert (file["name"], file["path"]) == ("MSSQLSERVER/Orders/Orders_data", r"D:\data\orders.mdf")
    assert file["covered_s"] == 20
    # 1,000 reads in 20 s waited 9.8 s together, 200 writes 0.38 s.
    assert {io["direction"]: (io["iops"], io["latency_us"]) for io in file["ios"]} == {
        "read": (50.0, 9800.0),
        "write": (10.0, 1900.0),
    }
    assert (file["disk"]["name"], file["disk"]["is_whole"]) == ("PhysicalDisk 1", True)
    assert {io["direction"]: io["latency_us"] for io in file["disk"]["ios"]} == {"read": 2100.0, "write": 1100.0}
    # It is no whole disk: no virtual disk has it, and no layer comes of it.
    unmatched = client.get("/api/v1/guests/disks").json()["items"]
    assert {(one["kind"], one["reason"], one["vm_id"]) for one in unmatched if one["kind"] == "database_file"} == {
        ("database_file", "not_a_whole_disk", None)
    }


def test_database_file_whose_disk_nobody_pushes_stands_alone_and_idle_ones_have_no_latency(
    client: TestClient, engine: Engine, environment: Environment
) -> None:
    vm_id = environment.id("vm", "vm-1")
    line = FILE.format(host=name_of(engine, vm_id), reads=1000, waited=500, writes=400, wrote=60)
    push(engine, (line,), (line,))
    (file,) = files(client, vm_id)
    assert file["disk"] is None
    assert [(io["iops"], io["latency_us"]) for io in file["ios"]] == [(0.0, None), (0.0, None)]
    other = client.get(f"/api/v1/vms/{vm_id}/database-files?from=-3h&to=-2h").json()["items"]
    assert [(one["covered_s"], one["ios"]) for one in other] == [(0.0, [])]


def test_database_files_of_a_vm_without_any_are_none(client: TestClient, environment: Environment) -> None:
    assert files(client, environment.id("vm", "vm-1")) == []
    assert client.get("/api/v1/vms/99999/database-files").status_code == 404
