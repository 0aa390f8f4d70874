"""Storage I/O Control switched on for datastores on flash."""

from gavel.domain.io_path import Confidence, Severity
from gavel.findings.commands import sioc_command
from gavel.findings.evidence_settings import FlashSioc, SiocDatastore
from gavel.findings.model import (
    Advice,
    AdviceKind,
    EvidenceRow,
    EvidenceTable,
    Finding,
    FindingEvidence,
    FindingReference,
    FindingRule,
)
from gavel.findings.texts import counted

# From vSphere 8.0 U3 on.
_DEPRECATED_FROM = (8, 0, 3)
_MOST_COMMANDS = 20


def evaluate(evidence: FlashSioc) -> Finding | None:
    """None without a datastore that has it on."""
    stores = evidence.datastores
    if not stores:
        return None
    deprecated = [store for store in stores if _is_deprecated(store)]
    whole = counted(len(stores), "flash datastore")
    return Finding(
        source_id=evidence.source_id,
        object=evidence.vcenter,
        severity=Severity.NORMAL,
        confidence=Confidence.CONFIRMED,
        title=f"Storage I/O Control on for {whole}",
        cause=_cause(stores, deprecated),
        evidence=(
            FindingEvidence(
                label="Datastores with SIOC on",
                value=float(len(stores)),
                unit="datastores",
                to_at=evidence.read_at,
                counter="Datastore.iormConfiguration.enabled",
            ),
        ),
        tables=(_table(stores),),
        advice=(
            Advice(
                kind=AdviceKind.LEAVE,
                text="Leave it alone where shares of VMs on several hosts of a datastore are meant to count under congestion",
                why="IOPS limits of virtual disks are kept by each host and work without it.",
            ),
            Advice(
                kind=AdviceKind.SETTING,
                text="Switch Storage I/O Control off on these datastores",
                why="A flash array that has no congestion for it to see gains nothing from it, and while it throttles it lowers the"
                " queue depth (DQLEN) of every host.",
                commands=tuple(sioc_command(store.datastore, store.threshold_ms) for store in stores[:_MOST_COMMANDS]),
                takes_effect="live",
                agree=("virtualization",),
                next_limit="DSNRO and the device's own depth, as on other datastores",
            ),
        ),
        affected=tuple(store.datastore for store in stores[:200]),
        affected_text=whole,
        magnitude=float(len(stores)),
    )


def _is_deprecated(store: SiocDatastore) -> bool:
    return any(_numbers(version) >= _DEPRECATED_FROM for version in store.versions)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdigit())


def _cause(stores: tuple[SiocDatastore, ...], deprecated: list[SiocDatastore]) -> str:
    thresholds = sorted({store.threshold_ms for store in stores if store.threshold_ms is not None})
    at = f" (set to {' and '.join(f'{ms} ms' for ms in thresholds)})" if len(thresholds) in (1, 2) else ""
    base = f"SIOC throttles hosts from a datastore latency of 5 to 100 ms on{at}, which a flash array seldom reaches."
    if not deprecated:
        return base
    return f"{base} From vSphere 8.0 U3 on parts of it are deprecated: {counted(len(deprecated), 'datastore')} on such hosts."


def _table(stores: tuple[SiocDatastore, ...]) -> EvidenceTable:
    rows = tuple(
        EvidenceRow(
            store.datastore,
            (None if store.threshold_ms is None else float(store.threshold_ms), ", ".join(store.versions)),
            is_odd=_is_deprecated(store),
        )
        for store in stores[:200]
    )
    return EvidenceTable("Datastores with SIOC on", (("Congestion threshold", "ms"), ("ESXi of its hosts", "")), rows)


RULE = FindingRule(
    id="sioc-on-all-flash",
    title="SIOC on all-flash",
    evidence=FlashSioc,
    evaluate=evaluate,
    raised_when="Storage I/O Control (SIOC) is on for a VMFS datastore of which every device is flash",
    cleared_when="the next inventory shows it off on all of them",
    blind_spots=(
        "Whether it throttles now: its own counters are not collected, a lowered DQLEN shows it",
        "Devices that do not report themselves as flash, and NFS datastores",
    ),
    references=(
        FindingReference("vSphere API: StorageResourceManager.IORMConfigInfo (congestionThreshold 5 to 100 ms)"),
        FindingReference("vSphere API 8.0 U3: deprecated properties of IORMConfigInfo"),
    ),
)
