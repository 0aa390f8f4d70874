"""The environment that is filled: a lab of the size, and its inventories, read by the real collectors over the real protocols."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from math import ceil
from pathlib import Path
from typing import Any

from sqlalchemy import Engine

from gavel.db.engine import reading, transaction
from gavel.db.queries.sources import add_source, sources
from gavel.db.write.inventory import store_inventory
from gavel.domain.inventory import InventoryTaken
from gavel.domain.source import SourceKind
from gavel.ingest.connections import open_collector
from gavel_lab.lab import Lab, create_lab
from gavel_lab.scale import Scale
from gavel_lab.sources import serve_lab

_OWN_DATASTORES, _OWN_VMS = 14, 48  # of the default environment, which every other one contains
# 100 hosts of 40 devices each and one disk a VM, as the issues count a big environment: 4,000 host devices, 20,000 virtual disks.
_PER_CLUSTER, _HOSTS_PER_CLUSTER, _DISKS = 40, 2, 1
_DATASTORES_PER_ARRAY, _CLUSTERS_PER_VCENTER = 500, 10
# Nothing finer than a minute is kept of it, and the queueing model is most of the work.
_STEP_S = 60


@dataclass(frozen=True)
class Size:
    """At least so many datastores and VMs; hosts, arrays and vCenters follow."""

    seed: int
    datastores: int
    vms: int


def lab_of(size: Size, *, step_s: int = _STEP_S) -> Lab:
    """The same lab for the same size, in any process; its model solved every `step_s`."""
    datastores, vms = size.datastores, size.vms
    clusters = max(1, ceil((datastores - _OWN_DATASTORES) / _PER_CLUSTER))
    scale = Scale(
        arrays=max(0, ceil(datastores / _DATASTORES_PER_ARRAY) - 2),
        vcenters=max(0, ceil(clusters / _CLUSTERS_PER_VCENTER) - 2),
        clusters=clusters,
        hosts_per_cluster=_HOSTS_PER_CLUSTER,
        datastores_per_cluster=min(_PER_CLUSTER, max(1, datastores - _OWN_DATASTORES)),
        vms=max(0, vms - _OWN_VMS),
        disks_per_vm=_DISKS,
    )
    return create_lab(size.seed, scale, step_s=step_s)


def registered(engine: Engine, lab: Lab, folder: Path, say: Callable[[str], None]) -> dict[str, int]:
    """Name → id of every source of the lab, disabled, its inventory stored. What is stored already is not read again."""
    with reading(engine) as connection:
        known = {row.name: row.id for row in sources(connection) if row.inventory_at is not None}
    wanted = {array.name for array in lab.environment.arrays} | {vcenter.name for vcenter in lab.environment.vcenters}
    if wanted <= known.keys():
        return known
    served = serve_lab(lab, 0, folder)
    try:
        for source in served.announcement:
            if source["name"] not in known:
                known[str(source["name"])] = _register(engine, source, say)
    finally:
        served.stop()
    return known


def _register(engine: Engine, source: dict[str, Any], say: Callable[[str], None]) -> int:
    began = time.monotonic()
    name, kind = source["name"], SourceKind(source["kind"])
    secrets = dict(source["settings"])
    settings = {"address": source["address"], "fingerprint_sha256": secrets.pop("tls_sha256"), **secrets}
    collector = open_collector(kind, settings)
    try:
        inventory = collector.inventory()
    finally:
        collector.close()
    now = datetime.now(UTC)
    with transaction(engine) as connection:
        source_id = add_source(
            connection, kind=kind, name=name, address=source["address"], settings={}, enabled=False, now=now
        )
        stored = store_inventory(connection, source_id, InventoryTaken(inventory, now))
    things = sum(counts.added for counts in stored.tables.values())
    say(f"{name}: {things:,} things of its inventory in {time.monotonic() - began:.1f} s")
    return source_id
