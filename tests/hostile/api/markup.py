"""Names with markup, as somebody who may name a VM, a datastore or a volume would choose them, put into a database."""

from sqlalchemy import Engine, text

from gavel.db.engine import Connection, transaction

PAYLOADS: tuple[str, ...] = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    '"><script>alert(1)</script>',
    "'><img src=x onerror=alert(1)>",
    '" onmouseover="alert(1)" autofocus onfocus="alert(1)" x="',
    "' onmouseover='alert(1)' x='",
    "`onmouseover=alert(1)//",
    "javascript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</textarea><img src=x onerror=alert(1)>",
    "<iframe srcdoc='<script>parent.alert(1)</script>'></iframe>",
    "<object data='javascript:alert(1)'></object>",
    "<a href='javascript:alert(1)'>open</a>",
    "<style>*{background:url(//127.0.0.1:1/x)}</style>",
    "<meta http-equiv=refresh content='0;url=//127.0.0.1:1'>",
    "<base href=//127.0.0.1:1>",
    "<math><mtext><mglyph><style><img src=x onerror=alert(1)>",
    "<!--<img src='--><img src=x onerror=alert(1)//'>",
    "&lt;img src=x onerror=alert(1)&gt; &#60;b&#62;",
    "{a|<img src=x onerror=alert(1)>} {{constructor.constructor('alert(1)')()}} ${alert(1)}",
    "\u202e<img src=x onerror=alert(1)>\u2066 gpj.exe",
)
assert len(PAYLOADS) == 26
# By this the pages are searched for: it says that the name has come so far.
MARK = "zq"

_NAMED = {"name", "label", "volume_group", "nfs_path", "model"}
_TABLES = (
    "storage_array", "pod", "volume", "array_host", "array_port", "array_directory", "directory_export", "vcenter", "cluster", "esxi_host",
    "hba", "datastore", "vm", "vm_disk", "source", "channel", "maintenance_window",
)  # fmt: skip


def rename_all(engine: Engine, turn: int) -> int:
    """Give every object a payload in each of its names; in 26 turns each object has had each. How many rows."""
    with transaction(engine) as connection:
        renamed = sum(_rename(connection, table, column, turn) for table, column in _columns(connection))
        _rename_alerts(connection, turn)
    return renamed


def payload(number: int) -> str:
    return PAYLOADS[number % len(PAYLOADS)]


def _columns(connection: Connection) -> list[tuple[str, str]]:
    found = connection.execute(
        text(
            "SELECT table_name, column_name FROM information_schema.columns"
            " WHERE table_schema = 'public' AND table_name = ANY(:tables) AND column_name = ANY(:columns) AND data_type = 'text'"
        ),
        {"tables": list(_TABLES), "columns": list(_NAMED)},
    )
    return [(table, column) for table, column in found]


def _rename(connection: Connection, table: str, column: str, turn: int) -> int:
    ids = connection.execute(text(f"SELECT id FROM {table} WHERE {column} IS NOT NULL ORDER BY id")).scalars().all()
    for number, row in enumerate(ids):
        connection.execute(
            text(f"UPDATE {table} SET {column} = :name WHERE id = :id"),
            {"name": f"{payload(number + turn)} {MARK}{row}", "id": row},
        )
    return len(ids)


def _rename_alerts(connection: Connection, turn: int) -> None:
    name = f"{payload(turn)} {MARK}"
    connection.execute(
        text(
            "UPDATE alert SET object_name = :name, rule_name = :name, path = jsonb_build_array(CAST(:name AS text)),"
            " labels = labels || jsonb_build_object('team', CAST(:name AS text)), sentence = :name"
        ),
        {"name": name},
    )
