"""Datastores with what lies under them: volumes, connections, host devices, paths; or an exported directory."""

from gavel_lab.building.draft import Draft
from gavel_lab.environment import Datastore, Directory, Hba, HostDevice, Path, TargetPort, Transport
from gavel_lab.plan import DatastorePlan

TIB = 2**40
DSNRO = 32
UNTUNED_DEPTH = 32  # cap per device on hosts whose module parameter was raised by hand


def add_datastores(draft: Draft) -> None:
    """Every datastore of the plan."""
    for plan in draft.datastore_plans:
        _add_datastore(draft, plan)


def present(draft: Draft, volume: int, hosts: tuple[int, ...], transport: Transport, *, endpoint: bool = False) -> None:
    """Connect a volume to ESXi hosts on all its arrays and let each host see it as a device with paths."""
    is_nvme = transport == "nvme-tcp"
    lun = draft.next_lun(draft.hosts[hosts[0]].cluster) + (200 if endpoint else 0)
    for host in hosts:
        for array in draft.volumes[volume].arrays:
            draft.connect(draft.array_host_of[host, array, is_nvme], volume, lun, nvme=is_nvme)
        _add_device(draft, host, volume, lun, transport)


def _add_datastore(draft: Draft, plan: DatastorePlan) -> None:
    index, cluster = len(draft.datastores), draft.clusters[plan.cluster]
    hosts = tuple(cluster.hosts[place] for place in plan.hosts) or cluster.hosts
    extents, directory, endpoint = _under(draft, plan, hosts)
    uuid = draft.ids.vmfs_uuid("datastore", index)
    capacity = sum(draft.volumes[volume].size_bytes for volume in extents) or 16 * TIB
    draft.transport_of[index] = plan.transport
    draft.datastores.append(
        Datastore(
            index=index,
            vcenter=cluster.vcenter,
            datacenter=cluster.datacenter,
            cluster=cluster.index,
            name=plan.name,
            moref=draft.moref(cluster.vcenter, "datastore"),
            kind=plan.kind,
            uuid=uuid,
            url=f"ds:///vmfs/volumes/{'vvol:' if plan.kind == 'vvol' else ''}{uuid}/",
            capacity_bytes=capacity,
            free_bytes=int(capacity * (0.25 + 0.5 * draft.ids.fraction("free", index))),
            extents=extents,
            is_nvme=plan.transport == "nvme-tcp",
            directory=directory,
            endpoint=endpoint,
            array=plan.array,
            hosts=hosts,
            story=plan.story,
        )
    )
    for host in hosts:
        draft.datastores_of_host[host].append(index)


def _under(draft: Draft, plan: DatastorePlan, hosts: tuple[int, ...]) -> tuple[tuple[int, ...], int | None, int | None]:
    """What holds a datastore: (extents, directory, protocol endpoint)."""
    if plan.kind == "nfs":
        return (), _add_directory(draft, plan), None
    if plan.kind == "vvol":
        volume = draft.add_volume(plan.array, f"pure-protocol-endpoint-{plan.name}", 0, is_protocol_endpoint=True)
        present(draft, volume, hosts, plan.transport, endpoint=True)
        return (), None, volume
    return tuple(_add_extent(draft, plan, number, hosts) for number in range(plan.extents)), None, None


def _add_extent(draft: Draft, plan: DatastorePlan, number: int, hosts: tuple[int, ...]) -> int:
    name = plan.name if plan.extents == 1 else f"{plan.name}-ext{number}"
    pod = draft.pods[0] if plan.stretched else None
    volume = draft.add_volume(
        plan.array,
        f"{pod.name}::{name}" if pod else name,
        (4 if plan.extents > 1 else 8) * TIB,
        arrays=pod.arrays if pod else (plan.array,),
        pod=pod.index if pod else None,
        iops_limit=plan.iops_limit,
    )
    present(draft, volume, hosts, plan.transport)
    return volume


