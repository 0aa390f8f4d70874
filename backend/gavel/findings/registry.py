"""Every rule of findings, in the order of lists."""

from collections.abc import Mapping
from typing import Final

from gavel.findings.model import FindingRule
from gavel.findings.rules import paths_down, unequal_queue_settings

RULES: Final[tuple[FindingRule, ...]] = (
    paths_down.RULE,
    unequal_queue_settings.RULE,
)
RULES_BY_ID: Final[Mapping[str, FindingRule]] = {rule.id: rule for rule in RULES}


def rules_titled(part: str) -> tuple[str, ...]:
    """Ids of the rules whose title has this in it, in whatever case."""
    return tuple(rule.id for rule in RULES if part.lower() in rule.title.lower())
