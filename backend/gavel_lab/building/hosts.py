"""vCenters, datacenters, clusters, ESXi hosts with their HBAs, and the host objects the arrays have for them."""

from gavel_lab.building.draft import Draft
from gavel_lab.environment import ArrayHost, Cluster, Datacenter, EsxiHost, Hba, Transport, VCenter
from gavel_lab.plan import DRIVERS, ClusterPlan, Driver, HostPlan


def add_vcenters(draft: Draft) -> None:
    """vCenter 0 is 8.0.3, all others are 9.0.1; each has one datacenter."""
    for index in range(2 + draft.scale.vcenters):
        draft.vcenters.append(_vcenter(draft, index))
        draft.datacenters.append(_datacenter(draft, index))


def add_clusters(draft: Draft) -> None:
    """Every cluster of the plan with its hosts."""
    for plan in draft.cluster_plans:
        index = len(draft.clusters)
        moref = draft.moref(plan.vcenter, "domain-c")
        pool = draft.moref(plan.vcenter, "resgroup")
        hosts = tuple(_add_host(draft, index, plan, host) for host in plan.hosts)
        draft.clusters.append(Cluster(index, plan.vcenter, plan.vcenter, moref, plan.name, pool, hosts))


def _vcenter(draft: Draft, index: int) -> VCenter:
    settings, new = draft.settings, index > 0
    return VCenter(
        index=index,
        name=f"vcenter-{index + 1}",
        version="9.0.1" if new else "8.0.3",
        build="24957454" if new else "24322831",
        api_version="9.0.0.0" if new else "8.0.3.0",
        instance_uuid=draft.ids.uuid("vcenter", index),
        username="gavel-readonly@vsphere.local",
        password=f"Lab-{draft.ids.hex(12, 'password', index)}!",
        has_microsecond_family=new,
        ms_rounding=settings.new_ms_rounding if new else settings.old_ms_rounding,
        latest_means=settings.new_latest_means if new else settings.old_latest_means,
        slots_fill_s=settings.new_slots_fill_s if new else settings.old_slots_fill_s,
    )


def _datacenter(draft: Draft, index: int) -> Datacenter:
    return Datacenter(
        index=index,
        vcenter=index,
        moref=draft.moref(index, "datacenter"),
        name=f"lab-{index + 1}",
        vm_folder_moref=draft.moref(index, "group-v"),
        host_folder_moref=draft.moref(index, "group-h"),
        datastore_folder_moref=draft.moref(index, "group-s"),
        network_folder_moref=draft.moref(index, "group-n"),
    )


def _add_host(draft: Draft, cluster: int, cluster_plan: ClusterPlan, plan: HostPlan) -> int:
    index, new = len(draft.hosts), cluster_plan.vcenter > 0
    hbas = [hba for driver in plan.drivers for hba in _add_hbas(draft, index, plan, driver)]
    draft.hosts.append(
        EsxiHost(
            index=index,
            vcenter=cluster_plan.vcenter,
            cluster=cluster,
            name=plan.name,
            moref=draft.moref(cluster_plan.vcenter, "host"),
            uuid=draft.ids.uuid("host", index),
            version="9.0.1" if new else "8.0.3",
            build="24957456" if new else "24022510",
            model="UCSX-210C-M7" if "nfnic" in plan.drivers else "PowerEdge R760",
            cpu_cores=64,
            memory_bytes=1024 * 2**30,
            address=f"10.20.{index // 200}.{10 + index % 200}",
            hbas=tuple(hbas),
            devices=(),
            datastores=(),
        )
    )
    for array in draft.arrays:
        _add_array_hosts(draft, index, array.index)
    return index


def _add_hbas(draft: Draft, host: int, plan: HostPlan, driver: Driver) -> list[int]:
    kind, added = DRIVERS[driver], []
    for number in range(kind.count):
        ids, index = draft.ids, len(draft.hbas)
        short = plan.name.partition(".")[0]
        fibre = kind.transport == "fc"
        draft.hbas.append(
            Hba(
                index=index,
                host=host,
                name=f"vmhba{kind.first + number}",
                driver=driver,
                model=kind.model,
                pci=f"0000:{0x3B + number:02x}:00.0" if fibre else "",
                transport=kind.transport,
                wwnn=ids.wwn("200000", "wwnn", host) if fibre else None,
                wwpn=ids.wwn("21000025B5", "wwpn", host, number) if fibre else None,
                iqn=f"iqn.1998-01.com.vmware:{short}-{ids.hex(8, 'iqn', host)}" if driver == "iscsi_vmk" else None,
                nqn=f"nqn.2014-08.com.vmware:nvme:{short}" if driver == "nvmetcp" else None,
                lun_queue_depth=plan.module_depth or kind.lun_queue_depth,
                parameter=kind.parameter,
                parameter_value="" if plan.module_depth is None else str(plan.module_depth),
                queue_size=kind.queue_size,
                number_of_queues=kind.number_of_queues,
            )
        )
        added.append(index)
    return added


def _add_array_hosts(draft: Draft, host: int, array: int) -> None:
    """One host object for FC or iSCSI initiators and, where there are any, one of its own for NVMe initiators."""
    for is_nvme in (False, True):
        hbas = [draft.hbas[hba] for hba in draft.hosts[host].hbas]
        own = [hba for hba in hbas if (hba.transport == "nvme-tcp") is is_nvme]
        if not own:
            continue
        index = len(draft.array_hosts)
        draft.array_host_of[host, array, is_nvme] = index
        stretched = any(plan.stretched and plan.cluster == draft.hosts[host].cluster for plan in draft.datastore_plans)
        draft.array_hosts.append(
            ArrayHost(
                index=index,
                array=array,
                name=draft.hosts[host].name.partition(".")[0] + ("-nvme" if is_nvme else ""),
                wwns=_names(own, "fc"),
                iqns=_names(own, "iscsi"),
                nqns=_names(own, "nvme-tcp"),
                personality="esxi",
                esxi_host=host,
                preferred_arrays=(draft.pods[0].arrays[0],) if stretched and array in draft.pods[0].arrays else (),
            )
        )


def _names(hbas: list[Hba], transport: Transport) -> tuple[str, ...]:
    names = {hba.wwpn or hba.iqn or hba.nqn or "" for hba in hbas if hba.transport == transport}
    return tuple(sorted(names))
