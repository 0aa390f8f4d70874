"""What a vCenter keeps from its account, in words for people: privileges that it lacks, and hosts that refuse their esxcli."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.faults import type_in_words
from gavel.domain.errors import PermissionMissingError
from gavel.domain.inventory import EsxiHost

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


@dataclass(frozen=True, slots=True, order=True)
class Refusal:
    """Why a host's esxcli is refused. `is_unknown`: it has no such command, so that rights would not help."""

    reason: str
    is_unknown: bool = False


def in_words(missing: tuple[str, ...], refusing: Mapping[str, Refusal]) -> tuple[str, ...]:
    """`refusing`: by the host's name."""
    hosts_by_refusal = defaultdict(list)
    for host, refusal in refusing.items():
        hosts_by_refusal[refusal].append(host)
    refusals = tuple(
        f"The queue settings of {named(sorted(hosts))} {'cannot' if refusal.is_unknown else 'may not'} be read ({refusal.reason}):"
        f" depths of HBAs, DSNRO and path policies are not known there. {_remedy(refusal)}"
        for refusal, hosts in sorted(hosts_by_refusal.items())
    )
    if not missing:
        return refusals
    hidden = (
        f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing on the top of the vCenter's inventory: hosts, datastores "
        "and VMs may be hidden. Give the user the role Read-only there, propagated to children."
    )
    return (hidden, *refusals)


def unread(unreadable: Mapping[str, Mapping[str, str]], names: Mapping[str, str]) -> tuple[str, ...]:
    """`unreadable`: property → objects that it may not be read of, with why. One sentence for each set of objects and reason."""
    alike: dict[tuple[tuple[str, ...], str], list[str]] = defaultdict(list)
    for path, objects in sorted(unreadable.items()):
        for reason in sorted(set(objects.values())):
            keys = tuple(sorted(names.get(key, key) for key, found in objects.items() if found == reason))
            alike[keys, reason].append(path)
    return tuple(
        f"{', '.join(paths)} of {named(list(objects), 'objects')} may not be read ({reason}): these properties are missing in"
        " the inventory. Give the user the role Read-only on the vCenter's root, propagated to children, and no weaker role below."
        for (objects, reason), paths in alike.items()
    )


def away(hosts: Iterable[EsxiHost]) -> tuple[str, ...]:
    """Hosts that their vCenter does not reach, by state."""
    by_state: dict[str, list[str]] = defaultdict(list)
    for host in hosts:
        if host.connection_state not in {"connected", "unknown"}:
            by_state[host.connection_state].append(host.name)
    return tuple(
        f"The vCenter is not connected to {named(sorted(names))} ({type_in_words(state).lower()}): there are no samples of"
        f" {'it' if len(names) == 1 else 'them'} and of the VMs there. Look at the connection in vCenter."
        for state, names in sorted(by_state.items())
    )


def unread_tasks(refused: str) -> tuple[str, ...]:
    """refused: why the history of tasks could not be read; empty where it was."""
    if not refused:
        return ()
    return (f"Tasks of VMs could not be read, so that no cause names a snapshot, migration or clone. {refused}",)


def unnamed_filters(refused: str) -> tuple[str, ...]:
    """refused: why the I/O filters of a cluster could not be listed; empty where they were."""
    if not refused:
        return ()
    return (f"I/O filters of clusters could not be listed, so that disks have their ids in place of names. {refused}",)


def _remedy(refusal: Refusal) -> str:
    """What would have to be granted: the privilege that a refusal names, where it names one."""
    if refusal.is_unknown:
        return "The host does not have the command; switch off reading the hosts' queue settings if that is expected."
    wanted = re.search(r"privilege ([\w.]+)", refusal.reason)
    what = f"the privilege {wanted[1]}" if wanted else "more rights"
    return f"Give the account {what} on the hosts, or switch off reading their queue settings."


def named(hosts: list[str], noun: str = "hosts") -> str:
    """ "esx-01", "esx-01, esx-02 and esx-03", "esx-01, esx-02 and 7 more hosts"."""
    if len(hosts) > _NAMED_HOSTS:
        named = _NAMED_HOSTS - 1
        return f"{', '.join(hosts[:named])} and {len(hosts) - named} more {noun}"
    return " and ".join(filter(None, (", ".join(hosts[:-1]), hosts[-1])))
