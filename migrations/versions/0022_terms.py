"""One language: columns, rules, queued messages and settings take the terms of docs/glossary.md; what they hold stays."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

_COLUMNS = (
    ("alert", "impact", "excess_outstanding"),
    ("alert", "breach_ended_at", "recovered_at"),
    ("alert_late", "found_at", "detected_at"),
    ("alert_transition", "found_at", "detected_at"),
    ("collection_run", "strangers", "unknown_keys"),
)
_LEDGER = ("ledger_leaf_1m", "ledger_1m", "ledger_5m", "ledger_1h")
_REASONS = ("grade_reasons", "quality_reasons")
# Of the rules that ship; names that somebody has given stay.
_RULES = {
    "kernel_queueing": ("Time in the kernel", "Kernel latency"),
    "san_over_usual": ("SAN slower than expected", "SAN latency above baseline"),
    "array_twice_usual": ("Array at twice its expected latency", "Array latency at twice its baseline"),
    "qos_limit_wait": ("I/Os wait for a QoS limit", "QoS rate limit reached"),
    "source_silent": ("Source silent", "Source stale"),
    "measurements_disagree": ("Measurements contradict each other", "Contradicting measurements"),
}
_SETTINGS = (("expected_san_us", "baseline_san_us"), ("expected_array_us", "baseline_array_us"))


def upgrade() -> None:
    for table, old, new in _COLUMNS:
        op.alter_column(table, old, new_column_name=new)
    _rename_in_ledger(*_REASONS)
    _rename_key("alert_rule", "definition", "min_grade", "min_quality")
    _rename_key("notification", "message", "grade", "quality")
    for old, new in _SETTINGS:
        _rename_key("source", "settings", old, new)
    _rename_quantity("impact", "excess_outstanding")
    for key, (old, new) in _RULES.items():
        _rename_rule(key, old, new)


def downgrade() -> None:
    for key, (old, new) in _RULES.items():
        _rename_rule(key, new, old)
    _rename_quantity("excess_outstanding", "impact")
    for old, new in _SETTINGS:
        _rename_key("source", "settings", new, old)
    _rename_key("notification", "message", "quality", "grade")
    _rename_key("alert_rule", "definition", "min_quality", "min_grade")
    _rename_in_ledger(*reversed(_REASONS))
    for table, old, new in _COLUMNS:
        op.alter_column(table, new, new_column_name=old)


def _rename_in_ledger(old: str, new: str) -> None:
    """Roll-ups are tables on plain PostgreSQL, and continuous aggregates on TimescaleDB."""
    kind = sa.text("SELECT relkind = 'v' FROM pg_class WHERE oid = to_regclass(:name)")
    for name in _LEDGER:
        is_view = op.get_bind().scalar(kind, {"name": name})
        op.execute(f"ALTER {'MATERIALIZED VIEW' if is_view else 'TABLE'} {name} RENAME COLUMN {old} TO {new}")


def _rename_key(table: str, column: str, old: str, new: str) -> None:
    statement = (
        f"UPDATE {table} SET {column} = {column} - :old || jsonb_build_object(:new, {column} -> :old)"  # noqa: S608
        f" WHERE {column} ? :old"
    )
    op.execute(sa.text(statement).bindparams(sa.bindparam("old", old, sa.Text), sa.bindparam("new", new, sa.Text)))


def _rename_quantity(old: str, new: str) -> None:
    """In the conditions of rules, and in what alerts measured."""
    rules = """
        UPDATE alert_rule SET definition = jsonb_set(definition, '{when}', (
            SELECT jsonb_agg(
                CASE WHEN c.one ->> 'quantity' = :old THEN jsonb_set(c.one, '{quantity}', to_jsonb(:new)) ELSE c.one END
                ORDER BY c.at)
            FROM jsonb_array_elements(definition -> 'when') WITH ORDINALITY c(one, at)))
        WHERE definition -> 'when' @> jsonb_build_array(jsonb_build_object('quantity', :old))
    """
    alerts = "UPDATE alert SET measure = jsonb_set(measure, '{quantity}', to_jsonb(:new)) WHERE measure ->> 'quantity' = :old"
    for statement in (rules, alerts):
        op.execute(sa.text(statement).bindparams(sa.bindparam("old", old, sa.Text), sa.bindparam("new", new, sa.Text)))


def _rename_rule(key: str, old: str, new: str) -> None:
    rules = """
        UPDATE alert_rule SET definition = jsonb_set(definition, '{name}', to_jsonb(CAST(:new AS text)))
        WHERE key = :key AND definition ->> 'name' = :old
    """
    alerts = "UPDATE alert SET rule_name = :new WHERE rule_key = :key AND rule_name = :old"
    for statement in (rules, alerts):
        op.execute(sa.text(statement).bindparams(key=key, old=old, new=new))
