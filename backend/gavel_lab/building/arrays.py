"""Arrays, their ports, and the stretched pod."""

from gavel_lab.building.draft import Draft
from gavel_lab.environment import Array, Pod, TargetPort, Transport

_REST_1 = tuple(f"1.{minor}" for minor in range(20))
_NEVER_PUBLISHED = (12, 18)
_PORTS: tuple[tuple[str, Transport], ...] = (
    ("FC0", "fc"),
    ("FC1", "fc"),
    ("ETH4", "iscsi"),
    ("ETH5", "iscsi"),
    ("ETH6", "nvme-tcp"),
    ("ETH7", "nvme-tcp"),
)
_SPEEDS: dict[Transport, int] = {"fc": 32_000_000_000, "iscsi": 25_000_000_000, "nvme-tcp": 100_000_000_000}
# (array, port) whose link came up at half the speed that its transceiver can.
_SLOW_LINKS = {(1, "CT1.FC1"): 16_000_000_000}


def rest_versions(newest_minor: int) -> tuple[str, ...]:
    """What GET /api/api_version lists on an array whose newest REST is 2.`newest_minor`."""
    return _REST_1 + tuple(f"2.{minor}" for minor in range(newest_minor + 1) if minor not in _NEVER_PUBLISHED)


def add_arrays(draft: Draft) -> None:
    """Array 0 is the old one, all others are new."""
    for index in range(2 + draft.scale.arrays):
        draft.arrays.append(_array(draft, index))
    draft.pods.append(
        Pod(
            index=0,
            name="metro-pod",
            id=draft.ids.uuid("pod", 0),
            arrays=(0, 1),
            inter_array_round_trip_us=1870.0,
            remote_round_trip_us=1950.0,
            mirrored_writes_counted_on=draft.settings.mirrored_writes_counted_on,
        )
    )


def _array(draft: Draft, index: int) -> Array:
    ids, settings = draft.ids, draft.settings
    ports = [_add_port(draft, index, controller, name, kind) for controller in ("CT0", "CT1") for name, kind in _PORTS]
    return Array(
        index=index,
        name=f"flasharray-{index + 1}",
        id=ids.uuid("array", index),
        purity=settings.new_purity if index else settings.old_purity,
        rest_versions=rest_versions(52 if index else 15),
        model="FA-X70R4" if index else "FA-X70R3",
        api_token=ids.uuid("api-token", index),
        username="gavel-readonly",
        idle_timeout_ms=1_800_000,
        file_address=f"10.10.{index}.200",
        ports=tuple(ports),
    )


def _add_port(draft: Draft, array: int, controller: str, name: str, transport: Transport) -> int:
    ids, index = draft.ids, len(draft.ports)
    ethernet = transport != "fc"
    full_name = f"{controller}.{name}"
    address = f"10.10.{array}.{10 + index % len(_PORTS) + (100 if controller == 'CT1' else 0)}"
    draft.ports.append(
        TargetPort(
            index=index,
            array=array,
            name=full_name,
            controller=controller,
            transport=transport,
            wwn=None if ethernet else ids.wwn("524A937", "port", array, controller, name),
            iqn=f"iqn.2010-06.com.purestorage:flasharray.{ids.hex(16, 'iqn', array)}" if transport == "iscsi" else None,
            nqn=f"nqn.2010-06.com.purestorage:flasharray.{ids.hex(16, 'nqn', array)}"
            if transport == "nvme-tcp"
            else None,
            portal=f"{address}:{3260 if transport == 'iscsi' else 4420}" if ethernet else None,
            speed_bits_per_s=_SLOW_LINKS.get((array, full_name), _SPEEDS[transport]),
        )
    )
    return index
