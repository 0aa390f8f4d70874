"""E-mail by SMTP: text and HTML, all mails of an incident in one thread."""

import hashlib
import smtplib
import socket
import ssl
from dataclasses import dataclass, replace
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from html import escape
from typing import Annotated, Literal

from pydantic import ConfigDict, Field, SecretStr, StringConstraints

from gavel.alerting.contract import ChannelKind, ChannelSettings, Receipt, colour, with_picture
from gavel.alerting.render.message import Message, Status, evidence_lines, facts, fitting, headline, plain_text
from gavel.alerting.transport.outcome import Outcome, Result
from gavel.alerting.transport.rate import Limit
from gavel.alerting.transport.wire import Transport, connect, secured
from gavel.domain.errors import SourceError
from gavel.egress.network import Address, total_deadline
from gavel.egress.policy import ForbiddenError, Target
from gavel.egress.tls import DESTINATION, network_error, ssl_context

LARGEST = 200_000
_CONTENT_ID = "waterfall@gavel.invalid"
# Large hosts take 30 mails a minute of one sender.
LIMITS = (Limit(10, 6.0),)
MailAddress = Annotated[str, StringConstraints(pattern=r"^[\x21-\x7e]{1,64}@[A-Za-z0-9.-]{1,190}$")]


class EmailSettings(ChannelSettings):
    model_config = ConfigDict(extra="forbid", title="E-mail")

    host: str = Field(title="Mail server", pattern=r"^[A-Za-z0-9.:-]{1,253}$", json_schema_extra=DESTINATION)
    port: int = Field(
        default=587,
        title="Port",
        description="587 with STARTTLS, 465 with TLS, 25 without.",
        ge=1,
        le=65535,
        json_schema_extra=DESTINATION,
    )
    security: Literal["starttls", "tls", "none"] = Field(
        default="starttls", title="Encryption", json_schema_extra=DESTINATION
    )
    username: str | None = Field(default=None, title="User name", max_length=300)
    password: SecretStr | None = Field(default=None, title="Password", max_length=300)
    sender: MailAddress = Field(title="From")
    recipients: tuple[MailAddress, ...] = Field(title="To", min_length=1, max_length=50)


@dataclass(frozen=True, slots=True)
class Mail:
    """told: who gets it and its plain text, for the log."""

    sender: str
    recipients: tuple[str, ...]
    body: bytes
    log_text: str


def render(settings: EmailSettings, message: Message, _receipt: Receipt) -> Mail:
    png = message.picture.png if message.picture else None
    body, text = fitting(
        message,
        lambda cut: (_mail(settings, cut), plain_text(cut)),
        lambda made: len(made[0]),
        LARGEST + (2 * len(png) if png else 0),
    )
    told = f"To: {', '.join(settings.recipients)}\n{text}{with_picture(message.picture)}"
    return Mail(settings.sender, settings.recipients, body, told)


def deliver(settings: EmailSettings, mail: Mail, way: Transport) -> Outcome:
    mine = replace(way, trust=settings)
    where = f"mail server {settings.host}:{settings.port}"
    try:
        with total_deadline(way.deadlines.total_s):
            refused = _sent(settings, mail, mine)
    except ForbiddenError as error:
        return Outcome(Result.REFUSED, str(error))
    except smtplib.SMTPRecipientsRefused as error:
        return _by_code(where, max(code for code, _ in error.recipients.values()))
    except smtplib.SMTPResponseException as error:
        return _by_code(where, error.smtp_code)
    except smtplib.SMTPNotSupportedError:
        detail = f"{where} does not offer what the channel needs (STARTTLS or a login). Change the channel's encryption or user."
        return Outcome(Result.REFUSED, detail)
    except ssl.SSLCertVerificationError as error:
        trusted = f"{where}: the certificate is not trusted ({error.verify_message or error.reason})"
        return Outcome(Result.RETRY, f"{trusted}. Give its authority's PEM, or pin its fingerprint, in the channel.")
    except smtplib.SMTPException as error:
        return Outcome(Result.RETRY, f"{where}: the conversation broke off ({type(error).__name__})")
    except OSError as error:
        return Outcome(Result.RETRY, str(_source_error(settings, error)))
    missing = f"; it refused {', '.join(sorted(refused))}" if refused else ""
    return Outcome(Result.DELIVERED, f"accepted by {where}{missing}")


