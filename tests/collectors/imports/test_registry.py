"""Every format of files is registered, readable over the API, and refuses what it is not with a reason."""

import io
from pathlib import Path
from typing import get_args

import pytest

from gavel.api.schemas.imports import FormatName
from gavel.collectors.import_registry import FORMATS
from gavel.collectors.imports import esxtop
from gavel.domain.errors import GavelError
from gavel.domain.imports import ImportOptions

FOLDER = Path(esxtop.__file__).parents[1]


def test_file_formats_are_the_folders_of_imports_and_what_the_api_takes() -> None:
    folders = {each.name for each in FOLDER.iterdir() if (each / "__init__.py").exists()}
    assert folders == set(FORMATS) == set(get_args(FormatName))


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "data", [b"", b"\x00" * 500, b"{}", b"PK\x03\x04broken", b"\x1f\x8bbroken", "ж".encode() * 400]
)
def test_file_that_is_none_of_a_format_is_refused_by_its_name(name: str, data: bytes) -> None:
    with pytest.raises(GavelError, match="what-it-is-called"):
        FORMATS[name].read(io.BytesIO(data), "what-it-is-called", ImportOptions())
