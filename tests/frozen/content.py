"""What a store holds, byte for byte: the same for two makings of an hour on one machine."""

import hashlib

import psycopg
from psycopg import sql

# Secrets are drawn anew for every installation.
LEFT_OUT = {
    "access_token": "all of it",
    "source": "the certificate's fingerprint, the sealed secrets, and the id of the key that sealed them",
}
_SOURCES = """
    SELECT to_jsonb(s) - ARRAY['secrets_encrypted', 'secrets_key_id'] || jsonb_build_object('settings', s.settings - 'fingerprint_sha256')
    FROM source s ORDER BY id
"""
# A table's partitions are told with it.
_TABLES = """
    SELECT relname FROM pg_class
    WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname
"""


def content(url: str) -> dict[str, str]:
    """Table → digest of its rows, whatever order they lie in."""
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        names = [name for (name,) in connection.execute(_TABLES) if name not in LEFT_OUT]
        return {name: _digest(connection, _all_of(name)) for name in names} | {
            "source": _digest(connection, sql.SQL(_SOURCES))
        }


def _all_of(name: str) -> sql.Composable:
    return sql.SQL('SELECT r.* FROM {} r ORDER BY r::text COLLATE "C"').format(sql.Identifier(name))


def _digest(connection: psycopg.Connection[tuple[object, ...]], query: sql.Composable) -> str:
    seen = hashlib.sha256()
    with connection.cursor().copy(sql.SQL("COPY ({}) TO STDOUT").format(query)) as rows:
        for row in rows:
            seen.update(row)
    return seen.hexdigest()[:16]
