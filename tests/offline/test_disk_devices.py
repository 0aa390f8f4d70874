"""Which devices a VM's disks are on, from the I/Os that both sides count; where these do not say, any of them."""

import numpy as np
import pytest

from gavel.domain.imports import Float64Array
from gavel.offline.disk_devices import assign_disks

RATES = np.random.default_rng(3)


def load(mean: float) -> Float64Array:
    return RATES.uniform(0.5, 1.5, 200) * mean


def named(**assigned: str) -> dict[str, frozenset[str]]:
    return {disk: frozenset(devices.split()) for disk, devices in assigned.items()}


def test_disks_of_a_vm_with_one_device_are_on_it_whatever_they_count() -> None:
    assert assign_disks({"a": load(100), "b": load(5)}, {"d1": load(1)}) == named(a="d1", b="d1")


def test_disks_are_on_the_device_that_counts_their_ios() -> None:
    one, two, three = load(1000), load(700), load(20)
    found = assign_disks({"a": one, "b": two, "c": three}, {"d1": two, "d2": one + three})
    assert found == named(a="d2", b="d1", c="d2")


def test_disk_over_several_extents_is_on_all_of_them() -> None:
    one, two, three = load(1000), load(700), load(900)
    assert assign_disks({"a": one, "b": two + three}, {"d1": one, "d2": two, "d3": three}) == named(a="d1", b="d2 d3")


@pytest.mark.parametrize("case", ["like_each_other", "unlike", "too_many"])
def test_disks_whose_ios_do_not_say_may_be_on_any_device(case: str) -> None:
    one = load(1000)
    disks, devices = {
        "like_each_other": ({"a": one, "b": one}, {"d1": one, "d2": one}),
        "unlike": ({"a": load(1000), "b": load(10)}, {"d1": load(400), "d2": load(900)}),
        "too_many": ({f"a{n}": load(9) for n in range(20)}, {f"d{n}": load(9) for n in range(20)}),
    }[case]
    assert assign_disks(disks, devices) == dict.fromkeys(disks, frozenset(devices))


def test_disk_without_ios_leaves_no_doubt_about_the_others() -> None:
    one, little = load(1000), load(1)
    assert assign_disks({"a": little, "b": one}, {"d1": one, "d2": little})["b"] == {"d1"}


def test_disks_without_any_device_are_on_none() -> None:
    assert assign_disks({"a": load(10)}, {}) == named(a="")
