"""What trying a FlashArray finds out: which array it is, also where something further on fails."""

from collections.abc import Mapping

import msgspec

from gavel.collectors.arrays.flasharray.preflight import preflight
from gavel.domain.errors import AuthenticationError, PermissionMissingError
from gavel.domain.source import CheckState


class Scripted:
    """A client up to the list of volumes, which its user may not read."""

    address, version = "array-1", (2, 26)

    def __init__(self, *, token_is_good: bool) -> None:
        self._token_is_good = token_is_good

    def login(self) -> None:
        if not self._token_is_good:
            raise AuthenticationError("array-1 refused the token.")

    def items(self, path: str, _: Mapping[str, object] | None = None) -> list[msgspec.Raw]:
        if path != "arrays":
            raise PermissionMissingError(f"array-1: {path} may not be read.")
        return [msgspec.Raw(b'{"id": "0f0f-11", "name": "array-1", "version": "6.6.1", "os": "Purity//FA"}')]


def test_which_array_it_is_is_known_as_soon_as_it_was_asked() -> None:
    found = preflight(Scripted(token_is_good=True))  # type: ignore[arg-type]
    assert [check.state for check in found.checks][2:4] == [CheckState.OK, CheckState.FAILED]
    assert found.identity == "0f0f-11"


def test_which_array_it_is_is_not_known_before() -> None:
    found = preflight(Scripted(token_is_good=False))  # type: ignore[arg-type]
    assert not found.passed
    assert found.identity is None
