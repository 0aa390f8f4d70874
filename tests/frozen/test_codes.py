"""The held hour says the same as before: the same diagnoses, causes, findings and alerts, and as many rows."""

from tests.frozen import hour
from tests.frozen.codes import differences


def test_the_held_hour_has_the_codes_that_are_in_the_repository() -> None:
    changed = differences(hour.EXPECTED.read_text().splitlines(), hour.read_codes(hour.hour()))
    assert not changed, (
        f"{changed[0]} and {len(changed) - 1} more lines of the held hour changed. Accept them by: {hour.ACCEPT}\n"
        + "\n".join(changed)
    )


def test_a_changed_group_is_named_by_its_line() -> None:
    assert differences(["rows of gap: 17", "rows of vm: 56"], ["rows of gap: 18", "rows of vm: 56"]) == [
        "-rows of gap: 17",
        "+rows of gap: 18",
    ]
