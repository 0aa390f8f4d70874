"""What the tab Summary of an object's page shows, in one answer."""

from typing import Literal

from pydantic import AwareDatetime

from gavel.api.schemas.common import GapOut, Out
from gavel.api.schemas.diagnoses import ContributorsOut, DiagnosisOut, HostRowsOut, LatencyOut, WaterfallOut
from gavel.api.schemas.entities import ArrayOut, DatastoreOut, HostOut, VmOut, VolumeOut
from gavel.api.schemas.series import EventOut

SectionName = Literal["object", "diagnosis", "waterfall", "latency", "contributors", "hosts", "happened"]


class HappenedOut(Out):
    """Gaps of the object's sources and events of the object and its parts in the range, oldest first."""

    from_at: AwareDatetime
    to_at: AwareDatetime
    gaps: list[GapOut]
    events: list[EventOut]


class SummaryOut(Out):
    """Each section is the answer of its own address: `object` of `/{kind}/{id}`, `latency` of the trend's range, `contributors` to the
    outermost layer that the diagnosis names, `happened` gaps and events of the trend's range.

    hosts: null for other kinds than datastores. failed: sections that are null since they could not be made; their own address says why.
    """

    object: DatastoreOut | VmOut | HostOut | VolumeOut | ArrayOut | None
    diagnosis: DiagnosisOut | None
    waterfall: WaterfallOut | None
    latency: LatencyOut | None
    contributors: ContributorsOut | None
    hosts: HostRowsOut | None
    happened: HappenedOut | None
    failed: list[SectionName]
