"""Short ways to ask pyVmomi for properties and counters."""

from datetime import datetime
from typing import Any

from pyVmomi import vim, vmodl

Collector = vmodl.query.PropertyCollector
Performance = vim.PerformanceManager


def view_of(vsphere: Any, *types: Any) -> Any:
    content = vsphere.RetrieveContent()
    return content.viewManager.CreateContainerView(content.rootFolder, list(types), True)


def filter_spec(start: Any, kind: Any, paths: list[str], *, everything: bool = False) -> Any:
    """The members of a view, with some of their properties."""
    members = Collector.TraversalSpec(name="members", type=vim.view.ContainerView, path="view", skip=False)
    return Collector.FilterSpec(
        objectSet=[Collector.ObjectSpec(obj=start, skip=True, selectSet=[members])],
        propSet=[Collector.PropertySpec(type=kind, pathSet=paths, all=everything)],
    )


def properties(vsphere: Any, kind: Any, *paths: str, page: int | None = None) -> dict[str, dict[str, Any]]:
    """moref → property → value of everything of one kind, page by page."""
    collector = vsphere.RetrieveContent().propertyCollector
    spec = filter_spec(view_of(vsphere, kind), kind, list(paths), everything=not paths)
    found: dict[str, dict[str, Any]] = {}
    result = collector.RetrievePropertiesEx([spec], Collector.RetrieveOptions(maxObjects=page))
    while result is not None:
        for one in result.objects:
            found[one.obj._GetMoId()] = {each.name: each.val for each in one.propSet}
        result = collector.ContinueRetrievePropertiesEx(result.token) if result.token else None
    return found


def counter_ids(vsphere: Any) -> dict[str, int]:
    """Counter key (group.name.rollup) → id."""
    counters = vsphere.RetrieveContent().perfManager.perfCounter
    return {f"{one.groupInfo.key}.{one.nameInfo.key}.{one.rollupType}": one.key for one in counters}


def ask(vsphere: Any, entity: Any, keys: list[str], form: str = "csv", instance: str = "*", **parts: Any) -> Any:
    """QueryPerf of some counters of one entity; None when nothing came back."""
    ids = counter_ids(vsphere)
    metrics = [Performance.MetricId(counterId=ids[key], instance=instance) for key in keys]
    given: dict[str, Any] = {"intervalId": 20, **parts}
    spec = Performance.QuerySpec(entity=entity, metricId=metrics, format=form, **given)
    answer = vsphere.RetrieveContent().perfManager.QueryPerf([spec])
    return answer[0] if answer else None


def series(vsphere: Any, answer: Any) -> dict[tuple[str, str], list[int]]:
    """(counter key, instance) → values, of an answer in either format."""
    keys = {number: key for key, number in counter_ids(vsphere).items()}
    return {
        (keys[one.id.counterId], one.id.instance): (
            [int(value) for value in one.value.split(",")] if isinstance(one.value, str) else list(one.value)
        )
        for one in answer.value
    }


def stamps(answer: Any) -> list[int]:
    """Ends of the samples, seconds since the epoch, of an answer in either format."""
    if isinstance(answer, Performance.EntityMetricCSV):
        parts = answer.sampleInfoCSV.split(",")[1::2]
        return [int(datetime.fromisoformat(part).timestamp()) for part in parts if part]
    return [int(one.timestamp.timestamp()) for one in answer.sampleInfo]
