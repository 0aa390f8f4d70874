"""An hour of the lab through parsers, attribution and writers, and what is diagnosed of its objects afterwards."""

from datetime import datetime, timedelta
from pathlib import Path

from sqlalchemy import Engine, text
from tests.truth.findings_campaign import Campaign, listed

from gavel.db.engine import reading
from gavel.db.queries.refs import RefKind
from gavel.diagnosis.explain import Diagnosis, diagnosis
from gavel_lab.lab import Lab

MINUTE = timedelta(minutes=1)
# Of which diagnoses are made.
WINDOW_MIN = 5
_BEFORE, _LENGTH_MIN = 20 * MINUTE, 60


def play(engine: Engine, lab: Lab, folder: Path, hour: datetime) -> None:
    """From 20 minutes before the hour to 40 minutes after its beginning, without changes of settings."""
    begin = hour - _BEFORE
    Campaign(engine, lab, listed(engine, lab, folder, begin), begin, _LENGTH_MIN, False).played()


def diagnosed(engine: Engine, hour: datetime, minute: int, kind: RefKind, name: str) -> Diagnosis:
    """Over the WINDOW_MIN from `minute` of the hour on."""
    table = {RefKind.DATASTORE: "datastore", RefKind.VM: "vm"}[kind]
    from_at = hour + minute * MINUTE
    with reading(engine) as connection:
        thing = connection.execute(text(f"SELECT id FROM {table} WHERE name = :name"), {"name": name}).scalar_one()
        return diagnosis(connection, kind, int(thing), from_at, from_at + WINDOW_MIN * MINUTE)
