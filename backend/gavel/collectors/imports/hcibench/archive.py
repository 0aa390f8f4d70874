"""A result folder of HCIBench, packed: one file per VM, called as the VM is (fio: NAME.json, vdbench: NAME.txt), beside its summary.

fio writes there every 5 seconds what it has counted so far: the last document of a file is the result.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import IO, Final, TypeAlias

from gavel.collectors.imports.hcibench.summary import summary_datastores, summary_runs
from gavel.collectors.imports.hcibench.sums import sums_of
from gavel.collectors.load_bundle import BundledFile, bundled_files
from gavel.collectors.load_file import LoadFileError, read_text, require_few
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import MOST_RUNS, ImportedRuns, LeftOutFile, LoadRun

_SUMMARY: Final = "-res.txt"
# The runs of one VM, from the text of its file, its name for messages and what was chosen beside the archive; raises LoadFileError.
VmReader: TypeAlias = Callable[[str, str, ImportOptions], list[LoadRun]]
_EXACT = "Averages over VMs; the run of the datastore is summed up from the files of its VMs."
# In what a tool wrote in a VM, also where it was cut short; it may be empty, too.
_MARKS: Final = ("fio version", "Vdbench", "Starting RD=")
_ABOVE = ("", ".", "..", "/")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Folder:
    """A test: its summary, and per VM the runs of its file. broken: files of VMs that cannot be read; others: what HCIBench keeps beside
    them."""

    name: str
    summaries: list[tuple[str, str]] = field(default_factory=list)
    vms: list[tuple[str, Sequence[LoadRun]]] = field(default_factory=list)
    broken: list[LeftOutFile] = field(default_factory=list)
    others: list[LeftOutFile] = field(default_factory=list)


def archived_runs(
    stream: IO[bytes], file: str, options: ImportOptions, vm_readers: Mapping[str, VmReader]
) -> ImportedRuns:
    """Runs of the datastore first, then those of its VMs (`vm_name`). vm_readers: by the suffix of the file of a VM. Within `unpacking`.
    Raises LoadFileError."""
    tests: dict[str, _Folder] = {}
    others = 0
    for member in bundled_files(stream, file):
        name = _test_name(member.path)
        test = tests.setdefault(name, _Folder(name=name))
        others += not _taken(test, member, options, vm_readers)
    _require_one_datastore(list(tests.values()), file)
    runs, left_out = list[LoadRun](), list[LeftOutFile]()
    for test in tests.values():
        runs += _whole(test, left_out)
    runs += [run for test in tests.values() for run in _of_vms(test)]
    left_out += [each for test in tests.values() for each in (*test.broken, *test.others)]
    if not runs:
        why = f" First of them: {left_out[0].file}: {left_out[0].reason}" if left_out else ""
        raise LoadFileError(file, f"no result of HCIBench in it: neither -res.txt nor the file of a VM.{why}")
    if others:
        named = "1 other file" if others == 1 else f"{others} other files"
        left_out.append(LeftOutFile(named, "No results: neither .json nor .txt."))
    return ImportedRuns(tuple(runs), tuple(left_out))


def _test_name(path: PurePosixPath) -> str:
    """The folder of a VM's file; the summary stands beside it and has its name."""
    if path.name.endswith(_SUMMARY):
        return path.name.removesuffix(_SUMMARY)
    return "" if path.parent.name in _ABOVE else path.parent.name


def _taken(test: _Folder, member: BundledFile, options: ImportOptions, vm_readers: Mapping[str, VmReader]) -> bool:
    """Whether it may be a result; what cannot be read is left out then."""
    name = member.path.name
    read_vm = vm_readers.get(member.path.suffix)
    if read_vm is None:
        return False
    text = ""
    try:
        text = read_text(member.stream, name)
        if name.endswith(_SUMMARY):
            summary_runs(text, name)
            test.summaries.append((name, text))
        else:
            runs = read_vm(text, name, options)
            require_few(runs, name, MOST_RUNS)
            test.vms.append((member.path.stem, runs))
    except LoadFileError as error:
        is_of_vm = not text.strip() or any(mark in text for mark in _MARKS)
        (test.broken if is_of_vm else test.others).append(
            LeftOutFile(name, str(error).removeprefix(f"{name}: ").removeprefix(f"{name}, "))
        )
    return True


def _require_one_datastore(tests: Sequence[_Folder], file: str) -> None:
    """Which VM is on which of several is not in the files. Raises LoadFileError."""
    found = sorted({each for test in tests for _, text in test.summaries for each in summary_datastores(text)})
    if len(found) > 1:
        raise LoadFileError(
            file,
            f"a test of {len(found)} datastores ({', '.join(found[:5])}). Pack the VMs' files of each on their own, without -res.txt.",
        )


def _whole(test: _Folder, left_out: list[LeftOutFile]) -> Sequence[LoadRun]:
    """Of the datastore: from the files of its VMs, and only without these from the summary."""
    if not test.vms:
        return [run for name, text in test.summaries for run in summary_runs(text, name)]
    left_out += [LeftOutFile(name, _EXACT) for name, _ in test.summaries]
    return [_named(run, test) for run in sums_of([runs for _, runs in test.vms], len(test.broken))]


def _of_vms(test: _Folder) -> Iterator[LoadRun]:
    for vm_name, runs in test.vms:
        for run in runs:
            yield replace(_named(run, test), vm_name=vm_name)


def _named(run: LoadRun, test: _Folder) -> LoadRun:
    return replace(run, name=f"{run.name}, {test.name}") if test.name else run
