"""Every service that has no channel of its own here, through the library of that name, in a guarded process of its own."""

import json
import re
import subprocess
import sys
from base64 import b64encode
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any
from urllib.parse import parse_qsl, urlsplit

from pydantic import AfterValidator, ConfigDict, Field, SecretStr, model_validator

from gavel.alerting.contract import ChannelKind, ChannelSettings, Receipt, with_picture
from gavel.alerting.render.message import Json, Message, Picture, Status, evidence_lines, facts, fitting, headline
from gavel.alerting.rules.model import AlertSeverity
from gavel.alerting.transport.outcome import Outcome, ReceiverResponse, Result, by_status
from gavel.alerting.transport.rate import Limit
from gavel.alerting.transport.wire import Transport
from gavel.egress.tls import DESTINATION

# What the least of the chat services take; shorter ones get the beginning.
LARGEST = 3500
# Nothing is known of the service: slow enough for most.
LIMITS = (Limit(5, 2.0),)
# For the process to start; its own clock counts from when it is ready.
START_S = 30.0
_MODULE = "gavel.alerting.transport.apprise_process"
_SCHEME = re.compile(r"[a-z0-9]{2,20}")
# They speak to this machine's own screen or log and to nobody else.
_LOCAL = frozenset(
    {"blink1", "dbus", "file", "gio", "glib", "gnome", "kde", "macosx", "memory", "qt", "syslog", "windows"}
)
# What a mention, a link, an entity or a name of an emoji begins with is broken by a space that nobody sees:
# so many services have no escape in common.
_SIGILS = re.compile(r"([@<&\[]|:(?=[^\s\d])|(?<=w)\.)", re.IGNORECASE)
_UNSEEN = "\u200b"
_KINDS = {AlertSeverity.CRITICAL: "failure", AlertSeverity.WARNING: "warning", AlertSeverity.INFO: "info"}


def _usable(value: SecretStr) -> SecretStr:
    """ValueError without the address in it."""
    url = value.get_secret_value()
    scheme, separator, _ = url.partition("://")
    if not separator or not _SCHEME.fullmatch(scheme) or not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("write the address as Apprise wants it: service://…, in ASCII and without blanks")
    if scheme in _LOCAL:
        raise ValueError(
            f"{scheme}:// shows messages on the machine that Gavel runs on; choose a service that people have"
        )
    options = {name.lower() for name, _ in parse_qsl(urlsplit(url).query, keep_blank_values=True)}
    if "verify" in options:
        raise ValueError("leave out verify=: certificates are always checked; give the authority's PEM instead")
    return value


class AppriseSettings(ChannelSettings):
    model_config = ConfigDict(extra="forbid", title="Apprise (100 more services)")

    url: Annotated[SecretStr, AfterValidator(_usable)] = Field(
        title="Apprise URL",
        description="Such as tgram://token/chat or gotifys://host/token; one service. The documentation of Apprise lists them all.",
        max_length=2000,
        json_schema_extra=DESTINATION,
    )

    @model_validator(mode="after")
    def _no_pin(self) -> "AppriseSettings":
        if self.fingerprint_sha256:
            raise ValueError("Apprise cannot pin a certificate; give the authority's PEM instead")
        return self


@dataclass(frozen=True, slots=True)
class Notice:
    """What is sent: a title of one line and a text. kind: as Apprise calls it."""

    title: str
    body: bytes
    kind: str
    picture: Picture | None = field(default=None, repr=False)

    @property
    def log_text(self) -> str:
        return f"{self.title}\n{self.body.decode()}{with_picture(self.picture)}"


def render(_settings: AppriseSettings, message: Message, _receipt: Receipt) -> Notice:
    kind = {Status.RESOLVED: "success", Status.NO_DATA: "info"}.get(message.status, _KINDS[message.severity])
    picture = message.picture if message.picture and message.picture.png else None
    return fitting(
        message,
        lambda cut: Notice(inert(headline(cut)), _text(cut).encode(), kind, picture),
        lambda notice: len(notice.body),
        LARGEST,
    )


def inert(text: str) -> str:
    """Looks the same and mentions no user or group."""
    return _SIGILS.sub(rf"\1{_UNSEEN}", text)


def deliver(settings: AppriseSettings, notice: Notice, way: Transport) -> Outcome:
    """One attempt in a process that ends with it, whatever the service does."""
    with TemporaryDirectory(prefix="gavel-apprise-") as folder:
        # No proxy, no home, no secret of this process: nothing but the authority to believe.
        environment = {"LC_ALL": "C.UTF-8"}
        if settings.ca_pem:
            authority = Path(folder, "authority.pem")
            authority.write_text(settings.ca_pem)
            environment |= dict.fromkeys(("REQUESTS_CA_BUNDLE", "SSL_CERT_FILE"), str(authority))
        return _run(_order(settings, notice, way), environment, START_S + way.deadlines.total_s)


def _run(order: Json, environment: dict[str, str], longest_s: float) -> Outcome:
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-m", _MODULE],
            input=json.dumps(order).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            timeout=longest_s,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return Outcome(Result.RETRY, f"no end within {longest_s:g} s, so the attempt was broken off")
    except OSError as error:
        return Outcome(Result.RETRY, f"the process for Apprise could not be started ({error.strerror})")
    try:
        told = json.loads(done.stdout)
    except ValueError:
        return Outcome(Result.RETRY, f"the process for Apprise ended with {done.returncode} and no output")
    return _outcome(told)


def _order(settings: AppriseSettings, notice: Notice, way: Transport) -> Json:
    png = notice.picture.png if notice.picture else None
    return {
        "url": settings.url.get_secret_value(),
        "title": notice.title,
        "body": notice.body.decode(),
        "kind": notice.kind,
        "picture": b64encode(png).decode() if png else None,
        "networks": [str(network) for network in way.allowed.networks],
        "schemes": sorted(way.allowed.schemes),
        "total_s": way.deadlines.total_s,
    }


def _outcome(report: dict[str, Any]) -> Outcome:
    """What the process has seen, in the words of all channels."""
    match report["end"]:
        case "sent":
            return Outcome(Result.DELIVERED, f"accepted by {report['service']}", report["status"])
        case "forbidden" | "unknown":
            return Outcome(Result.REFUSED, report["detail"])
        case "late":
            return Outcome(Result.RETRY, f"no answer in time ({report['service']})", report["status"])
    status = report["status"]
    if status is None:
        return Outcome(Result.RETRY, f"{report['service']} was not reached, or its certificate is not trusted")
    outcome = by_status(ReceiverResponse(status, report["headers"], b""))
    # An answer that would be a yes elsewhere was a no to the library, which knows the service.
    if outcome.result is Result.DELIVERED:
        return Outcome(Result.RETRY, f"{report['service']} answered {status}, which means no there", status)
    return outcome


def _text(message: Message) -> str:
    lines = [*message.paragraphs, "", *(f"{title}: {text}" for title, text in facts(message))]
    lines += ["", *(f"- {line}" for line in evidence_lines(message)), ""]
    return "\n".join([*map(inert, lines), *(f"{inert(one.label)}: {one.url}" for one in message.links)])


APPRISE = ChannelKind(
    "apprise", "Apprise (100 more services)", AppriseSettings, render, deliver, LARGEST, LIMITS,
    takes_pictures=True, is_apart=True,
)  # fmt: skip
