"""What a vCenter keeps from its account."""

from collections.abc import Callable
from typing import Any, cast

from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.withheld import Refusal, in_words, missing_on_root, unread
from gavel.domain.errors import PermissionMissingError


class Refusing:
    """A vCenter that does not even let the account ask."""

    def ask(self, _: Callable[[], Any]) -> Any:
        raise PermissionMissingError("vc: no", privilege="System.View")


def test_an_account_that_may_not_even_ask_lacks_what_that_needs() -> None:
    missing = missing_on_root(cast("VcenterClient", Refusing()))
    assert missing == ("System.View",)
    (words,) = in_words(missing, {})
    assert words.startswith("System.View is missing on the top of the vCenter's inventory")


def test_hosts_that_refuse_for_one_reason_are_one_sentence() -> None:
    reason = Refusal("the privilege Host.Config.Settings is missing")
    told = in_words((), {f"esx-0{n}": reason for n in range(1, 6)} | {"esx-9": Refusal("not licensed")})
    assert [one.split(" may not be read")[0] for one in told] == [
        "The queue settings of esx-9",
        "The queue settings of esx-01, esx-02 and 3 more hosts",
    ]
    assert ["Give the account the privilege Host.Config.Settings on the hosts" in one for one in told] == [False, True]


def test_properties_refused_for_one_reason_of_the_same_objects_are_one_sentence() -> None:
    refused = {"host-1": "No permission", "host-2": "No permission"}
    unreadable = {"name": {}, "config.a": dict(refused), "config.b": dict(refused), "parent": {"vm-3": "Not found"}}
    told = unread(unreadable, {"host-1": "esx-01", "host-2": "esx-02", "vm-3": "db01"})
    assert [one.split(": these properties")[0] for one in told] == [
        "config.a, config.b of esx-01 and esx-02 may not be read (No permission)",
        "parent of db01 may not be read (Not found)",
    ]
