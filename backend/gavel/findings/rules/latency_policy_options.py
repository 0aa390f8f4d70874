"""Round robin by latency with other sampling options than ESXi's defaults."""

from gavel.domain.io_path import Confidence, Severity
from gavel.domain.path_policy import PathPolicy
from gavel.findings.commands import path_policy_command
from gavel.findings.evidence import DevicePolicies
from gavel.findings.model import Advice, AdviceKind, Finding, FindingEvidence, FindingReference, FindingRule
from gavel.findings.texts import counted

# As documented for ESXi 6.7 U1 and later.
_DEFAULTS = {"latencyEvalTime": "180000", "samplingCycles": "16"}
_LABELS = {"latencyEvalTime": "Evaluation time (ms)", "samplingCycles": "Sampled I/Os per path"}


def evaluate(evidence: DevicePolicies) -> Finding | None:
    """None for other policies, for the defaults, and where the options were not read."""
    policy = PathPolicy.parse(evidence.path_policy)
    if policy.by != "latency":
        return None
    options = dict(pair.split("=", 1) for pair in policy.text.partition(" ")[2].split(",") if "=" in pair)
    changed = {name: options[name] for name, usual in _DEFAULTS.items() if options.get(name, usual) != usual}
    if not changed:
        return None
    devices = {name for _, names in evidence.hosts for name in names}
    target = "VMW_PSP_RR policy=latency," + ",".join(f"{name}={value}" for name, value in _DEFAULTS.items())
    set_to = ", ".join(f"{name} {value}" for name, value in changed.items())
    return Finding(
        source_id=evidence.source_id,
        object=evidence.object,
        part=f"{evidence.vendor} {evidence.model} {set_to}",
        severity=Severity.NORMAL,
        confidence=Confidence.CONFIRMED,
        title=f"Latency path policy with {set_to} on {counted(len(devices), 'device')}",
        cause=(
            "Options of round robin by latency were changed from ESXi's defaults:"
            " paths are sampled more or less often, or by other numbers of I/Os."
        ),
        evidence=tuple(
            FindingEvidence(
                label=_LABELS[name],
                value=f"{value}, default {_DEFAULTS[name]}",
                unit="",
                to_at=evidence.read_at,
                counter=f"esxcli storage nmp device list: {name}",
            )
            for name, value in changed.items()
        ),
        advice=(
            Advice(
                kind=AdviceKind.LEAVE,
                text="Leave it alone, if it was changed for a reason that still holds, and accept this finding",
            ),
            Advice(
                kind=AdviceKind.SETTING,
                text="Set the defaults on every host of these devices",
                why="Sampled I/Os go down slow paths too: more sampling means more slow I/Os, less means slow paths are used longer.",
                commands=tuple(
                    path_policy_command(host, names, evidence.path_policy, target) for host, names in evidence.hosts
                ),
                takes_effect="live",
                agree=("virtualization", "storage"),
            ),
        ),
        affected=(*evidence.objects[:200], *(host for host, _ in evidence.hosts)),
        affected_text=f"{counted(len(devices), 'device')} on {counted(len(evidence.hosts), 'host')}",
        magnitude=float(len(devices)),
    )


RULE = FindingRule(
    id="latency-policy-options",
    title="Latency policy options off default",
    evidence=DevicePolicies,
    evaluate=evaluate,
    raised_when=(
        "devices use round robin by latency with another evaluation time than 180000 ms or other sampled I/Os per path than 16, "
        "ESXi's documented defaults"
    ),
    cleared_when="the next inventory shows the defaults, or another policy",
    blind_spots=(
        "The master switch Misc.EnablePSPLatencyPolicy of a host is not read",
        "Options of a policy are read by esxcli only: without that privilege nothing is raised",
    ),
    references=(
        FindingReference(
            "VMware vSphere: Change default parameters for latency round robin",
            "https://docs.vmware.com/en/VMware-vSphere/7.0/com.vmware.vsphere.storage.doc/GUID-1940AE9E-04CF-40BE-BB71-398621F0642E.html",
        ),
    ),
)
