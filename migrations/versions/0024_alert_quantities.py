"""Alerts compare quantities by the field's terms: stored rules and alerts take the new names; keys, thresholds and states stay."""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0022"
branch_labels = None
depends_on = None

# No new name is also an old one: the order does not matter, in neither direction.
_QUANTITIES = (
    ("time", "latency"),
    ("times_usual", "baseline_ratio"),
    ("outstanding_at_depth", "queue_utilization"),
    ("source_silent", "sample_age"),
    ("clock_offset", "clock_skew"),
)
_RULES = """
    UPDATE alert_rule SET definition = jsonb_set(definition, '{when}', (
        SELECT jsonb_agg(
            CASE WHEN c.one ->> 'quantity' = :old THEN jsonb_set(c.one, '{quantity}', to_jsonb(:new)) ELSE c.one END
            ORDER BY c.at)
        FROM jsonb_array_elements(definition -> 'when') WITH ORDINALITY c(one, at)))
    WHERE definition -> 'when' @> jsonb_build_array(jsonb_build_object('quantity', :old))
"""
_ALERTS = (
    "UPDATE alert SET measure = jsonb_set(measure, '{quantity}', to_jsonb(:new)) WHERE measure ->> 'quantity' = :old"
)


def upgrade() -> None:
    for old, new in _QUANTITIES:
        _rename(old, new)


def downgrade() -> None:
    for old, new in _QUANTITIES:
        _rename(new, old)


def _rename(old: str, new: str) -> None:
    """In the conditions of rules, and in what alerts measured."""
    for statement in (_RULES, _ALERTS):
        op.execute(sa.text(statement).bindparams(sa.bindparam("old", old, sa.Text), sa.bindparam("new", new, sa.Text)))
