"""Every rule of findings, in the order of lists."""

from collections.abc import Mapping
from typing import Final

from gavel.findings.model import FindingRule
from gavel.findings.rules import (
    adapter_queue_full,
    adaptive_depth_partial,
    array_saturation,
    clock_skew,
    coarse_counters,
    competing_worlds,
    device_queue_full,
    fan_in_over_port,
    iops_limit_at_work,
    latency_policy_options,
    lsi_on_busy_disk,
    no_preferred_array,
    noisy_neighbor,
    non_optimized_io,
    path_policy_off_advice,
    paths_down,
    paths_unbalanced,
    sioc_on_all_flash,
    snapshot_chain,
    source_gaps,
    task_running,
    unequal_queue_settings,
    unmonitored_initiators,
    virtual_disk_queue_full,
)

RULES: Final[tuple[FindingRule, ...]] = (
    competing_worlds.RULE,
    device_queue_full.RULE,
    virtual_disk_queue_full.RULE,
    adapter_queue_full.RULE,
    iops_limit_at_work.RULE,
    unequal_queue_settings.RULE,
    paths_down.RULE,
    paths_unbalanced.RULE,
    non_optimized_io.RULE,
    no_preferred_array.RULE,
    path_policy_off_advice.RULE,
    latency_policy_options.RULE,
    sioc_on_all_flash.RULE,
    adaptive_depth_partial.RULE,
    noisy_neighbor.RULE,
    snapshot_chain.RULE,
    task_running.RULE,
    lsi_on_busy_disk.RULE,
    array_saturation.RULE,
    fan_in_over_port.RULE,
    unmonitored_initiators.RULE,
    clock_skew.RULE,
    coarse_counters.RULE,
    source_gaps.RULE,
)
RULES_BY_ID: Final[Mapping[str, FindingRule]] = {rule.id: rule for rule in RULES}


def rules_titled(part: str) -> tuple[str, ...]:
    """Ids of the rules whose title has this in it, in whatever case."""
    return tuple(rule.id for rule in RULES if part.lower() in rule.title.lower())
