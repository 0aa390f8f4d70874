"""Everything a newcomer may have wrong with a vCenter, looked at in order, each with what to do about it."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from pyVmomi import vim

from gavel import clock
from gavel.collectors.clock import age_words, offset_words
from gavel.collectors.hosts.vcenter.client import VcenterClient
from gavel.collectors.hosts.vcenter.clocks import vcenter_clock
from gavel.collectors.hosts.vcenter.counters import DEVICE_MICROSECONDS, DEVICE_MILLISECONDS, VM_MICROSECONDS
from gavel.collectors.hosts.vcenter.esxcli import Esxcli, EsxcliError
from gavel.collectors.hosts.vcenter.parse import moid
from gavel.collectors.hosts.vcenter.perf import PerfReader
from gavel.collectors.hosts.vcenter.query import SAMPLE_S
from gavel.collectors.hosts.vcenter.settings import VcenterSettings
from gavel.collectors.hosts.vcenter.targets import SAMPLES_OF
from gavel.collectors.hosts.vcenter.watch import all_of, retrieve
from gavel.collectors.hosts.vcenter.withheld import missing_on_root
from gavel.collectors.net import only_source_errors
from gavel.domain.errors import ErrorKind, OverloadedError, PermissionMissingError, ProtocolError, SourceError
from gavel.domain.source import Check, CheckState, Preflight, Stream, failed_check
from gavel.egress.network import open_tcp, resolve, total_deadline
from gavel.egress.tls import fetch_fingerprint, open_tls, ssl_context

_WITHIN_S: Final = 18.0
_CLOCK_LIMIT_S: Final = 5.0
# Usual numbers, for the estimate: what a host or VM has is known only after a full inventory.
_DEVICES_PER_HOST, _DISKS_PER_VM = 40, 3
_PAGE: Final = 1000
_WINDOW: Final = timedelta(minutes=10)
_LATE: Final = timedelta(minutes=3)
_NO_SAMPLES: Final = (
    "Hosts serve samples of the last hour by themselves: look at their connection and clocks in vCenter, and at the real-time performance"
    " charts of one of them."
)
Found: TypeAlias = tuple[CheckState, str, str]


def preflight(settings: VcenterSettings) -> Preflight:
    """All checks; after a failed one the rest is skipped. Ends within 20 s whatever the other side does."""
    client = VcenterClient(settings)
    look = _VcenterChecks(settings, client)
    checks: list[Check] = []
    with total_deadline(_WITHIN_S):
        try:
            for name, step in look.steps().items():
                failed = any(check.state is CheckState.FAILED for check in checks)
                checks.append(
                    Check(name, CheckState.SKIPPED, "Not reached.") if failed else _looked(client, name, step)
                )
        finally:
            client.close()
    return Preflight(tuple(checks), look.identity)


def _looked(client: VcenterClient, name: str, step: Callable[[], Found]) -> Check:
    try:
        with only_source_errors(client.address):
            return Check(name, *step())
    except SourceError as error:
        return failed_check(name, error, _REMEDIES.get(error.kind, ""))


_REMEDIES: Final = {
    ErrorKind.NAME: "Correct the host name, or give the IP address.",
    ErrorKind.UNREACHABLE: "Check address and port, and that the vCenter runs.",
    ErrorKind.TIMEOUT: "Open TCP from Gavel to the vCenter's port in the firewalls in between.",
    ErrorKind.CERTIFICATE: "Pin the presented fingerprint after comparing it, or give the authority's certificate.",
    ErrorKind.WRONG_KIND: "Give the address of a vCenter Server, not of an ESXi host or something else.",
    ErrorKind.AUTHENTICATION: "Correct user name and password; check that the account is not locked.",
    ErrorKind.PROTOCOL: "Check that this is the address of a vCenter Server, and that no proxy answers in its place.",
    ErrorKind.OVERLOADED: "Wait a minute and test again; other tools may be asking the vCenter too often.",
    ErrorKind.PERMISSION: "Give the user the role Read-only on the vCenter's root, propagated to children.",
}


def _esxcli_remedy(error: Exception) -> str:
    if isinstance(error, EsxcliError) and error.is_unknown:
        return "Optional: the host has no such command, so DSNRO and HBA queue depths stay unknown."
    return "Optional: DSNRO and HBA queue depths stay unknown. A second account with more rights would see them."


class _VcenterChecks:
    """The single checks. Each returns state, detail and remedy, or raises what went wrong."""

    def __init__(self, settings: VcenterSettings, client: VcenterClient) -> None:
        self._settings = settings
        self._client = client
        self._perf = PerfReader(client)
        self._hosts: list[tuple[str, str]] = []  # key and version of the connected ones
        self._vms = 0
        self._offset_s = 0.0
        self.identity: str | None = None

    def steps(self) -> dict[str, Callable[[], Found]]:
        return {
            "Name": self.name,
            "Port": self.port,
            "Certificate": self.certificate,
            "vCenter": self.vcenter,
            "Login": self.login,
            "Privileges": self.privileges,
            "Counters": self.counters,
            "Clock": self.clock,
            "Recent samples": self.samples,
            "Queue settings": self.queue_settings,
            "Cost": self.cost,
        }

    def name(self) -> Found:
        found = sorted({where[0] for _, where in resolve(self._client.address)})
        return CheckState.OK, f"{self._client.address.host} is {', '.join(found)}.", ""

    def port(self) -> Found:
        open_tcp(self._client.address).close()
        return CheckState.OK, f"TCP port {self._client.address.port} is open.", ""

    def certificate(self) -> Found:
        open_tls(self._client.address, ssl_context(self._settings)).close()
        presented = fetch_fingerprint(self._settings.address)
        how = "pinned" if self._settings.fingerprint_sha256 else "signed by a trusted authority"
        return CheckState.OK, f"The certificate is {how}; its SHA-256 is {presented}.", ""

    def vcenter(self) -> Found:
        about = self._client.about()
        self.identity = about.key
        return CheckState.OK, f"vCenter {about.version} build {about.build}, API {about.api_version}.", ""

    def login(self) -> Found:
        self._client.ask(lambda: None)
        return CheckState.OK, f"Logged in as {self._settings.username!r}.", ""

    def privileges(self) -> Found:
        """What the user sees, and whether the role sits on the root, so that it sees all there is."""
        missing = missing_on_root(self._client)
        self._hosts, self._vms = self._client.ask(self._seen)
        seen = f"{len(self._hosts)} connected hosts and {self._vms} VMs are visible"
        if not self._hosts:
            return CheckState.FAILED, f"{seen}.", _REMEDIES[ErrorKind.PERMISSION]
        if missing:
            detail = f"{seen}, but {', '.join(missing)} is missing on the root: objects may be hidden."
            return CheckState.WARNING, detail, _REMEDIES[ErrorKind.PERMISSION]
        return CheckState.OK, f"{seen}.", ""

    def _seen(self) -> tuple[list[tuple[str, str]], int]:
        content = self._client.content
        paths = ("runtime.connectionState", "summary.config.product")
        hosts = []
        for found in retrieve(content, all_of(content, {vim.HostSystem: paths}), page=_PAGE):
            properties = {prop.name: prop.val for prop in found.propSet}
            product = properties.get("summary.config.product")
            if str(properties.get("runtime.connectionState")) == "connected":
                hosts.append((moid(found.obj), product.version if product else ""))
        vms = retrieve(content, all_of(content, {vim.VirtualMachine: ("runtime.powerState",)}), page=_PAGE)
        return hosts, sum(str(found.propSet[0].val) != "poweredOff" for found in vms if found.propSet)

    def counters(self) -> Found:
        """Which family of latencies there is. Hosts of one vCenter may differ, each by its own version."""
        qualities = {version: self._quality(version) for version in sorted({version for _, version in self._hosts})}
        words = "; ".join(f"ESXi {version or '?'}: {quality}" for version, quality in qualities.items())
        has_vm = self._perf.catalogue().ids.keys() >= VM_MICROSECONDS
        words += "; virtual disks: " + ("µs." if has_vm else "whole ms.")
        if all(quality == "µs" for quality in qualities.values()) and has_vm:
            return CheckState.OK, words, ""
        remedy = "vSphere 9 serves µs for host devices; until then an esxtop file of a host settles doubtful diagnoses."
        if "none" in qualities.values():
            return CheckState.WARNING, words, f"Some hosts serve no latency counters; look at their health. {remedy}"
        return CheckState.WARNING, words, remedy

    def _quality(self, version: str) -> str:
        hosts = [key for key, found in self._hosts if found == version]
        served = self._perf.available(version, hosts)
        if served >= DEVICE_MICROSECONDS:
            return "µs"
        return "whole ms" if served & DEVICE_MILLISECONDS else "none"

    def samples(self) -> Found:
        """One call for each stream, as polling sends them, and how old the newest sample of its answer is."""
        now = clock.now() + timedelta(seconds=self._offset_s)
        tries = {stream: self._newest(stream, now) for stream in SAMPLES_OF}
        words = "; ".join(f"{SAMPLES_OF[stream]}: {found}" for stream, (_, found) in tries.items())
        states = {state for state, _ in tries.values()}
        if states <= {CheckState.OK, CheckState.SKIPPED}:
            return CheckState.OK, f"{words}.", ""
        if CheckState.OK not in states:
            return CheckState.FAILED, f"{words}.", _NO_SAMPLES
        return CheckState.WARNING, f"{words}.", _NO_SAMPLES

    def _newest(self, stream: Stream, now: datetime) -> tuple[CheckState, str]:
        try:
            newest = self._perf.newest_sample(stream, now - _WINDOW, now + _WINDOW)
        except LookupError:
            return CheckState.SKIPPED, "no VM is on"
        except (ProtocolError, OverloadedError, PermissionMissingError) as error:
            return CheckState.FAILED, str(error).rstrip(".")
        if newest is None:
            return CheckState.WARNING, f"none of the last {_WINDOW.seconds // 60} minutes"
        age = now - newest
        state = CheckState.WARNING if age > _LATE else CheckState.OK
        return state, f"newest {age_words(age.total_seconds())}"

    def clock(self) -> Found:
        reading = vcenter_clock(self._client)
        self._offset_s = reading.offset_s
        detail = f"The vCenter's clock is {offset_words(reading)} against this machine's."
        if abs(reading.offset_s) > _CLOCK_LIMIT_S:
            return CheckState.WARNING, detail, "Samples are placed by the corrected clock; still, let NTP set both."
        return CheckState.OK, detail, ""

    def queue_settings(self) -> Found:
        if not self._settings.read_esxcli:
            return CheckState.SKIPPED, "Switched off in the settings.", ""
        try:
            found = Esxcli(self._client, self._hosts[0][0]).rows("storage.core.device")
        except (EsxcliError, SourceError) as error:
            reason = str(error).removeprefix(f"{self._client.address}: ").rstrip(".")
            return CheckState.WARNING, f"esxcli is not available ({reason}).", _esxcli_remedy(error)
        return CheckState.OK, f"esxcli reports queue settings ({len(found)} devices on the first host).", ""

    def cost(self) -> Found:
        """Calls per poll as planned, and values by usual numbers of devices and disks."""
        calls = values = 0
        for stream, instances in ((Stream.HOST_DEVICE, _DEVICES_PER_HOST), (Stream.VM_DISK, _DISKS_PER_VM)):
            for plan in self._perf.plans(stream):
                calls += len(plan.calls)
                entities = sum(len(call.entities) for call in plan.calls)
                values += entities * len(plan.counters) * instances * self._settings.poll_interval_s // SAMPLE_S
        detail = (
            f"Every {self._settings.poll_interval_s} s {calls} calls for {len(self._hosts)} hosts and {self._vms} VMs, "
            f"about {values:,} values at {_DEVICES_PER_HOST} devices per host and {_DISKS_PER_VM} disks per VM."
        )
        return CheckState.OK, detail, ""
