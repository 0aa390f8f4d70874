"""I/O filters of clusters (VAIO): their names, by the id that a virtual disk has them under."""

import time
from collections.abc import Collection, Mapping
from typing import Any, Final

from pyVmomi import vim

from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.domain.errors import PermissionMissingError, ProtocolError

_MAX_AGE_S: Final = 3600.0


class IoFilterReader:
    """What the clusters' filters are called; asked for only while a disk has one that is not known, and once an hour at most."""

    def __init__(self, client: VcenterClient) -> None:
        self._client = client
        self._names: dict[str, str] = {}
        self._asked_at: dict[str, float] = {}
        self._refused: dict[str, str] = {}

    @property
    def refused(self) -> str:
        """Why filters of a cluster could not be listed when it was last asked; empty where all were."""
        return next(iter(self._refused.values()), "")

    def read(self, wanted: Collection[str], clusters: Collection[str]) -> Mapping[str, str]:
        """Id → name with version and vendor. wanted: ids that disks have; one that no cluster lists is not in the answer."""
        now = time.monotonic()
        for cluster in sorted(clusters):
            if set(wanted) <= self._names.keys():
                break
            if now - self._asked_at.get(cluster, -_MAX_AGE_S) >= _MAX_AGE_S:
                self._asked_at[cluster] = now
                self._names.update(self._of_cluster(cluster))
        return self._names

    def _of_cluster(self, key: str) -> dict[str, str]:
        """None of a vCenter without filters, or that refuses to list them: disks then have their ids."""

        def listed() -> Any:
            manager = self._client.content.ioFilterManager
            if manager is None:
                return ()
            cluster = vim.ClusterComputeResource(key, self._client.stub)
            return manager.QueryIoFilterInfo(cluster)

        try:
            names = {info.id: filter_name(info) for info in self._client.ask(listed) or ()}
        except (PermissionMissingError, ProtocolError) as error:
            self._refused[key] = str(error)
            return {}
        self._refused.pop(key, None)
        return names


def filter_name(info: Any) -> str:
    """ "Replay 2.1 (Example Corp.)" of a vim.IoFilterManager.IoFilterInfo."""
    return f"{info.name} {info.version} ({info.vendor})"
