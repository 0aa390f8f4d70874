"""What people attach to objects of sources as name and value, since when and until when; and which name means what."""

from sqlalchemy import BigInteger, CheckConstraint, Column, Identity, Index, Integer, Table, Text, text

from gavel.db.schema.base import instant, metadata, source_id

# A label of a row of `subject_table` in [valid_from, valid_to), by Gavel's clock; one that is there now has no end.
label = Table(
    "label",
    metadata,
    Column("id", BigInteger, Identity(always=True), primary_key=True),
    source_id(),
    Column("subject_table", Text, nullable=False),
    Column("subject_id", Integer, nullable=False),
    Column("kind", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("value", Text, nullable=False),
    instant("valid_from"),
    instant("valid_to", nullable=True),
    CheckConstraint("kind IN ('attribute', 'tag')", name="kind"),
    Index("ix_label_source_id", "source_id"),
    Index("ix_label_name_value", text("lower(name)"), text("lower(value)"), postgresql_where=text("valid_to IS NULL")),
    Index(
        "uq_label_open",
        "subject_table",
        "subject_id",
        "kind",
        "name",
        "value",
        unique=True,
        postgresql_where=text("valid_to IS NULL"),
    ),
)

# Which label says who owns an object, and which application it belongs to. `label_name` is compared without regard to case.
label_meaning = Table(
    "label_meaning",
    metadata,
    Column("meaning", Text, primary_key=True),
    Column("label_name", Text, nullable=False),
    CheckConstraint("meaning IN ('owner', 'application')", name="meaning"),
)
