"""Reads the text of a load tool's result as its importer does, for the tests of every tool."""

import io
from collections.abc import Mapping

import pytest

from gavel.collectors.import_registry import FORMATS
from gavel.collectors.load_file import LoadFileError
from gavel.domain.imports import ImportOptions
from gavel.domain.load_runs import ImportedRuns, LoadFigures, LoadRun

NOTHING_GIVEN = ImportOptions()


def runs_of(tool: str, text: str | bytes, options: ImportOptions = NOTHING_GIVEN) -> list[LoadRun]:
    data = text if isinstance(text, bytes) else text.encode()
    held = FORMATS[tool].read(io.BytesIO(data), "result", options)
    assert isinstance(held, ImportedRuns)
    return list(held.runs)


def only_run(tool: str, text: str | bytes, options: ImportOptions = NOTHING_GIVEN) -> LoadRun:
    (run,) = runs_of(tool, text, options)
    return run


def refusal(tool: str, text: str | bytes, options: ImportOptions = NOTHING_GIVEN) -> str:
    with pytest.raises(LoadFileError) as raised:
        runs_of(tool, text, options)
    message = str(raised.value)
    assert message.startswith("result")
    assert "\n" not in message
    return message


def by_direction(run: LoadRun) -> Mapping[str, LoadFigures]:
    assert run.figures[-1].direction == "all"
    return {each.direction: each for each in run.figures}


def codes(run: LoadRun) -> set[str]:
    return {each.code for each in run.warnings}
