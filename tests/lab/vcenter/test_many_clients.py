"""Ten clients at once get what one gets."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from pyVmomi import vim
from tests.lab.vcenter.labs import Place
from tests.lab.vcenter.reading import ask, properties, series
from tests.lab.vcenter.test_inventory import hosts_of

CLIENTS = 10


def test_ten_clients_at_once_read_the_same(new: Place) -> None:
    host = hosts_of(new)[0]

    def one(_number: int) -> tuple[Any, Any]:
        with new.connection() as vsphere:
            names = {moref: seen["name"] for moref, seen in properties(vsphere, vim.VirtualMachine, "name").items()}
            answer = ask(vsphere, vim.HostSystem(host.moref), ["storage.latency.readDavg.average"], maxSample=30)
            return names, series(vsphere, answer)

    with ThreadPoolExecutor(CLIENTS) as pool:
        answers = list(pool.map(one, range(CLIENTS)))
    assert all(answer == answers[0] for answer in answers)
