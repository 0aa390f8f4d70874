"""Objects and times that tests of rules share."""

from datetime import UTC, datetime, timedelta

from gavel.findings.model import Advice, AdviceKind, Finding, ObjectRef

NOW = datetime(2026, 11, 24, 12, 0, tzinfo=UTC)
SINCE = NOW - timedelta(minutes=10)
DATASTORE = ObjectRef("datastore", 6, "metro-06")
CLUSTER = ObjectRef("cluster", 1, "production")
DEVICE = "naa.624a93709714b5cb91634c470002b200"


def host(number: int) -> ObjectRef:
    return ObjectRef("host", number, f"esx-0{number}")


def advice(finding: Finding, kind: AdviceKind) -> Advice:
    """The only one of its kind."""
    (found,) = (one for one in finding.advice if one.kind is kind)
    return found


def kinds(finding: Finding) -> list[str]:
    return [one.kind.value for one in finding.advice]
