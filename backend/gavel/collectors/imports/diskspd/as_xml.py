"""XML of diskspd (-Rxml): settings per timespan and target, counts per thread and target, and latency of all together."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from lxml import etree

from gavel.collectors.imports.diskspd.spans import DiskspdSpan, DiskspdTarget
from gavel.collectors.load_file import BEYOND_MEASURE, LoadFileError
from gavel.domain.io_path import DirectionName

_XML: Final = etree.XMLParser(resolve_entities=False, no_network=True)
_DECLARATION = re.compile(r"^<\?xml[^>]*\?>")
_US_PER_MS = 1000.0
# Of 64 threads on 100 targets; each takes some 150 bytes of memory for 4 of the file. diskspd writes no attributes.
MOST_ELEMENTS: Final = 200_000
_MOST_ATTRIBUTES = 1000
_MEANS: dict[DirectionName, str] = {
    "read": "AverageReadMilliseconds",
    "write": "AverageWriteMilliseconds",
    "all": "AverageTotalMilliseconds",
}
_PERCENTILES: dict[DirectionName, str] = {
    "read": "ReadMilliseconds",
    "write": "WriteMilliseconds",
    "all": "TotalMilliseconds",
}
_UNCACHED = ("DisableOSCache", "DisableAllCache", "DisableLocalCache")


def xml_spans(text: str, file: str) -> list[DiskspdSpan]:
    """Raises LoadFileError with the line."""
    if text.count("<") > 2 * MOST_ELEMENTS or text.count("=") > _MOST_ATTRIBUTES:
        raise LoadFileError(file, f"XML of more than {MOST_ELEMENTS} elements. Run diskspd for fewer targets at once.")
    try:
        # The text is decoded already, whatever the file says of its encoding.
        root = etree.fromstring(_DECLARATION.sub("", text.strip(), count=1).encode(), _XML)
    except etree.XMLSyntaxError as error:
        raise LoadFileError(file, f"no whole XML ({error.msg}). Copy the whole file.", line=error.lineno) from error
    results = root.findall("TimeSpan")
    if root.tag != "Results" or not results:
        raise LoadFileError(file, "XML without results of diskspd. Run diskspd with -L -Rxml.")
    settings = root.findall("Profile/TimeSpans/TimeSpan")
    reader = _XmlSpans(file)
    system = root.find("System")
    shared = [
        "" if system is None else system.findtext(name, "").strip()
        for name in ("ComputerName", "Tool/Version", "RunTime")
    ]
    return [
        reader.span(each, settings[position] if position < len(settings) else None, shared)
        for position, each in enumerate(results)
    ]


@dataclass(frozen=True, slots=True)
class _XmlSpans:
    file: str

    def span(self, result: etree._Element, setting: etree._Element | None, shared: Sequence[str]) -> DiskspdSpan:
        """shared: name of the machine, version and start, which are of all timespans."""
        span = DiskspdSpan(line=result.sourceline or 1, length_s=self.number(result, "TestTimeSeconds"))
        span.name, span.version, span.ran_at = shared
        if setting is not None:
            span.asked_s = self.number(setting, "Duration")
            span.warmup_s = self.optional(setting, "Warmup") or 0.0
            span.cooldown_s = self.optional(setting, "Cooldown") or 0.0
            span.targets = list(self.targets(setting))
        self.count(span, result)
        self.time(span, result)
        return span

    def targets(self, setting: etree._Element) -> Iterator[DiskspdTarget]:
        targets = setting.findall("Targets/Target")
        # With -F threads work on all targets, each with -O of all together.
        shared = self.optional(setting, "ThreadCount") or 0.0
        depth = self.optional(setting, "RequestCount") or 0.0
        for position, target in enumerate(targets):
            threads = shared or self.optional(target, "ThreadsPerFile") or 1.0
            each = self.optional(target, "RequestCount") or 1.0
            outstanding = threads * each if not (shared and depth) else (threads * depth if position == 0 else 0.0)
            block = self.optional(target, "BlockSize")
            yield DiskspdTarget(
                block_bytes=None if block is None else int(block),
                outstanding=int(min(outstanding, 2**31 - 1)),
                is_direct=any(target.findtext(name, "").strip().lower() == "true" for name in _UNCACHED),
            )

    def count(self, span: DiskspdSpan, result: etree._Element) -> None:
        names: dict[DirectionName, str] = {"read": "Read", "write": "Write"}
        for direction, name in names.items():
            targets = result.findall("Thread/Target")
            ops = sum(self.number(target, f"{name}Count") for target in targets)
            size = sum(self.number(target, f"{name}Bytes") for target in targets)
            span.counts[direction] = (int(ops), int(size))
        (reads, read_bytes), (writes, written_bytes) = span.counts["read"], span.counts["write"]
        span.counts["all"] = (reads + writes, read_bytes + written_bytes)

    def time(self, span: DiskspdSpan, result: etree._Element) -> None:
        latency = result.find("Latency")
        if latency is None:
            return
        for direction, name in _MEANS.items():
            if span.counts[direction][0] and (mean_ms := self.optional(latency, name)) is not None:
                span.means_us[direction] = mean_ms * _US_PER_MS
                span.percentiles_us[direction] = {
                    self.number(bucket, "Percentile"): ms * _US_PER_MS
                    for bucket in latency.findall("Bucket")
                    if (ms := self.optional(bucket, _PERCENTILES[direction])) is not None
                }

    def number(self, parent: etree._Element, name: str) -> float:
        found = self.optional(parent, name)
        if found is None:
            raise LoadFileError(self.file, f"{parent.tag!s} has no {name}.", line=parent.sourceline)
        return found

    def optional(self, parent: etree._Element, name: str) -> float | None:
        element = parent.find(name)
        if element is None:
            return None
        try:
            number = float(element.text or "")
        except ValueError:
            number = math.nan
        if not 0 <= number < BEYOND_MEASURE:
            raise LoadFileError(self.file, f"{name} is {element.text!r}, no usable number.", line=element.sourceline)
        return number
