"""unequal-queue-settings: hosts of one volume that queue or choose paths differently."""

from tests.findings.objects import CLUSTER, DATASTORE, DEVICE, NOW, advice, host, kinds

from gavel.domain.io_path import Severity
from gavel.findings.evidence import HostSetting, SharedDevice, SharedSettings
from gavel.findings.model import AdviceKind, Finding
from gavel.findings.rules.unequal_queue_settings import evaluate


def setting(number: int, **given: int | str | None) -> HostSetting:
    usual: dict[str, int | str | None] = {
        "queue_depth": 64, "dsnro": 32, "path_policy": "VMW_PSP_RR policy=iops,iops=1", "module": "qlnativefc", "module_depth": 64,
    }  # fmt: skip
    return HostSetting(host=host(number), **(usual | given))  # type: ignore[arg-type]


def found_in(name: str, *hosts: HostSetting) -> Finding | None:
    device = SharedDevice(object=DATASTORE, canonical_name=DEVICE, vendor="PURE", model="FlashArray", hosts=hosts)
    return evaluate(SharedSettings(source_id=1, object=CLUSTER, name=name, devices=(device,), read_at=NOW))


def test_unequal_queue_settings_three_depths_on_one_device_of_one_cluster_are_reported() -> None:
    """32, 30 and 64 by three drivers, each with its default."""
    found = found_in(
        "queue_depth",
        setting(1, queue_depth=32, module="nfnic", module_depth=32),
        setting(2, queue_depth=30, module="lpfc", module_depth=30),
        setting(3),
    )
    assert found is not None
    assert found.title == "Queue depth (DQLEN) 64/32/30 among the hosts of metro-06"
    assert found.severity is Severity.ELEVATED
    assert "lpfc, nfnic and qlnativefc" in found.cause
    assert kinds(found) == ["leave", "setting"]
    commands = advice(found, AdviceKind.SETTING).commands
    assert [command.change for command in commands] == [
        'esxcli system module parameters set -m nfnic -p "lun_queue_depth_per_path=30"',
        'esxcli system module parameters set -m qlnativefc -p "ql2xmaxqdepth=30"',
    ]
    assert [command.undo for command in commands] == [
        'esxcli system module parameters set -m nfnic -p "lun_queue_depth_per_path=32"',
        'esxcli system module parameters set -m qlnativefc -p "ql2xmaxqdepth=64"',
    ]
    assert advice(found, AdviceKind.SETTING).takes_effect == "reboot"


def test_unequal_queue_settings_slots_that_a_driver_reserves_are_left_alone() -> None:
    found = found_in("queue_depth", setting(1, queue_depth=32), setting(2, queue_depth=30))
    assert found is not None
    assert found.severity is Severity.NORMAL
    assert kinds(found) == ["leave"]


def test_unequal_queue_settings_equal_hosts_are_no_finding() -> None:
    assert found_in("queue_depth", setting(1), setting(2)) is None


def test_unequal_queue_settings_a_host_that_was_not_read_is_no_difference() -> None:
    assert found_in("dsnro", setting(1), setting(2, dsnro=None)) is None


def test_unequal_queue_settings_dsnro_is_set_live_to_what_most_hosts_have() -> None:
    found = found_in("dsnro", setting(1), setting(2), setting(3, dsnro=256))
    assert found is not None
    (command,) = advice(found, AdviceKind.SETTING).commands
    assert command.on == host(3)
    assert command.change == f"esxcli storage core device set --device={DEVICE} --sched-num-req-outstanding=32"
    assert command.undo == f"esxcli storage core device set --device={DEVICE} --sched-num-req-outstanding=256"
    assert advice(found, AdviceKind.SETTING).takes_effect == "live"


def test_unequal_queue_settings_a_policy_of_one_host_gets_plugin_and_options_of_the_others() -> None:
    found = found_in("path_policy", setting(1), setting(2), setting(3, path_policy="VMW_PSP_MRU"))
    assert found is not None
    assert kinds(found) == ["setting"]
    (command,) = advice(found, AdviceKind.SETTING).commands
    assert command.change == (
        f"esxcli storage nmp device set --device={DEVICE} --psp=VMW_PSP_RR && "
        f"esxcli storage nmp psp roundrobin deviceconfig set --device={DEVICE} --type=iops --iops=1"
    )
    assert command.undo == f"esxcli storage nmp device set --device={DEVICE} --psp=VMW_PSP_MRU"


def test_unequal_queue_settings_names_of_devices_are_quoted_for_the_shell() -> None:
    device = SharedDevice(
        object=DATASTORE,
        canonical_name="naa.6;reboot",
        vendor=None,
        model=None,
        hosts=(setting(1), setting(2, dsnro=64)),
    )
    found = evaluate(SharedSettings(source_id=1, object=CLUSTER, name="dsnro", devices=(device,), read_at=NOW))
    assert found is not None
    assert "'naa.6;reboot'" in advice(found, AdviceKind.SETTING).commands[0].change
