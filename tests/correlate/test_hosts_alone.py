"""Hosts without any array: their minutes are written all the same, with what the hosts themselves measure."""

from datetime import timedelta

import pytest
from sqlalchemy import text
from tests.correlate.correlated import IOPS, START, Environment

from gavel.correlate.run import MINUTE
from gavel.db.engine import transaction
from gavel.domain.scope import ScopeKind


@pytest.mark.parametrize(
    "kind", [ScopeKind.HOST_DEVICE, ScopeKind.VM_DISK, ScopeKind.VM, ScopeKind.DATASTORE, ScopeKind.HOST]
)
def test_hosts_without_an_array_have_minutes_of_their_own_layers(environment: Environment, kind: ScopeKind) -> None:
    with transaction(environment.engine) as connection:
        connection.execute(text("DELETE FROM source WHERE kind = 'flasharray'"))
    environment.hosts(START - 3 * MINUTE, 4)
    environment.correlate(START + timedelta(seconds=65))
    busy = [row for row in environment.rows(kind, "read_ops, all_kernel_time") if row[1]]
    assert busy[-1][:2] == (0, 60 * IOPS)
    assert busy[-1][2] == pytest.approx(900 * 60 * IOPS, rel=0.005)
