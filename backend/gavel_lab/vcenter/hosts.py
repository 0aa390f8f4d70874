"""Properties of ESXi hosts."""

from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any

from pyVmomi import vim

from gavel_lab.environment import EsxiHost
from gavel_lab.vcenter.host_options import advanced_options, option_definitions
from gavel_lab.vcenter.host_storage import storage_device
from gavel_lab.vcenter.services import service_info
from gavel_lab.vcenter.site import Site
from gavel_lab.vcenter.volumes import file_system_volumes

_CPU_MHZ = 2900
_UPTIME = timedelta(days=90)


def _product(_site: Site, host: EsxiHost) -> Any:
    return vim.AboutInfo(
        name="VMware ESXi",
        fullName=f"VMware ESXi {host.version} build-{host.build}",
        vendor="VMware, Inc.",
        version=host.version,
        build=host.build,
        osType="vmnix-x86",
        productLineId="embeddedEsx",
        apiType="HostAgent",
        apiVersion=f"{host.version}.0",
        licenseProductName="VMware ESX Server",
        licenseProductVersion=f"{host.version.split('.', 1)[0]}.0",
    )


def _runtime(site: Site, host: EsxiHost) -> Any:
    states = vim.HostSystem.ConnectionState
    return vim.host.RuntimeInfo(
        connectionState=states.connected if site.is_connected(host) else states.notResponding,
        powerState=vim.HostSystem.PowerState.poweredOn,
        standbyMode="none",
        inMaintenanceMode=False,
        inQuarantineMode=False,
        bootTime=site.started_at - _UPTIME,
        hostMaxVirtualDiskCapacity=62 << 40,
    )


def _hardware(_site: Site, host: EsxiHost) -> Any:
    return vim.host.HardwareInfo(
        systemInfo=vim.host.SystemInfo(vendor="Cisco Systems Inc", model=host.model, uuid=host.uuid),
        cpuInfo=vim.host.CpuInfo(
            numCpuPackages=2,
            numCpuCores=host.cpu_cores,
            numCpuThreads=host.cpu_cores * 2,
            hz=_CPU_MHZ * 1_000_000,
        ),
        cpuPkg=[
            vim.host.CpuPackage(
                index=0,
                vendor="intel",
                hz=_CPU_MHZ * 1_000_000,
                busHz=100_000_000,
                description="CPU",
                threadId=list(range(host.cpu_cores)),
            )
        ],
        memorySize=host.memory_bytes,
        smcPresent=False,
    )


def _config(site: Site, host: EsxiHost) -> Any:
    return vim.host.ConfigInfo(
        host=site.reference(host.moref),
        product=_product(site, host),
        storageDevice=storage_device(site, host),
        fileSystemVolume=file_system_volumes(site, host),
        option=advanced_options(site, host),
        optionDef=option_definitions(),
        service=service_info(is_ntp_running=site.lab.administration.is_ntp_running(host.index)),
        dateTimeInfo=date_time(site, host),
    )


def date_time(_site: Site, _host: EsxiHost) -> Any:
    zone = vim.host.DateTimeSystem.TimeZone(key="UTC", name="UTC", description="UTC", gmtOffset=0)
    ntp = vim.host.NtpConfig(server=["ntp1.lab.example", "ntp2.lab.example"])
    return vim.host.DateTimeInfo(timeZone=zone, systemClockProtocol="ntp", ntpConfig=ntp)


def _summary(site: Site, host: EsxiHost) -> Any:
    return vim.host.Summary(
        host=site.reference(host.moref),
        hardware=vim.host.Summary.HardwareSummary(
            vendor="Cisco Systems Inc",
            model=host.model,
            uuid=host.uuid,
            memorySize=host.memory_bytes,
            cpuModel="Intel(R) Xeon(R) Gold 6326 CPU @ 2.90GHz",
            cpuMhz=_CPU_MHZ,
            numCpuPkgs=2,
            numCpuCores=host.cpu_cores,
            numCpuThreads=host.cpu_cores * 2,
            numNics=4,
            numHBAs=len(host.hbas),
        ),
        runtime=_runtime(site, host),
        config=vim.host.Summary.ConfigSummary(
            name=host.name, port=443, product=_product(site, host), vmotionEnabled=True, faultToleranceEnabled=False
        ),
        quickStats=vim.host.Summary.QuickStats(uptime=int(_UPTIME.total_seconds())),
        overallStatus="green",
        rebootRequired=False,
        managementServerIp=site.vcenter.name,
    )


def _config_manager(_site: Site, host: EsxiHost) -> Any:
    return vim.host.ConfigManager(
        storageSystem=vim.host.StorageSystem(storage_system(host)),
        dateTimeSystem=vim.host.DateTimeSystem(date_time_system(host)),
        advancedOption=vim.option.OptionManager(option_manager(host)),
        serviceSystem=vim.host.ServiceSystem(service_system(host)),
    )


def _number(host: EsxiHost) -> str:
    return host.moref.rsplit("-", 1)[-1]


def storage_system(host: EsxiHost) -> str:
    return f"storageSystem-{_number(host)}"


def date_time_system(host: EsxiHost) -> str:
    return f"dateTimeSystem-{_number(host)}"


def option_manager(host: EsxiHost) -> str:
    return f"EsxHostAdvSettings-{_number(host)}"


def service_system(host: EsxiHost) -> str:
    return f"serviceSystem-{_number(host)}"


def _datastores(site: Site, host: EsxiHost) -> list[Any]:
    return [site.reference(site.environment.datastores[index].moref) for index in host.datastores]


PROPERTIES: Mapping[str, Callable[[Site, EsxiHost], Any]] = {
    "name": lambda _site, host: host.name,
    "parent": lambda site, host: site.reference(site.environment.clusters[host.cluster].moref),
    "config": _config,
    "config.product": _product,
    "config.storageDevice": storage_device,
    "config.fileSystemVolume": file_system_volumes,
    "config.option": advanced_options,
    "config.optionDef": lambda _site, _host: option_definitions(),
    "config.service": lambda site, host: service_info(
        is_ntp_running=site.lab.administration.is_ntp_running(host.index)
    ),
    "configManager": _config_manager,
    "hardware": _hardware,
    "runtime": _runtime,
    "summary": _summary,
    "datastore": _datastores,
    "network": lambda site, host: [
        site.reference(site.tree.networks[site.environment.clusters[host.cluster].datacenter].moref)
    ],
    "vm": lambda site, host: [site.reference(vm.moref) for vm in site.vms_on(host)],
}
