"""What the tab Summary of an object's page shows, in one answer."""

from pydantic import AwareDatetime

from gavel.api.schemas.answer import Answer
from gavel.api.schemas.common import GapOut, Out
from gavel.api.schemas.diagnoses import DiagnosisAnswer
from gavel.api.schemas.series import EventOut
from gavel.db.queries.arrays import ArrayDetail
from gavel.db.queries.datastores import DatastoreDetail
from gavel.db.queries.hosts import HostDetail
from gavel.db.queries.vms import VmDetail
from gavel.db.queries.volumes import VolumeDetail
from gavel.diagnosis.breakdown import Waterfall
from gavel.diagnosis.contributors import Contributors
from gavel.views.hosts import HostRows
from gavel.views.series import Latency
from gavel.views.summary import FailedSection


class HappenedOut(Out):
    """Gaps of the object's sources and events of the object and its parts in the range, oldest first."""

    from_at: AwareDatetime
    to_at: AwareDatetime
    gaps: list[GapOut]
    events: list[EventOut]


class SummaryOut(Out):
    """Each section is the answer of its own address: `object` of `/{kind}/{id}`, `latency` of the trend's range, `contributors` to the
    outermost layer that the diagnosis names, `happened` gaps and events of the trend's range.

    hosts: null for other kinds than datastores. failed: sections that are null since they could not be made, each with its error.
    """

    object: (
        Answer[DatastoreDetail]
        | Answer[VmDetail]
        | Answer[HostDetail]
        | Answer[VolumeDetail]
        | Answer[ArrayDetail]
        | None
    )
    diagnosis: DiagnosisAnswer | None
    waterfall: Answer[Waterfall] | None
    latency: Answer[Latency] | None
    contributors: Answer[Contributors] | None
    hosts: Answer[HostRows] | None
    happened: HappenedOut | None
    failed: list[Answer[FailedSection]]
