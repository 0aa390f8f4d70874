"""Alerts: rules, what they found, what keeps messages back, channels, and the messages."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "alert_memory",
        sa.Column("singleton", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("rows", sa.LargeBinary(), nullable=False),
        sa.Column("objects", sa.LargeBinary(), nullable=False),
        sa.Column("next_incident", sa.BigInteger(), nullable=False),
        sa.Column("rule_revisions", postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False),
        sa.Column("sources_minute", sa.BigInteger(), nullable=True),
        sa.Column("has_default_rules", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.CheckConstraint("singleton", name=op.f("ck_alert_memory_one_row")),
        sa.PrimaryKeyConstraint("singleton", name=op.f("pk_alert_memory")),
    )
    op.create_table(
        "alert_minute",
        sa.Column("minute", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("is_whole", sa.Boolean(), nullable=False),
        sa.Column("written_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("minute", name=op.f("pk_alert_minute")),
    )
    op.create_table(
        "alert_rule",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("definition", postgresql.JSONB(), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("revision", sa.Integer(), server_default=sa.text("1"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert_rule")),
        sa.UniqueConstraint("key", name=op.f("uq_alert_rule_key")),
    )
    op.create_table(
        "channel",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("settings", postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False),
        sa.Column("secrets_encrypted", sa.LargeBinary(), nullable=True),
        sa.Column("secrets_key_id", sa.Text(), nullable=True),
        sa.Column("secrets_set", postgresql.JSONB(), server_default=sa.text("'[]'::jsonb"), nullable=False),
        sa.Column("enabled", sa.Boolean(), nullable=False),
        sa.Column("route", postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False),
        sa.Column("second_id", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("failures", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("retry_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("off_reason", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["second_id"], ["channel.id"], name=op.f("fk_channel_second_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_channel")),
        sa.UniqueConstraint("name", name=op.f("uq_channel_name")),
    )
    op.create_index(op.f("ix_channel_second_id"), "channel", ["second_id"], unique=False)
    op.create_table(
        "maintenance_window",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("definition", postgresql.JSONB(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_maintenance_window")),
    )
    op.create_table(
        "silence",
        sa.Column("id", sa.Integer(), sa.Identity(always=True), nullable=False),
        sa.Column("matchers", postgresql.JSONB(), nullable=False),
        sa.Column("from_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("until_at > from_at", name=op.f("ck_silence_order")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_silence")),
    )
    op.create_table(
        "alert",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("rule_id", sa.Integer(), nullable=True),
        sa.Column("rule_key", sa.Text(), nullable=False),
        sa.Column("rule_name", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("object_key", sa.Integer(), nullable=False),
        sa.Column("object_id", sa.Integer(), nullable=False),
        sa.Column("object_name", sa.Text(), nullable=False),
        sa.Column("layer", sa.Text(), nullable=True),
        sa.Column("path", postgresql.JSONB(), server_default=sa.text("'[]'::jsonb"), nullable=False),
        sa.Column("labels", postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False),
        sa.Column("measure", postgresql.JSONB(), nullable=False),
        sa.Column("runbook_url", sa.Text(), nullable=False),
        sa.Column("array_down", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("since_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("fired_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("lower", sa.Double(), nullable=True),
        sa.Column("impact", sa.Double(), nullable=True),
        sa.Column("sentence", sa.Text(), nullable=True),
        sa.Column("acknowledged_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("acknowledged_by", sa.Text(), nullable=True),
        sa.Column("acknowledged_note", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["rule_id"], ["alert_rule.id"], name=op.f("fk_alert_rule_id"), ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_alert")),
    )
    op.create_index("ix_alert_object", "alert", ["object_key", "started_at"], unique=False)
    op.create_index("ix_alert_open", "alert", ["id"], unique=False, postgresql_where=sa.text("ended_at IS NULL"))
    op.create_index(op.f("ix_alert_rule_id"), "alert", ["rule_id"], unique=False)
    op.create_index("ix_alert_started", "alert", [sa.literal_column("started_at DESC")], unique=False)
    op.create_table(
        "alert_late",
        sa.Column("rule_id", sa.Integer(), nullable=False),
        sa.Column("object_key", sa.Integer(), nullable=False),
        sa.Column("minute_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("lower", sa.Double(), nullable=True),
        sa.Column("found_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["rule_id"], ["alert_rule.id"], name=op.f("fk_alert_late_rule_id"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("rule_id", "object_key", "minute_at", name=op.f("pk_alert_late")),
    )
    op.create_index("ix_alert_late_minute", "alert_late", ["minute_at"], unique=False)
    op.create_index("ix_alert_late_object", "alert_late", ["object_key", "minute_at"], unique=False)
    op.create_table(
        "notification",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("channel_id", sa.Integer(), nullable=False),
        sa.Column("group_key", sa.Text(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("message", postgresql.JSONB(), nullable=False),
        sa.Column("alert_ids", postgresql.JSONB(), server_default=sa.text("'[]'::jsonb"), nullable=False),
        sa.Column("state", sa.Text(), server_default=sa.text("'pending'"), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("receipt", postgresql.JSONB(), server_default=sa.text("'{}'::jsonb"), nullable=False),
        sa.Column("dead_letter_of", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "state IN ('pending', 'delivered', 'superseded', 'dead')", name=op.f("ck_notification_state")
        ),
        sa.ForeignKeyConstraint(
            ["channel_id"], ["channel.id"], name=op.f("fk_notification_channel_id"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["dead_letter_of"], ["notification.id"], name=op.f("fk_notification_dead_letter_of"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notification")),
        sa.UniqueConstraint(
            "channel_id", "group_key", "sequence", name=op.f("uq_notification_channel_id_group_key_sequence")
        ),
        sa.UniqueConstraint("event_id", name=op.f("uq_notification_event_id")),
    )
    op.create_index("ix_notification_created", "notification", ["created_at"], unique=False)
    op.create_index(
        "ix_notification_dead", "notification", ["id"], unique=False, postgresql_where=sa.text("state = 'dead'")
    )
    op.create_index(op.f("ix_notification_dead_letter_of"), "notification", ["dead_letter_of"], unique=False)
    op.create_index(
        "ix_notification_pending",
        "notification",
        ["channel_id", "id"],
        unique=False,
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_table(
        "alert_said",
        sa.Column("channel_id", sa.Integer(), nullable=False),
        sa.Column("alert_id", sa.BigInteger(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("group_key", sa.Text(), nullable=False),
        sa.Column("said_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["alert_id"], ["alert.id"], name=op.f("fk_alert_said_alert_id"), ondelete="CASCADE"),
        sa.ForeignKeyConstraint(
            ["channel_id"], ["channel.id"], name=op.f("fk_alert_said_channel_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("channel_id", "alert_id", name=op.f("pk_alert_said")),
    )
    op.create_index("ix_alert_said_alert_id", "alert_said", ["alert_id"], unique=False)
    op.create_table(
        "alert_transition",
        sa.Column("alert_id", sa.BigInteger(), nullable=False),
        sa.Column("sequence", sa.Integer(), nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.Column("after", sa.Text(), nullable=False),
        sa.Column("minute_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("value", sa.Double(), nullable=True),
        sa.Column("lower", sa.Double(), nullable=True),
        sa.Column("found_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["alert_id"], ["alert.id"], name=op.f("fk_alert_transition_alert_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("alert_id", "sequence", name=op.f("pk_alert_transition")),
    )
    op.create_table(
        "delivery_attempt",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=True), nullable=False),
        sa.Column("notification_id", sa.BigInteger(), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("duration_s", sa.Double(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["notification_id"],
            ["notification.id"],
            name=op.f("fk_delivery_attempt_notification_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_delivery_attempt")),
    )
    op.create_index("ix_delivery_attempt_notification_id", "delivery_attempt", ["notification_id"], unique=False)


def downgrade() -> None:
    op.drop_index("ix_delivery_attempt_notification_id", table_name="delivery_attempt")
    op.drop_table("delivery_attempt")
    op.drop_table("alert_transition")
    op.drop_index("ix_alert_said_alert_id", table_name="alert_said")
    op.drop_table("alert_said")
    op.drop_index("ix_notification_pending", table_name="notification", postgresql_where=sa.text("state = 'pending'"))
    op.drop_index(op.f("ix_notification_dead_letter_of"), table_name="notification")
    op.drop_index("ix_notification_dead", table_name="notification", postgresql_where=sa.text("state = 'dead'"))
    op.drop_index("ix_notification_created", table_name="notification")
    op.drop_table("notification")
    op.drop_index("ix_alert_late_object", table_name="alert_late")
    op.drop_index("ix_alert_late_minute", table_name="alert_late")
    op.drop_table("alert_late")
    op.drop_index("ix_alert_started", table_name="alert")
    op.drop_index(op.f("ix_alert_rule_id"), table_name="alert")
    op.drop_index("ix_alert_open", table_name="alert", postgresql_where=sa.text("ended_at IS NULL"))
    op.drop_index("ix_alert_object", table_name="alert")
    op.drop_table("alert")
    op.drop_table("silence")
    op.drop_table("maintenance_window")
    op.drop_index(op.f("ix_channel_second_id"), table_name="channel")
    op.drop_table("channel")
    op.drop_table("alert_rule")
    op.drop_table("alert_minute")
    op.drop_table("alert_memory")
