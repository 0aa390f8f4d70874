"""Advanced options of hosts that rules read, with the ranges and defaults that the hosts themselves define.

An option has another range from one release to the next; hosts of one build have the same, so that one of them is asked.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from pyVmomi import vim

from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.parse import Properties, moid
from gavel.domain.inventory import HostOption

# A whole branch is one call; each option by itself would be one.
_BRANCHES: Final = ("Disk.", "Misc.EnablePSPLatencyPolicy")
WANTED: Final = frozenset(
    {"Disk.QFullSampleSize", "Disk.QFullThreshold", "Disk.SchedCostUnit", "Misc.EnablePSPLatencyPolicy"}
)


class HostOptions:
    """Reads the options of one host at a time. Definitions are kept by build."""

    def __init__(self, client: VcenterClient) -> None:
        self._client = client
        self._defined: dict[str, Mapping[str, HostOption]] = {}

    def read(self, properties: Properties) -> Mapping[str, HostOption]:
        """Of the host with these properties; nothing of one that offers no option manager. Raises SourceErrors."""
        manager = properties.get("configManager.advancedOption")
        if manager is None:
            return {}
        values = [value for branch in _BRANCHES for value in self._query(moid(manager), branch)]
        return host_options(values, self._definitions(moid(manager), properties))

    def _query(self, manager: str, branch: str) -> Iterable[Any]:
        """The options of a branch; none where this release has no such branch."""

        def query() -> Iterable[Any]:
            try:
                found: Iterable[Any] = vim.option.OptionManager(manager, self._client.stub).QueryView(branch)
            except vim.fault.InvalidName:
                return ()
            return found

        return self._client.ask(query)

    def _definitions(self, manager: str, properties: Properties) -> Mapping[str, HostOption]:
        product = properties.get("summary.config.product")
        build = f"{product.version} {product.build}" if product else ""
        if build not in self._defined:

            def supported() -> Iterable[Any]:
                found: Iterable[Any] = vim.option.OptionManager(manager, self._client.stub).supportedOption or ()
                return found

            self._defined[build] = option_definitions(self._client.ask(supported))
        return self._defined[build]


def option_definitions(definitions: Iterable[Any]) -> Mapping[str, HostOption]:
    """Of vim.option.OptionDef: range and default by name; `value` is the default."""
    return {
        one.key: HostOption(int(kind.defaultValue), int(kind.min), int(kind.max), int(kind.defaultValue))
        for one in definitions
        if one.key in WANTED and isinstance(kind := one.optionType, (vim.option.LongOption, vim.option.IntOption))
    }


def host_options(values: Iterable[Any], definitions: Mapping[str, HostOption]) -> Mapping[str, HostOption]:
    """Of vim.option.OptionValue: what is wanted and a number, with its definition where there is one."""
    found = {}
    for one in values:
        if one.key in WANTED and isinstance(one.value, int):
            known = definitions.get(one.key)
            value = int(one.value)
            found[one.key] = (
                HostOption(value) if known is None else HostOption(value, known.least, known.most, known.usual)
            )
    return found
