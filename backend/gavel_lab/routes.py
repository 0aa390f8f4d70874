"""Which target ports the I/O of a host device goes through: round robin over its paths, so every port has its share of them."""

import numpy as np
from numpy.typing import NDArray

from gavel_lab.environment import Environment
from gavel_lab.reading import Floats

# What array and host move of one I/O on a link that no other I/O is on.
_BYTES_PER_US = 1600.0
# Of a link's line rate; headers of frames and the gaps between them take the rest.
_PAYLOAD_SHARE = 0.97


class Routes:
    """A route is a set of ports and how many paths lead to each: that of many legs, a leg being a device and an array.

    `share` (ports, routes) is the part of a route's I/O on each port. The last route leads through no port: NFS, bare machines.
    """

    def __init__(self, environment: Environment) -> None:
        self._devices, self._arrays = len(environment.devices), len(environment.arrays)
        ports_of_leg: dict[int, list[int]] = {}
        for path in environment.paths:
            ports_of_leg.setdefault(path.device * self._arrays + path.array, []).append(path.port)
        routes: dict[tuple[int, ...], int] = {}
        route_of_leg = {
            leg: routes.setdefault(tuple(sorted(ports)), len(routes)) for leg, ports in ports_of_leg.items()
        }
        self.count = len(routes) + 1
        # One leg more: of what is no device.
        self._route_of_leg = np.full(self._devices * self._arrays + 1, self.count - 1, dtype=np.int64)
        self._route_of_leg[list(route_of_leg)] = list(route_of_leg.values())
        self.share = np.zeros((len(environment.ports), self.count))
        for ports, route in routes.items():
            np.add.at(self.share[:, route], list(ports), 1 / len(ports))
        line_rate = np.array([port.line_rate_bytes_per_s for port in environment.ports])
        self.payload_bytes_per_s = _PAYLOAD_SHARE * line_rate[:, None]
        self.alone_us_per_byte = 1 / np.minimum(_BYTES_PER_US, line_rate[:, None] / 1e6)

    def of(self, group: NDArray[np.int64], array: NDArray[np.int64]) -> NDArray[np.int64]:
        """The route of each flow, by its device queue and array."""
        leg = np.where(group < self._devices, group * self._arrays + array, self._devices * self._arrays)
        result: NDArray[np.int64] = self._route_of_leg[leg]
        return result

    def smallest(self, of_ports: Floats) -> Floats:
        """(routes, t) of (ports, t): the smallest value on the way; infinite without a port."""
        on_the_way = np.where(self.share.T[:, :, None] > 0, of_ports[None], np.inf)
        result: Floats = on_the_way.min(axis=1)
        return result

    def mean(self, us_per_byte: Floats) -> Floats:
        """(routes, t) of (ports, t): what a byte takes on average over the paths of a route."""
        result = self.share.T @ us_per_byte
        result[-1] = 1 / _BYTES_PER_US
        return result
