"""Every kind of channel a message can go to; a new one is a file and a line here."""

from collections.abc import Mapping

from gavel.alerting.channels.alertmanager import ALERTMANAGER
from gavel.alerting.channels.apprise import APPRISE
from gavel.alerting.channels.discord import DISCORD
from gavel.alerting.channels.email import EMAIL
from gavel.alerting.channels.mattermost import MATTERMOST
from gavel.alerting.channels.pagerduty import PAGERDUTY
from gavel.alerting.channels.slack_bot import SLACK_BOT
from gavel.alerting.channels.slack_webhook import SLACK_WEBHOOK
from gavel.alerting.channels.teams import TEAMS
from gavel.alerting.channels.webhook import WEBHOOK
from gavel.alerting.contract import ChannelKind

CHANNELS: Mapping[str, ChannelKind] = {
    kind.kind: kind
    for kind in (
        SLACK_WEBHOOK, SLACK_BOT, TEAMS, MATTERMOST, DISCORD, PAGERDUTY, WEBHOOK, ALERTMANAGER, EMAIL, APPRISE,
    )
}  # fmt: skip
