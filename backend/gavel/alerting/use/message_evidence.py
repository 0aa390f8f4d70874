"""The lines of a message that say most: why its diagnosis is what it is, then the counters of the layer it names."""

from collections.abc import Iterator, Mapping, Sequence

from gavel.alerting.render.message import MOST_EVIDENCE
from gavel.db.queries.alerts import AlertRow
from gavel.diagnosis.evidence import EvidenceNumber
from gavel.diagnosis.explain import Diagnosis
from gavel.diagnosis.sentences import duration

# Counters that speak of a layer, in the order in which they say most.
_SPEAKS: Mapping[str, tuple[str, ...]] = {
    "guest": ("latency_us", "outstanding", "gavg_us"),
    "kernel": ("kavg_us", "qavg_us", "queued", "davg_us"),
    "san": ("davg_us", "san_us", "service_us"),
    "array": ("davg_us",),
}
# Parts of one latency: the largest says most, and comes first.
_PARTS: Mapping[str, tuple[str, ...]] = {"array": ("service_us", "queue_us", "qos_us")}
_ANY = ("gavg_us", "davg_us", "kavg_us", "service_us", "latency_us")


def evidence_of(alert: AlertRow, diagnosis: Diagnosis | None) -> Iterator[str]:
    """Three at most; of an alert without a diagnosis none."""
    if diagnosis is None:
        return
    because = [f"{why.text[0].upper()}{why.text[1:]}" for why in diagnosis.sentence.reasons]
    largest = {_bare(one): one for one in reversed(_largest_first(diagnosis.evidence))}
    layer = diagnosis.layer or alert.layer or ""
    parts = sorted(_PARTS.get(layer, ()), key=lambda name: -largest[name].value if name in largest else 0.0)
    wanted = (*parts, *_SPEAKS.get(layer, ()), *_ANY)
    raw = [_line(largest[name]) for name in dict.fromkeys(wanted) if name in largest]
    yield from [*because, *raw][:MOST_EVIDENCE]


def _largest_first(evidence: Sequence[EvidenceNumber]) -> list[EvidenceNumber]:
    return sorted(evidence, key=lambda item: -item.value)


def _bare(number: EvidenceNumber) -> str:
    """A counter without its direction."""
    return number.name.removeprefix("mirrored_write_").removeprefix("read_").removeprefix("write_")


def _line(number: EvidenceNumber) -> str:
    amount = duration(number.value) if number.unit == "µs" else f"{number.value:.0f} {number.unit}"
    return f"{number.label} {amount} ({number.counter})" if number.counter else f"{number.label} {amount}"
