"""Alerts: the rules, what they found, what keeps messages back, and the messages with how their delivery went."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    PrimaryKeyConstraint,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from gavel.db.schema.base import identity, instant, metadata


def _document(name: str, empty: str = "{}") -> Column[object]:
    return Column(name, JSONB, nullable=False, server_default=text(f"'{empty}'::jsonb"))


# `definition`: the rule as `alerting.rule_plain` writes it. `revision` counts the changes that make it another rule to the machine: what
# the old one had found then ends. `error`: why it could not be judged at `error_at`, and is left out for a while.
alert_rule = Table(
    "alert_rule",
    metadata,
    identity(),
    Column("key", Text, nullable=False, unique=True),
    Column("definition", JSONB, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("revision", Integer, nullable=False, server_default=text("1")),
    instant("created_at"),
    instant("changed_at"),
    Column("error", Text),
    instant("error_at", nullable=True),
)

# Whether the rules that ship were put in: once, so that one that somebody removed stays away. `rows`, `objects`: what the machine
# remembers, as NumPy writes it; moved on from `revision` to the next in the transaction of the transitions. `rule_revisions`: which
# revision of each rule the rows are of. `sources_minute`: the last one that sources were judged for.
alert_memory = Table(
    "alert_memory",
    metadata,
    Column("singleton", Boolean, primary_key=True, server_default=text("true")),
    Column("revision", BigInteger, nullable=False),
    Column("rows", LargeBinary, nullable=False),
    Column("objects", LargeBinary, nullable=False),
    Column("next_incident", BigInteger, nullable=False),
    _document("rule_revisions"),
    Column("sources_minute", BigInteger),
    Column("has_default_rules", Boolean, nullable=False, server_default=text("false")),
    CheckConstraint("singleton", name="one_row"),
)

# Minutes of the ledger that were written and are to be judged, one row per writing. `is_whole`: not only those things that could be told
# early. The writer only adds rows: so it waits for nobody who judges, and is no reason for its own transaction to fail.
written_minute = Table(
    "written_minute",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("minute", BigInteger, nullable=False, index=True),
    Column("is_whole", Boolean, nullable=False),
)

# An incident of the machine, from its first breach on. `object_key`: `scope_key`, of sources their id. `state` and `since_at` are those of
# its newest transition; `fired_at` null: it never fired. `recovered_at`: begin of the newest recovery; `peak`: estimate of the worst
# breaching minute, `peak_lower` the same minute's bound. Times are those of the minutes, not of the finding.
alert = Table(
    "alert",
    metadata,
    Column("id", BigInteger, primary_key=True, autoincrement=False),
    Column("rule_id", Integer, ForeignKey("alert_rule.id", ondelete="SET NULL"), index=True),
    Column("rule_key", Text, nullable=False),
    Column("rule_name", Text, nullable=False),
    Column("severity", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("object_key", Integer, nullable=False),
    Column("object_id", Integer, nullable=False),
    Column("object_name", Text, nullable=False),
    Column("layer", Text),
    _document("path", "[]"),
    _document("labels"),
    Column("measure", JSONB, nullable=False),
    Column("runbook_url", Text, nullable=False),
    Column("array_down", Text),
    Column("state", Text, nullable=False),
    Column("sequence", Integer, nullable=False),
    instant("since_at"),
    instant("started_at"),
    instant("fired_at", nullable=True),
    instant("ended_at", nullable=True),
    Column("value", Double),
    Column("lower", Double),
    Column("excess_outstanding", Double),
    Column("peak", Double),
    Column("peak_lower", Double),
    instant("peak_at", nullable=True),
    instant("recovered_at", nullable=True),
    Column("sentence", Text),
    instant("acknowledged_at", nullable=True),
    Column("acknowledged_by", Text),
    Column("acknowledged_note", Text),
    Index("ix_alert_object", "object_key", "started_at"),
    Index("ix_alert_started", text("started_at DESC")),
    Index("ix_alert_open", "id", postgresql_where=text("ended_at IS NULL")),
)

alert_transition = Table(
    "alert_transition",
    metadata,
    Column("alert_id", BigInteger, ForeignKey("alert.id", ondelete="CASCADE"), nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("before", Text, nullable=False),
    Column("after", Text, nullable=False),
    instant("minute_at"),
    Column("value", Double),
    Column("lower", Double),
    instant("detected_at"),
    PrimaryKeyConstraint("alert_id", "sequence"),
)

# A breach that was found by backfill: for timelines, for nobody's pager.
alert_late = Table(
    "alert_late",
    metadata,
    Column("rule_id", Integer, ForeignKey("alert_rule.id", ondelete="CASCADE"), nullable=False),
    Column("object_key", Integer, nullable=False),
    instant("minute_at"),
    Column("value", Double),
    Column("lower", Double),
    instant("detected_at"),
    PrimaryKeyConstraint("rule_id", "object_key", "minute_at"),
    Index("ix_alert_late_object", "object_key", "minute_at"),
    Index("ix_alert_late_minute", "minute_at"),
)

# --- what keeps messages back -----------------------------------------------------------------------------------------

silence = Table(
    "silence",
    metadata,
    identity(),
    Column("matchers", JSONB, nullable=False),
    instant("from_at"),
    instant("until_at"),
    Column("reason", Text, nullable=False),
    Column("made_by", Text, nullable=False),
    instant("created_at"),
    CheckConstraint("until_at > from_at", name="order"),
)

# `definition`: first day, start, length, zone, repetition and matchers, as the pages give them.
maintenance_window = Table(
    "maintenance_window",
    metadata,
    identity(),
    Column("name", Text, nullable=False),
    Column("definition", JSONB, nullable=False),
    instant("created_at"),
)

# --- where messages go ------------------------------------------------------------------------------------------------

# `settings` holds no secret, as with `source`; `secrets_set` names those that have a value. `route`: which alerts go there.
# `second_id`: where its dead letters are told. `failures`: attempts that failed in a row; nothing is sent before `retry_at`. `pace`: see
# `alerting.rate`. `off_reason`: why Gavel itself switched it off.
channel = Table(
    "channel",
    metadata,
    identity(),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False, unique=True),
    _document("settings"),
    Column("secrets_encrypted", LargeBinary),
    Column("secrets_key_id", Text),
    _document("secrets_set", "[]"),
    Column("enabled", Boolean, nullable=False),
    _document("route"),
    Column("second_id", Integer, ForeignKey("channel.id", ondelete="SET NULL"), index=True),
    instant("created_at"),
    Column("failures", Integer, nullable=False, server_default=text("0")),
    instant("retry_at", nullable=True),
    Column("off_reason", Text),
    _document("pace"),
)

# What a channel was last told of an incident, in which message.
alert_said = Table(
    "alert_said",
    metadata,
    Column("channel_id", Integer, ForeignKey("channel.id", ondelete="CASCADE"), nullable=False),
    Column("alert_id", BigInteger, ForeignKey("alert.id", ondelete="CASCADE"), nullable=False),
    Column("status", Text, nullable=False),
    Column("group_key", Text, nullable=False),
    instant("said_at"),
    PrimaryKeyConstraint("channel_id", "alert_id"),
    Index("ix_alert_said_alert_id", "alert_id"),
)

# The outbox: one state of one message to one channel, planned once since (channel, group, sequence) is its name. `dead_letter_of`:
# the notification that could not be delivered and is told here instead.
notification = Table(
    "notification",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("event_id", Text, nullable=False, unique=True),
    Column("channel_id", Integer, ForeignKey("channel.id", ondelete="CASCADE"), nullable=False),
    Column("group_key", Text, nullable=False),
    Column("sequence", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("message", JSONB, nullable=False),
    _document("alert_ids", "[]"),
    Column("state", Text, nullable=False, server_default=text("'pending'")),
    instant("created_at"),
    instant("next_at"),
    Column("attempts", Integer, nullable=False, server_default=text("0")),
    instant("finished_at", nullable=True),
    Column("detail", Text),
    _document("receipt"),
    Column("dead_letter_of", BigInteger, ForeignKey("notification.id", ondelete="SET NULL"), index=True),
    CheckConstraint("state IN ('pending', 'delivered', 'superseded', 'dead')", name="state"),
    UniqueConstraint("channel_id", "group_key", "sequence"),
    Index("ix_notification_pending", "channel_id", "id", postgresql_where=text("state = 'pending'")),
    Index("ix_notification_dead", "id", postgresql_where=text("state = 'dead'")),
    Index("ix_notification_created", "created_at"),
)

# One attempt. `request` has its secrets masked; what a receiver answers is never kept.
delivery_attempt = Table(
    "delivery_attempt",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    Column("notification_id", BigInteger, ForeignKey("notification.id", ondelete="CASCADE"), nullable=False),
    instant("started_at"),
    Column("duration_s", Double, nullable=False),
    Column("result", Text, nullable=False),
    Column("status", Integer),
    Column("detail", Text, nullable=False),
    Column("request", Text, nullable=False),
    Index("ix_delivery_attempt_notification_id", "notification_id"),
)