class _GuardedSmtp(smtplib.SMTP):
    """Connects only where messages may go, to the address that was checked."""

    def __init__(self, settings: EmailSettings, way: Transport) -> None:
        self._settings, self._way = settings, way
        # Its own name is given, since looking it up may take long.
        super().__init__(settings.host, settings.port, local_hostname="gavel", timeout=way.deadlines.read_s)

    def _get_socket(self, host: str, port: int, _timeout: float) -> socket.socket:
        target = Target("smtp", host, port, "")
        sock = connect(target, self._way)
        return secured(sock, target, self._way) if self._settings.security == "tls" else sock


def _sent(settings: EmailSettings, mail: Mail, way: Transport) -> dict[str, tuple[int, bytes]]:
    with _GuardedSmtp(settings, way) as smtp:
        if settings.security == "starttls":
            smtp.starttls(context=ssl_context(settings))
        if settings.username and settings.password:
            smtp.login(settings.username, settings.password.get_secret_value())
        return smtp.sendmail(mail.sender, mail.recipients, mail.body)


def _by_code(where: str, code: int) -> Outcome:
    # The library's sign for an answer that has no code.
    if code < 0:
        return Outcome(Result.RETRY, f"{where}: the server does not follow the SMTP protocol")
    if 400 <= code < 500:
        return Outcome(Result.RETRY, f"{where} answered {code}", code)
    return Outcome(Result.REFUSED, f"{where} answered {code}. Check sender, recipients and login, then replay.", code)


def _source_error(settings: EmailSettings, error: OSError) -> SourceError:
    return network_error(Address(settings.host, settings.port), error)


def _mail(settings: EmailSettings, message: Message) -> bytes:
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"] = settings.sender, ", ".join(settings.recipients)
    mail["Subject"] = f"{headline(message)}: {message.path[-1] if message.path else ''}"
    mail["Date"] = format_datetime(message.sent_at)
    mail["Message-ID"] = f"<{message.event_id}@gavel.invalid>"
    mail["In-Reply-To"] = mail["References"] = f"<{message.incident_id}@gavel.invalid>"
    mail["Auto-Submitted"] = "auto-generated"
    if message.status is Status.FIRING and message.severity.value == "critical":
        mail["X-Priority"] = "1"
    mail.set_content(plain_text(message))
    mail.add_alternative(_html(message), subtype="html")
    # Pure: the same message gives the same bytes, and `=` stands in no encoded line like this.
    boundary = f"=_{hashlib.sha256(message.event_id.encode()).hexdigest()}"
    if message.picture and message.picture.png:
        page = next(part for part in mail.iter_parts() if part.get_content_subtype() == "html")
        page.add_related(
            message.picture.png, "image", "png", cid=f"<{_CONTENT_ID}>", filename="waterfall.png", disposition="inline"
        )
        page.set_boundary(f"{boundary}_")
    mail.set_boundary(boundary)
    return mail.as_bytes()


def _html(message: Message) -> str:
    rows = "".join(f"<tr><td>{escape(title)}</td><td>{escape(text)}</td></tr>" for title, text in facts(message))
    lines = "".join(f"<li>{escape(line)}</li>" for line in evidence_lines(message))
    links = " · ".join(f'<a href="{escape(link.url)}">{escape(link.label)}</a>' for link in message.links)
    picture = message.picture if message.picture and message.picture.png else None
    said = "".join(f"<p>{escape(one)}</p>" for one in message.paragraphs)
    shown = f'<p><img src="cid:{_CONTENT_ID}" width="900" alt="{escape(picture.alt)}"></p>' if picture else ""
    return (
        f'<html><body style="font-family:sans-serif"><h2 style="color:#{colour(message):06x}">{escape(headline(message))}</h2>'
        f"{said}{shown}<table>{rows}</table><ul>{lines}</ul><p>{links}</p></body></html>"
    )


EMAIL = ChannelKind("email", "E-mail", EmailSettings, render, deliver, LARGEST, LIMITS, takes_pictures=True)
