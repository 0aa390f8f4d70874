"""What a vCenter keeps from its account, in words for people: privileges that it lacks, and hosts that refuse their esxcli."""

import re
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, Final

from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.domain.errors import PermissionMissingError

_NEEDED: Final = ("System.View", "System.Read")
_NAMED_HOSTS: Final = 3


def missing_on_root(client: VcenterClient) -> tuple[str, ...]:
    """The privileges that the account lacks on the top of the inventory, without which objects may be hidden from it."""

    def missing() -> tuple[str, ...]:
        content: Any = client.content
        if content.authorizationManager is None:
            return ()
        session = content.sessionManager.currentSession
        held = content.authorizationManager.HasPrivilegeOnEntity(content.rootFolder, session.key, list(_NEEDED))
        return tuple(privilege for privilege, is_held in zip(_NEEDED, held, strict=True) if not is_held)

    try:
        found: tuple[str, ...] = client.ask(missing)
    except PermissionMissingError as error:
        # Even to ask needs a right there: then that is what is missing, and the rest of the inventory is read all the same.
        return (error.privilege or _NEEDED[0],)
    return found


def in_words(missing: tuple[str, ...], refusing: Mapping[str, str]) -> tuple[str, ...]:
    """`refusing`: why a host's esxcli is refused, by the host's name."""
    hosts_by_reason = defaultdict(list)
    for host, reason in refusing.items():
        hosts_by_reason[reason].append(host)
    refusals = tuple(
        f"The queue settings of {_named(sorted(hosts))} may not be read ({reason}): depths of HBAs, DSNRO and path policies are not known "
        f"there. Give the account {_wanted(reason)} on the hosts, or switch off reading their queue settings."
        for reason, hosts in sorted(hosts_by_reason.items())
    )
    if not missing:
        return refusals
    hidden = (
        f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing on the top of the vCenter's inventory: hosts, datastores "
        "and VMs may be hidden. Give the user the role Read-only there, propagated to children."
    )
    return (hidden, *refusals)


def _wanted(reason: str) -> str:
    """What would have to be granted: the privilege that a refusal names, where it names one."""
    named = re.search(r"privilege ([\w.]+)", reason)
    return f"the privilege {named[1]}" if named else "more rights"


def _named(hosts: list[str]) -> str:
    """ "esx-01", "esx-01, esx-02 and esx-03", "esx-01, esx-02 and 7 more hosts"."""
    if len(hosts) > _NAMED_HOSTS:
        named = _NAMED_HOSTS - 1
        return f"{', '.join(hosts[:named])} and {len(hosts) - named} more hosts"
    return " and ".join(filter(None, (", ".join(hosts[:-1]), hosts[-1])))
