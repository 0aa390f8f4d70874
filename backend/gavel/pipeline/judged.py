"""How far the rules of alerts have been applied."""

from datetime import UTC, datetime

from gavel.db.alert_memory import first_due_minute
from gavel.db.engine import Connection
from gavel.db.queries.scopes import ledger_until


def judged_until(connection: Connection) -> datetime | None:
    """Minutes before it were judged by every rule, as far as the ledger has them; None before the first one."""
    until, due = ledger_until(connection), first_due_minute(connection)
    if until is None or due is None:
        return until
    return min(until, datetime.fromtimestamp(due * 60, UTC))
