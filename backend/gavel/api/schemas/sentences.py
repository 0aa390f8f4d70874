"""Diagnoses in words, in parts: nobody has to take a text to pieces."""

from typing import Literal

from gavel.api.schemas.common import Out

StatementCode = Literal[
    "range_above_baseline", "outstanding", "busiest_queue", "array_latency", "kernel_latency", "queue_depth", "competing_worlds",
    "guest_not_measured", "disagreement", "partly_measured", "minor_part_of_device", "chronic", "merged_layers", "too_coarse",
    "minor_part_of_volume", "sample_missing", "whole_milliseconds", "among_extents", "guest_by_arrival",
    "earlier_rules", "default_baseline", "captured",
]  # fmt: skip


class StatementOut(Out):
    """A clause in words, and by `code` what it is about."""

    code: StatementCode
    text: str


class HeadOut(Out):
    """What a diagnosis says: `headline` ("Kernel queue on esx-14", "Normal") and `detail`, its numbers ("": there are none).

    `text`: both in one line.
    """

    headline: str
    detail: str
    text: str


class SentenceOut(Out):
    """The diagnosis in words, in parts: `head`, `confidence` and `cause` ("": none), then `reasons` (why), `caveats` and `to_confirm` (what
    would settle it).

    `text`: all of it in one line.
    """

    head: HeadOut
    confidence: str
    cause: str
    reasons: list[StatementOut]
    caveats: list[StatementOut]
    to_confirm: list[str]
    text: str


class AlertSentenceOut(Out):
    """The diagnosis when an alert fired: `claim`, what it rests on (`evidence`), and what limits it (`limits`); "": there is none.

    `text`: all of it in one line. Of what has no diagnosis (a source), and of alerts of earlier versions, all of it is the claim.
    """

    claim: str
    evidence: str
    limits: str
    text: str
