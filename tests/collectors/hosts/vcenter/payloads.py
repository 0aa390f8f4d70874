"""Replies in the form a vCenter sends them: recorded ones by name, and QueryPerf bodies made to measure."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from pyVmomi import vmodl
from pyVmomi.SoapAdapter import SoapResponseDeserializer, SoapStubAdapter

_ENVELOPE = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" '
    'xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n'
    "<soapenv:Body>\n%s</soapenv:Body>\n</soapenv:Envelope>\n"
)


def recording(name: str) -> bytes:
    return (Path(__file__).parent / "recordings" / name).read_bytes()


def objects(name: str) -> dict[str, tuple[type, dict[str, Any]]]:
    """A recorded RetrievePropertiesEx reply as a watch holds it: id → (type, properties)."""
    stub = SoapStubAdapter(host="127.0.0.1", version="vim.version.v8_0_3_0")
    result = SoapResponseDeserializer(stub).Deserialize(recording(name), vmodl.query.PropertyCollector.RetrieveResult)
    return {
        found.obj._moId: (type(found.obj), {prop.name: prop.val for prop in found.propSet}) for found in result.objects
    }


@dataclass(frozen=True)
class Entity:
    """What one `returnval` says: stamps as epoch seconds, series as (counter, instance) → text of the values."""

    key: str
    stamps: Sequence[int]
    series: Mapping[tuple[int, str], str]
    kind: str = "HostSystem"


def query_perf(entities: Iterable[Entity], *, unusual: bool = False) -> bytes:
    """A csv reply. `unusual`: spelled with line breaks and a prefix, which is the same XML."""
    p, nl = ("v:", "\n  ") if unusual else ("", "")
    name = "xmlns:v" if unusual else "xmlns"
    parts = [f'<{p}QueryPerfResponse {name}="urn:vim25">']
    for entity in entities:
        info = ",".join(f"20,{datetime.fromtimestamp(stamp, UTC):%Y-%m-%dT%H:%M:%SZ}" for stamp in entity.stamps)
        parts.append(
            f'{nl}<{p}returnval xsi:type="{p}PerfEntityMetricCSV">{nl}<{p}entity type="{entity.kind}">'
            f"{escape(entity.key)}</{p}entity>{nl}<{p}sampleInfoCSV>{info}</{p}sampleInfoCSV>"
        )
        parts += [
            f'{nl}<{p}value xsi:type="{p}PerfMetricSeriesCSV">{nl}<{p}id>{nl}<{p}counterId>{counter}</{p}counterId>'
            f"{nl}<{p}instance>{escape(instance)}</{p}instance>{nl}</{p}id>{nl}<{p}value>{escape(text)}</{p}value>"
            f"{nl}</{p}value>"
            for (counter, instance), text in entity.series.items()
        ]
        parts.append(f"{nl}</{p}returnval>")
    parts.append(f"{nl}</{p}QueryPerfResponse>")
    return (_ENVELOPE % "".join(parts)).encode()
