"""Messages as they are, and as somebody who names objects with bad intent would have them."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from gavel.alerting.render.message import LayerTime, Message, MessageLink, Status
from gavel.alerting.rules.model import AlertSeverity
from gavel.domain.io_path import Quality

AT = datetime(2026, 11, 21, 2, 10, tzinfo=UTC)
USUAL = Message(
    event_id="evt_000123_2",
    incident_id="inc_000123",
    dedupe_key="ab" * 32,
    sequence=2,
    status=Status.FIRING,
    severity=AlertSeverity.CRITICAL,
    rule_key="kernel_queueing",
    rule_name="Kernel latency",
    sentence="Kernel queue on esx-14: 0.44 of 0.93 ms since 02:10 UTC, 0.44 ms above baseline. Confirmed.",
    path=("fa-1", "vol-prod-07", "ds-prod-07"),
    from_at=AT,
    to_at=AT + timedelta(minutes=5),
    started_at=AT,
    sent_at=AT + timedelta(minutes=6),
    total_us=930.0,
    layers=(
        LayerTime("Kernel", 438, 420, 450),
        LayerTime("SAN", 92, 80, 100),
        LayerTime("Array", 400, 398.5, 401.5),
    ),
    evidence=("60 I/Os outstanding on a depth of 32", "DAVG 0.49 ms", "SAN time 92 µs"),
    quality=Quality.B,
    links=(
        MessageLink("Open", "https://gavel.example.org/datastores/7?from=1&to=2"),
        MessageLink("Silence", "https://gavel.example.org/alerts/123?do=silence"),
        MessageLink("Runbook", "https://wiki.example.org/kernel_(queue)"),
    ),
    labels={"team": "storage", "array": "fa-1"},
    more=(
        "Cause (confirmed): vm-9 issues 98 % of the I/O; the queue of device 7 on esx-14 is full (ACTV = DQLEN 32).",
        "What to do: Spread the VMs over more datastores.",
    ),
)
NAMES = (
    "<!channel> <!here> <@U012AB3CD> <#C123|x>",
    "@channel @here @all @everyone <@&123> <at>Everyone</at>",
    "**bold** _it_ ~~no~~ `code` # head > quote ||spoiler|| - list 1. one",
    "[click](https://evil.example.org) <https://evil.example.org|click> ![x](https://evil.example.org/x.png)",
    "https://evil.example.org www.evil.example.org",
    ":fire: :boom: 🔥🔥 👩‍👩‍👧",
    "<img src=x onerror=alert(1)> <script>alert(1)</script> \"quotes\" 'too' &amp;",
    "${jndi:ldap://x/a} {{7*7}} =cmd()",
    "one\r\nBcc: victim@example.org\r\n\r\ntwo\x00three",
    "\u202egnp.exe\u202c zero\u200bwidth \ufeff \ud800",
    "n" * 10_000,
    "🔥" * 10_000,
    "&<>" * 5_000,
    '"\\' * 5_000,
    "*" * 10_000,
)


def hostile(name: str, status: Status = Status.FIRING) -> Message:
    """The usual message with `name` wherever somebody else decides on the words."""
    return replace(
        USUAL,
        status=status,
        ended_at=AT + timedelta(minutes=20) if status is Status.RESOLVED else None,
        rule_name=name,
        sentence=f"Kernel queue on {name}: 0.44 of 0.93 ms",
        more=(f"Cause (confirmed): {name} issues 98 % of the I/O.", f"What to do: Move {name}.", name, name, name),
        path=(name,) * 8,
        evidence=(name,) * 3,
        layers=tuple(LayerTime(f"Layer {number}", 1, 0, 2) for number in range(4)),
        labels={f"label_{number}": name for number in range(30)},
        links=(
            *USUAL.links,
            MessageLink(name, "https://gavel.example.org/"),
            MessageLink("long", "https://x.example.org/" + "a" * 9000),
        ),
    )


def summary(name: str = "ds-prod") -> Message:
    return replace(USUAL, objects=tuple(f"{name}-{number}" for number in range(10)), object_count=37)