def _add_directory(draft: Draft, plan: DatastorePlan) -> int:
    index = len(draft.directories)
    draft.directories.append(
        Directory(
            index=index,
            array=plan.array,
            name=f"{plan.name}:root",
            id=draft.ids.uuid("directory", index),
            file_system=plan.name,
            path="/",
            export_name=f"{plan.name}-export",
        )
    )
    return index


def _add_device(draft: Draft, host: int, volume: int, lun: int, transport: Transport) -> None:
    index, record = len(draft.devices), draft.volumes[volume]
    is_nvme = transport == "nvme-tcp"
    hbas = [draft.hbas[hba] for hba in draft.hosts[host].hbas if draft.hbas[hba].transport == transport]
    name = record.eui if is_nvme else record.naa
    uuid = f"0200{lun % 256:02x}0000{name.partition('.')[2]}466c61736841"
    draft.device_of[host, volume] = index
    draft.devices_of_host[host].append(index)
    paths = _add_paths(draft, index, name, lun, record.arrays, hbas)
    draft.devices.append(
        HostDevice(
            index=index,
            host=host,
            volume=volume,
            name=name,
            uuid=uuid,
            key=f"key-vim.host.Scsi{'Lun' if record.is_protocol_endpoint else 'Disk'}-{uuid}",
            lun=lun,
            transport=transport,
            is_protocol_endpoint=record.is_protocol_endpoint,
            plugin="HPP" if is_nvme else "NMP",
            policy="LB-RR" if is_nvme else "VMW_PSP_RR",
            storage_array_type="" if is_nvme else "VMW_SATP_ALUA",
            max_queue_depth=_max_depth(hbas[0]),
            dsnro=DSNRO,
            paths=paths,
        )
    )


def _max_depth(hba: Hba) -> int:
    if hba.queue_size and hba.number_of_queues:
        return hba.queue_size * hba.number_of_queues
    return UNTUNED_DEPTH if hba.parameter_value else hba.lun_queue_depth


def _add_paths(
    draft: Draft, device: int, name: str, lun: int, arrays: tuple[int, ...], hbas: list[Hba]
) -> tuple[int, ...]:
    """One path per HBA and target port of its fabric; software iSCSI reaches the ports of both."""
    added = []
    for hba_place, hba in enumerate(hbas):
        ports = [port for array in arrays for port in _ports(draft, array, hba.transport)]
        own = [port for port in ports if len(hbas) == 1 or port.is_side_b == bool(hba_place % 2)]
        for place, port in enumerate(own):
            index = len(draft.paths)
            added.append(index)
            draft.paths.append(
                Path(
                    index=index,
                    device=device,
                    hba=hba.index,
                    port=port.index,
                    array=port.array,
                    name=f"{hba.name}:{_channel_and_target(own, place)}:L{lun}",
                    uid=f"{_end(hba, place)}{',' if hba.iqn else '-'}{_far_end(port)}-{name}",
                    optimized=port.array == arrays[0],
                )
            )
    return tuple(added)


def _channel_and_target(ports: list[TargetPort], place: int) -> str:
    """Software iSCSI numbers the sessions with one target by channel; any other port is a target of its own."""
    iqn = ports[place].iqn
    if iqn is None:
        return f"C0:T{place}"
    targets = list(dict.fromkeys(port.iqn for port in ports))
    return f"C{[port.iqn for port in ports[:place]].count(iqn)}:T{targets.index(iqn)}"


def _ports(draft: Draft, array: int, transport: Transport) -> list[TargetPort]:
    return [draft.ports[port] for port in draft.arrays[array].ports if draft.ports[port].transport == transport]


def _end(hba: Hba, session: int) -> str:
    if hba.wwpn and hba.wwnn:
        return f"fc.{hba.wwnn.lower()}:{hba.wwpn.lower()}"
    return f"{hba.iqn}-00023d{session + 1:06x}" if hba.iqn else f"tcp.{hba.name}:{hba.nqn}"


def _far_end(port: TargetPort) -> str:
    if port.wwn:
        return f"fc.{port.wwn.lower()}:{port.wwn.lower()}"
    return f"{port.iqn},t,1" if port.iqn else f"tcp.{port.portal}"
