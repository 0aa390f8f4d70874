"""Which NFS volumes the disks that no device carries are on, from the I/Os that both count."""

import numpy as np
import pytest

from gavel.domain.imports import Float64Array
from gavel.offline.nfs_volumes import assign_to_volumes

RATES = np.random.default_rng(11)


def load(mean: float) -> Float64Array:
    return RATES.uniform(0.5, 1.5, 200) * mean


def named(**assigned: str) -> dict[str, frozenset[str]]:
    return {disk: frozenset(volumes.split()) for disk, volumes in assigned.items()}


def test_disks_are_on_the_only_volume_of_their_host() -> None:
    one, two = load(100), load(30)
    assert assign_to_volumes({"a": one, "b": two}, {"nfs-1": one + two}) == named(a="nfs-1", b="nfs-1")


def test_disks_are_on_the_volume_whose_ios_vary_with_theirs() -> None:
    rates = {f"d{n}": load(10 * (n + 1)) for n in range(24)}
    even, odd = (sum(list(rates.values())[n::2], np.zeros(200)) for n in (0, 1))
    found = assign_to_volumes(rates, {"nfs-1": np.round(even, 2), "nfs-2": np.round(odd, 2)})
    assert found == {f"d{n}": frozenset([f"nfs-{1 + n % 2}"]) for n in range(24)}


def test_volume_with_ios_of_no_disk_leaves_them_on_any() -> None:
    one, two = load(100), load(30)
    assert assign_to_volumes({"a": one, "b": two}, {"nfs-1": one + load(60), "nfs-2": two}) == named(
        a="nfs-1 nfs-2", b="nfs-1 nfs-2"
    )


@pytest.mark.parametrize("case", ["like_each_other", "too_few_rows"])
def test_disks_whose_ios_do_not_say_may_be_on_any_volume(case: str) -> None:
    one = load(100)
    disks, volumes = {
        "like_each_other": ({"a": one, "b": one}, {"nfs-1": one, "nfs-2": one}),
        "too_few_rows": ({"a": one[:1], "b": load(9)[:1]}, {"nfs-1": one[:1], "nfs-2": load(9)[:1] + 9}),
    }[case]
    assert assign_to_volumes(disks, volumes) == dict.fromkeys(disks, frozenset(volumes))


def test_disks_with_more_ios_than_all_volumes_are_elsewhere() -> None:
    one = load(100)
    assert assign_to_volumes({"a": one}, {"nfs-1": 0.5 * one}) is None
    assert assign_to_volumes({"a": one}, {"nfs-1": one}) == named(a="nfs-1")


def test_disk_without_ios_is_on_no_volume() -> None:
    one = load(100)
    assert assign_to_volumes({"a": one, "idle": np.zeros(200)}, {"nfs-1": one}) == named(a="nfs-1")
