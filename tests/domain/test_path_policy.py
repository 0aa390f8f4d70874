"""How ESXi chooses among paths."""

import pytest

from gavel.domain.path_policy import PathPolicy


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("VMW_PSP_RR policy=iops,iops=1,bytes=10485760,useANO=0", ("VMW_PSP_RR", "iops", 1)),
        ("VMW_PSP_RR policy=rr,iops=1000,bytes=10485760,useANO=0", ("VMW_PSP_RR", None, None)),
        ("VMW_PSP_RR policy=latency,latencyEvalTime=180000", ("VMW_PSP_RR", "latency", None)),
        ("VMW_PSP_RR policy=iops,iops=many", ("VMW_PSP_RR", "iops", None)),
        ("VMW_PSP_MRU", ("VMW_PSP_MRU", None, None)),
        ("", ("", None, None)),
    ],
)
def test_a_path_policy_tells_its_plug_in_and_when_it_changes_the_path(
    text: str, found: tuple[str, str | None, int | None]
) -> None:
    assert PathPolicy.parse(text) == PathPolicy(text, *found)  # type: ignore[arg-type]
