"""The rules that ship compare with what is expected, which is usual only where it was learned: their names say so."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None

_NAMES = {
    "san_over_usual": ("SAN slower than usual", "SAN slower than expected"),
    "array_twice_usual": ("Array at twice its usual latency", "Array at twice its expected latency"),
}


def upgrade() -> None:
    for key, (before, after) in _NAMES.items():
        _rename(key, before, after)


def downgrade() -> None:
    for key, (before, after) in _NAMES.items():
        _rename(key, after, before)


def _rename(key: str, before: str, after: str) -> None:
    """Names that somebody has given stay."""
    names = {"key": key, "before": before, "after": after}
    rules = """
        UPDATE alert_rule SET definition = jsonb_set(definition, '{name}', to_jsonb(CAST(:after AS text)))
        WHERE key = :key AND definition ->> 'name' = :before
    """
    alerts = "UPDATE alert SET rule_name = :after WHERE rule_key = :key AND rule_name = :before"
    for statement in (rules, alerts):
        op.execute(sa.text(statement).bindparams(**names))
