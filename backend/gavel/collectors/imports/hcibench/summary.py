"""The summary of HCIBench (res.txt): one run per job and datastore, summed over its VMs."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from gavel.collectors.load_figures import LoadWay, together
from gavel.collectors.load_file import LoadFileError
from gavel.collectors.load_window import unplaced
from gavel.domain.load_runs import LoadRun, LoadWarning

_NAME = re.compile(r"[A-Za-z0-9_% ]+")
_BEGINS = ("JOB_NAME", "Run Def")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)\s*(?:IO/S|MB/s|ms)?")
_US_PER_MS = 1000.0
_NO_TIME = (
    "The summary of HCIBench does not say when the test ran: its minutes are not known. Import the folder of the test instead (its"
    " files of each VM, as a zip or tar)."
)


@dataclass(slots=True, kw_only=True)
class _HciBenchJob:
    line: int
    name: str
    datastore: str
    version: str
    values: dict[str, tuple[str, int]] = field(default_factory=dict)


def summary_runs(text: str, file: str) -> list[LoadRun]:
    """Raises LoadFileError."""
    jobs = _jobs(text)
    if not jobs:
        raise LoadFileError(file, "no summary of HCIBench in it. Import the file that ends in -res.txt.")
    return [_run(job, file) for job in jobs]


def summary_datastores(text: str) -> set[str]:
    """Those that the summary has jobs of."""
    return {job.datastore for job in _jobs(text) if job.datastore}


def _jobs(text: str) -> list[_HciBenchJob]:
    """Each begins with its name; datastore and version stand before it."""
    jobs: list[_HciBenchJob] = []
    shared = {"Datastore": "", "Version": ""}
    for number, name, value in _pairs(text):
        if name in shared:
            shared[name] = value
        elif name in _BEGINS:
            called = value.split(";", 1)[0].removeprefix("RD=")
            jobs.append(
                _HciBenchJob(line=number, name=called, datastore=shared["Datastore"], version=shared["Version"])
            )
        elif jobs:
            jobs[-1].values[name] = (value, number)
    return jobs


def _pairs(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, name and value, up to what the hosts used."""
    for number, line in enumerate(text.splitlines(), 1):
        name, sign, value = line.partition("=")
        if ":" in name:
            name, sign, value = line.partition(":")
        name = name.strip()
        if not sign or _NAME.fullmatch(name) is None:
            continue
        if name == "Resource Usage":
            return
        yield number, name, value.strip()


def _run(job: _HciBenchJob, file: str) -> LoadRun:
    values = _JobValues(file, job.line, job.values)
    rate, mib = values.needed("IOPS"), values.needed("THROUGHPUT")
    if rate == 0:
        raise LoadFileError(file, f"job {job.name!r}: no I/O was counted. Run HCIBench again.", line=job.line)
    mean_ms = _mean_ms(values)
    way = LoadWay(
        ops=None,
        timed=rate,
        ops_per_s=rate,
        bytes_per_s=mib * 2**20,
        mean_us=None if mean_ms is None else mean_ms * _US_PER_MS,
        max_us=None,
    )
    vms = values.optional("VMs")
    where = f" on {job.datastore}" if job.datastore else ""
    return LoadRun(
        name=f"{job.name}{where}" if vms is None else f"{job.name}{where}, {vms:.0f} VMs",
        tool="hcibench",
        tool_version=job.version,
        starts_at=None,
        ends_at=None,
        outstanding_limit=None,
        block_size=None,
        is_direct=None,
        figures=[together("all", [way])],
        warnings=[*_warnings(values, mean_ms), *([warning] if (warning := unplaced(_NO_TIME).warning) else [])],
    )


def _mean_ms(values: "_JobValues") -> float | None:
    """Of all I/Os only where there is one direction, or where HCIBench has it: how many I/Os were reads is not in the file."""
    whole, reads, writes = (values.optional(name) for name in ("LATENCY", "R_LATENCY", "W_LATENCY"))
    if whole is not None:
        return whole
    only = [each for each in (reads, writes) if each]
    return only[0] if len(only) == 1 else None


def _warnings(values: "_JobValues", mean_ms: float | None) -> Iterator[LoadWarning]:
    reads, writes = values.optional("R_LATENCY"), values.optional("W_LATENCY")
    yield LoadWarning(
        "approximate",
        "HCIBench averages latencies over VMs, not over I/Os: with VMs of unequal load its mean is wrong. Its percentiles are left out.",
    )
    if mean_ms is None and reads is not None and writes is not None:
        text = f"Reads took {reads:.2f} ms and writes {writes:.2f} ms; how many were reads is not in the file, so there is no mean of all."
        yield LoadWarning("no_mean", text)


@dataclass(frozen=True, slots=True)
class _JobValues:
    file: str
    line: int
    values: Mapping[str, tuple[str, int]]

    def needed(self, name: str) -> float:
        found = self.optional(name)
        if found is None:
            raise LoadFileError(self.file, f"a job without {name}: the file is cut short.", line=self.line)
        return found

    def optional(self, name: str) -> float | None:
        if name not in self.values:
            return None
        text, line = self.values[name]
        match = _NUMBER.fullmatch(text)
        if match is None or not float(match[1]) < 1e15:
            raise LoadFileError(self.file, f"{name} is {text!r}, no usable number.", line=line)
        return float(match[1])
