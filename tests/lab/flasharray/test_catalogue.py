"""What the catalogue says of each version is what the vendor's descriptions say."""

from collections.abc import Callable

import pytest
from tests.lab.flasharray.openapi import DESCRIBED, Description

from gavel_lab.flasharray.catalogue import ENDPOINTS, Endpoint
from gavel_lab.flasharray.versions import offered, parse, show

Describe = Callable[[str], Description]


def endpoints_of(version: str) -> dict[str, Endpoint]:
    number = parse(version)
    assert number is not None
    return {path: endpoint for path, endpoint in ENDPOINTS.items() if endpoint.since <= number}


@pytest.mark.parametrize("version", DESCRIBED)
def test_a_version_has_the_described_endpoints_and_no_other(description: Describe, version: str) -> None:
    assert endpoints_of(version).keys() == description(version).paths()


@pytest.mark.parametrize("version", DESCRIBED)
def test_an_endpoint_takes_the_described_parameters_and_no_other(description: Describe, version: str) -> None:
    number = parse(version)
    assert number
    ours = {path: endpoint.parameters_of(number) for path, endpoint in endpoints_of(version).items()}
    assert ours == {path: description(version).parameters(path) for path in ours}


@pytest.mark.parametrize("version", DESCRIBED)
def test_an_item_has_the_described_fields_and_no_other(description: Describe, version: str) -> None:
    number = parse(version)
    assert number
    ours = {path: set(endpoint.fields_of(number)) for path, endpoint in endpoints_of(version).items()}
    assert ours == {path: description(version).leaves(path) for path in ours}


@pytest.mark.parametrize("version", DESCRIBED)
def test_totals_are_where_the_description_has_them(description: Describe, version: str) -> None:
    ours = {path for path, endpoint in endpoints_of(version).items() if endpoint.has_total}
    assert ours == {path for path in description(version).paths() if description(version).has_total(path)}


def test_versions_compare_as_numbers_and_leave_out_those_never_published() -> None:
    names = [show(version) for version in offered((2, 15))]
    assert names[0] == "1.0"
    assert names[-7:] == ["2.8", "2.9", "2.10", "2.11", "2.13", "2.14", "2.15"]
    with pytest.raises(ValueError, match="not a published"):
        offered((2, 18))
