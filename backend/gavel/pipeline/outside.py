"""Where messages may go and how Gavel is reached from there: the settings of an installation that alerting needs."""

from dataclasses import dataclass, field

from gavel.alerting.guard import Allowed, parse_networks


@dataclass(frozen=True, slots=True)
class Outside:
    """public_url: base of links in messages; None: messages have none."""

    public_url: str | None = None
    allowed: Allowed = field(default_factory=Allowed)


def outside(public_url: str | None, networks: str, *, plain_http: bool) -> Outside:
    """networks: private ones that messages may go to, CIDRs with commas between. Raises SettingsError for what is none."""
    named = parse_networks(text for text in networks.split(",") if text.strip())
    schemes = frozenset({"https", "http"} if plain_http else {"https"})
    return Outside(public_url.rstrip("/") if public_url else None, Allowed(named, schemes))
