"""The rule on the kernel looks at all of its time, not at queueing alone: its name says so."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None

_KEY = "kernel_queueing"
_BEFORE = "Kernel queueing"
_AFTER = "Time in the kernel"


def upgrade() -> None:
    _rename(_BEFORE, _AFTER)


def downgrade() -> None:
    _rename(_AFTER, _BEFORE)


def _rename(before: str, after: str) -> None:
    """Names that somebody has given stay."""
    names = {"key": _KEY, "before": before, "after": after}
    rules = """
        UPDATE alert_rule SET definition = jsonb_set(definition, '{name}', to_jsonb(CAST(:after AS text)))
        WHERE key = :key AND definition ->> 'name' = :before
    """
    alerts = "UPDATE alert SET rule_name = :after WHERE rule_key = :key AND rule_name = :before"
    for statement in (rules, alerts):
        op.execute(sa.text(statement).bindparams(**names))
