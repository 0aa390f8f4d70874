"""Which label means what."""

from sqlalchemy import text

from gavel.db.engine import Connection
from gavel.domain.labels import Meaning


def set_label_meaning(connection: Connection, meaning: Meaning, label_name: str) -> None:
    """From now on, labels of this name, in whatever case, say who owns an object or which application it belongs to."""
    connection.execute(
        text(
            "INSERT INTO label_meaning (meaning, label_name) VALUES (:meaning, :name)"
            " ON CONFLICT (meaning) DO UPDATE SET label_name = excluded.label_name"
        ),
        {"meaning": meaning.value, "name": label_name},
    )
