"""Runs of load tools that are of a datastore, or of an array volume, in place of a VM."""

import sqlalchemy as sa
from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None

_TIES = ("datastore", "volume")


def upgrade() -> None:
    op.execute("ALTER TABLE load_run ALTER COLUMN vm_id DROP NOT NULL")
    for kind in _TIES:
        column = f"{kind}_id"
        op.add_column("load_run", sa.Column(column, sa.Integer))
        op.create_foreign_key(f"fk_load_run_{column}", "load_run", kind, [column], ["id"], ondelete="CASCADE")
        op.create_index(f"ix_load_run_{column}", "load_run", [column])
    one = "num_nonnulls(vm_id, datastore_id, volume_id) = 1"
    op.create_check_constraint(op.f("ck_load_run_tie"), "load_run", one)


def downgrade() -> None:
    op.execute("DELETE FROM file_import WHERE id IN (SELECT import_id FROM load_run WHERE vm_id IS NULL)")
    op.drop_constraint(op.f("ck_load_run_tie"), "load_run", type_="check")
    for kind in _TIES:
        op.drop_column("load_run", f"{kind}_id")
    op.execute("ALTER TABLE load_run ALTER COLUMN vm_id SET NOT NULL")
