"""Sources: what is polled, how well that goes, and how to add one."""

from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field

from gavel.api.inputs import BodyId, Name, Settings, Text
from gavel.api.schemas.answer import Answer
from gavel.api.schemas.common import GapOut, Out
from gavel.domain.source import Check


class SourceKindOut(Out):
    """A kind of source that can be added. `at_hand`: what is needed before beginning, and where it is made.

    `settings_schema` is the JSON Schema its form is made from; secret fields are `writeOnly`, those few have to think about `advanced`.
    Stored secrets have to be entered again when a field changes that is a `destination`: one that says where they are sent.
    """

    kind: str
    title: str
    at_hand: str
    settings_schema: dict[str, Any]


class ClockOut(Out):
    """A clock − Gavel's clock, in seconds, true within ± `error_s`. `subject` is null for the source itself, else the host's id at the
    source; `name` is what the host is called, null where the inventory does not have it."""

    subject: str | None
    name: str | None
    offset_s: float
    error_s: float
    read_at: AwareDatetime


class StreamOut(Out):
    """One stream of a source. `lag_s` = Gavel's now − watermark, corrected for clock skew; `samples_per_s`: new ones, over 5 minutes.

    `last_samples`: rows that the newest run read, `last_new_samples` those of them that were not stored before; null where it failed.
    `completed_1h`, `corrected_1h`: samples that were stored already, and that a run of the last hour filled, or gave other values.
    """

    stream: str
    interval_s: int
    until_at: AwareDatetime | None
    lag_s: float | None
    samples_per_s: float | None
    last_run_at: AwareDatetime | None
    last_duration_s: float | None
    last_samples: int | None
    last_new_samples: int | None
    open_gaps: int
    completed_1h: int
    corrected_1h: int


class SourceOut(Out):
    """A source with its health. `kind_title`: what its kind is called, such as "FlashArray".

    `state`: waiting (no run yet), live, late (lag above 3 intervals), failing (newest run failed), disabled.
    `settings` never holds secrets; `secrets_set` names the secret fields that have a value.
    """

    id: int
    kind: str
    kind_title: str
    name: str
    enabled: bool
    state: Literal["waiting", "live", "late", "failing", "disabled"]
    settings: dict[str, Any]
    secrets_set: list[str]
    identity: str | None
    version: str | None
    error_kind: str | None
    error_message: str | None
    error_since: AwareDatetime | None
    streams: list[StreamOut]
    clocks: list[ClockOut]
    open_gaps: int
    entities: dict[str, int]
    warnings: list[str]


class SourceIn(BaseModel):
    """A new source. `settings` as in the kind's JSON Schema, secrets included."""

    model_config = ConfigDict(extra="forbid")

    kind: Text = Field(max_length=64)
    name: Name
    settings: Settings
    enabled: bool = True


class SourceChange(BaseModel):
    """Changes to a source; what is left out stays. A secret left out keeps its value, unless the address changes: then it must be given."""

    model_config = ConfigDict(extra="forbid")

    name: Name | None = None
    settings: Settings | None = None
    enabled: bool | None = None


class SourceTrial(BaseModel):
    """Settings to try without saving. With `source_id`, secrets left out are that source's own (its address must be the same)."""

    model_config = ConfigDict(extra="forbid")

    kind: Text = Field(max_length=64)
    settings: Settings
    source_id: BodyId | None = None


class PreflightOut(Out):
    passed: bool
    checks: list[Answer[Check]]


class AddressIn(BaseModel):
    model_config = ConfigDict(extra="forbid")

    address: Text = Field(min_length=1, max_length=300)


class RunOut(Out):
    """One collection run. Times in seconds; `samples` rows read, `new_samples` rows that were not stored before.

    Of those that were, `completed` lacked values and were filled; `corrected` had other values, and the later ones count.
    """

    id: int
    stream: str
    queue: str
    started_at: AwareDatetime
    duration_s: float
    calls: int
    bytes_received: int
    samples: int
    new_samples: int
    completed: int
    corrected: int
    unknown_keys: int
    lag_s: float | None
    clock_offset_s: float | None
    error_kind: str | None
    error_message: str | None


class SourceDetail(SourceOut):
    runs: list[RunOut]
    gaps: list[GapOut]
