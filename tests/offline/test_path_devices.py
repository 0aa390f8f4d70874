"""Which device each path of a capture leads to, from the I/Os that both count; where these do not say, none."""

import numpy as np
import pytest

from gavel.domain.imports import Float64Array
from gavel.offline.path_devices import adapter_of, assign_paths

RATES = np.random.default_rng(5)


def load(mean: float) -> Float64Array:
    return RATES.uniform(0.5, 1.5, 120) * mean


def spread(number: int, rates: Float64Array, *targets: str) -> dict[str, Float64Array]:
    """Round robin: each path of these targets carries as much, rounded as esxtop writes it."""
    return {f"{target}:L{number}": np.round(rates / len(targets), 2) for target in targets}


FABRIC = ("vmhba2:C0:T0", "vmhba2:C0:T1", "vmhba3:C0:T0", "vmhba3:C0:T1")


def test_paths_lead_to_the_device_that_counts_their_ios() -> None:
    one, two, three = load(900), load(700), load(900)
    paths = spread(1, one, *FABRIC) | spread(2, two, *FABRIC) | spread(3, three, *FABRIC)
    found = assign_paths(paths, {"naa.b": two, "naa.c": three, "naa.a": one})
    assert found == {f"{target}:L{n}": f"naa.{'abc'[n - 1]}" for target in FABRIC for n in (1, 2, 3)}


def test_paths_of_one_number_with_targets_of_two_arrays_lead_to_two_devices() -> None:
    one, two = load(900), load(700)
    paths = spread(1, one, *FABRIC[::2]) | spread(1, two, *FABRIC[1::2])
    assert assign_paths(paths, {"naa.a": one, "naa.b": two}) == {
        "vmhba2:C0:T0:L1": "naa.a",
        "vmhba3:C0:T0:L1": "naa.a",
        "vmhba2:C0:T1:L1": "naa.b",
        "vmhba3:C0:T1:L1": "naa.b",
    }


def test_path_with_next_to_no_ios_belongs_to_the_others_of_its_number() -> None:
    one = load(900)
    paths = spread(1, one, *FABRIC[:2]) | {"vmhba3:C0:T0:L1": np.full(120, 0.4)}
    assert set(assign_paths(paths, {"naa.a": one + 0.4})) == set(paths)


def test_paths_of_many_targets_are_found_by_their_adapters() -> None:
    one, local = load(900), load(30)
    many = [f"vmhba{hba}:C0:T{target}" for hba in (2, 3) for target in range(8)]
    found = assign_paths(spread(0, one, *many) | spread(0, local, "vmhba0:C0:T0"), {"naa.a": one, "t10.disk": local})
    assert found == {f"{target}:L0": "naa.a" for target in many} | {"vmhba0:C0:T0:L0": "t10.disk"}


def test_paths_of_many_adapters_are_found_all_together_or_but_for_one_adapter() -> None:
    """Every set of 40 adapters is 2⁴⁰ of them: not all are tried."""
    one, two, local = load(900), load(700), load(30)
    many = [f"vmhba{hba}:C0:T0" for hba in range(1, 41)]
    paths = spread(0, one, *many) | spread(0, local, "vmhba0:C0:T0") | spread(1, two, *many)
    found = assign_paths(paths, {"naa.a": one, "naa.b": two, "t10.disk": local})
    assert found == (
        {f"{target}:L0": "naa.a" for target in many}
        | {f"{target}:L1": "naa.b" for target in many}
        | {"vmhba0:C0:T0:L0": "t10.disk"}
    )


def test_many_paths_that_fit_many_devices_alike_lead_to_none_and_hide_no_other() -> None:
    """300 × 300 of them: not each is compared with all others."""
    alike, one = load(900), load(400)
    paths = {f"vmhba2:C0:T0:L{number}": alike for number in range(300)} | {"vmhba2:C0:T0:L300": one}
    devices = {f"naa.{number}": alike for number in range(300)} | {"naa.one": one}
    assert assign_paths(paths, devices) == {"vmhba2:C0:T0:L300": "naa.one"}


def test_path_of_a_device_that_is_called_by_it_needs_no_ios() -> None:
    assert assign_paths({"vmhba32:C0:T0:L0": np.zeros(9)}, {"mpx.vmhba32:C0:T0:L0": np.zeros(9)}) == {
        "vmhba32:C0:T0:L0": "mpx.vmhba32:C0:T0:L0"
    }


@pytest.mark.parametrize("case", ["like_each_other", "of_no_device", "idle", "of_two_devices"])
def test_paths_whose_ios_do_not_say_lead_to_none(case: str) -> None:
    one = load(900)
    paths, devices = {
        "like_each_other": (spread(1, one, *FABRIC) | spread(2, one, *FABRIC), {"naa.a": one, "naa.b": one}),
        "of_no_device": (spread(1, one, *FABRIC), {"naa.a": load(900)}),
        "idle": (spread(1, np.zeros(120), *FABRIC), {"naa.a": np.zeros(120)}),
        "of_two_devices": (spread(1, one, *FABRIC), {"naa.a": one, "naa.b": one}),
    }[case]
    assert assign_paths(paths, devices) == {}


@pytest.mark.parametrize(
    ("path", "adapter"), [("vmhba2:C0:T10:L3", "vmhba2"), ("vmhba64:C2:T0:L255", "vmhba64"), ("iqn.2026:x", None)]
)
def test_adapter_of_a_path_stands_in_its_name(path: str, adapter: str | None) -> None:
    assert adapter_of(path) == adapter
