"""What `protocol` and `protocol_group` leave of the I/O of arrays, pods and directories: block, file, both or nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from gavel_lab.flasharray.groups import Group, Read, reader
from gavel_lab.flasharray.query import Query
from gavel_lab.flasharray.view import ArrayView
from gavel_lab.model import ArrayBy
from gavel_lab.reading import SEGMENTS, Floats, Reading


def narrowed(view: ArrayView, path: str, groups: list[Group], query: Query) -> list[Group]:
    """The groups with the I/O of the asked protocols only. NFS is the one file protocol the lab's arrays serve."""
    if (query.protocol, query.protocol_group) == ("all", "all"):
        return groups
    has_block = query.protocol == "all" and query.protocol_group in ("all", "block")
    has_file = query.protocol in ("all", "nfs") and query.protocol_group in ("all", "file")
    narrow = _OF_ENDPOINT[path]
    return [replace(group, read=narrow(view, group.read, has_block, has_file)) for group in groups]


def _of_array(view: ArrayView, read: Read, has_block: bool, has_file: bool) -> Read:
    if has_block and has_file:
        return read
    if has_file:
        return lambda _rows, windows: _files(view, windows)
    return (lambda rows, windows: _without(read(rows, windows), _files(view, windows))) if has_block else _nothing


def _of_pod(_view: ArrayView, read: Read, has_block: bool, _has_file: bool) -> Read:
    return read if has_block else _nothing


def _of_directory(_view: ArrayView, read: Read, _has_block: bool, has_file: bool) -> Read:
    return read if has_file else _nothing


_OF_ENDPOINT: Mapping[str, Callable[[ArrayView, Read, bool, bool], Read]] = {
    "arrays/performance": _of_array,
    "pods/performance": _of_pod,
    "pods/performance/by-array": _of_pod,
    "directories/performance": _of_directory,
}


def _files(view: ArrayView, windows: Floats) -> Reading:
    """All directories of the array as one row."""
    directories = [directory.index for directory in view.directories]
    reading = reader(view, ArrayBy.DIRECTORY)(directories, windows)
    return Reading(
        seconds=reading.seconds,
        ops=reading.ops.sum(axis=0, keepdims=True),
        bytes=reading.bytes.sum(axis=0, keepdims=True),
        io_time_us=reading.io_time_us.sum(axis=0, keepdims=True),
    )


def _without(whole: Reading, part: Reading) -> Reading:
    """What is left of the whole; differences of equal sums are zero, not a hair below."""
    return Reading(
        seconds=whole.seconds,
        ops=np.maximum(whole.ops - part.ops, 0),
        bytes=np.maximum(whole.bytes - part.bytes, 0),
        io_time_us=np.maximum(whole.io_time_us - part.io_time_us, 0),
    )


def _nothing(rows: Sequence[int], windows: Floats) -> Reading:
    shape = (len(rows), len(windows), 3)
    return Reading(
        seconds=windows[:, 1] - windows[:, 0],
        ops=np.zeros(shape),
        bytes=np.zeros(shape),
        io_time_us=np.zeros((*shape, len(SEGMENTS))),
    )
