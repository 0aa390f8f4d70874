"""Workloads: what a virtual disk's guest asks for, as a closed loop of threads that think, then wait for one I/O."""

from dataclasses import dataclass

KIB = 1024


@dataclass(frozen=True)
class Workload:
    """`threads` I/O loops, each pausing `think_us` between I/Os. `swing` is how far the pauses wander (0: steady)."""

    threads: float
    think_us: float
    read_share: float
    read_bytes: int
    write_bytes: int
    swing: float = 1.0


PROFILES = {
    "idle": Workload(0, 1000, 0.5, 4 * KIB, 4 * KIB),
    "boot": Workload(2, 60_000, 0.4, 16 * KIB, 8 * KIB),
    "log": Workload(1, 5_000, 0.02, 8 * KIB, 8 * KIB),
    "web": Workload(4, 8_000, 0.8, 16 * KIB, 8 * KIB),
    "file": Workload(4, 6_000, 0.65, 64 * KIB, 32 * KIB),
    "mail": Workload(6, 9_000, 0.6, 32 * KIB, 32 * KIB),
    "oltp": Workload(8, 4_000, 0.7, 8 * KIB, 8 * KIB),
    "vdi": Workload(4, 12_000, 0.35, 16 * KIB, 16 * KIB),
    "bare": Workload(8, 4_000, 0.6, 16 * KIB, 16 * KIB),
    # Parts in stories, outside of their story's minutes.
    "article": Workload(8, 2_000, 1.0, 4 * KIB, 4 * KIB),
    "congested": Workload(8, 2_500, 0.75, 16 * KIB, 8 * KIB, swing=0.3),
    "throttled": Workload(2, 4_000, 0.7, 32 * KIB, 32 * KIB, swing=0.3),
    "overload": Workload(4, 3_000, 0.6, 16 * KIB, 16 * KIB, swing=0.3),
    "competing": Workload(60, 100, 1.0, 4 * KIB, 4 * KIB, swing=0.02),
    "intruder": Workload(0, 1000, 0.5, 8 * KIB, 8 * KIB),
    "metro": Workload(8, 8_000, 0.3, 16 * KIB, 32 * KIB, swing=0.3),
    "limited": Workload(4, 6_000, 0.5, 16 * KIB, 16 * KIB, swing=0.3),
    "crowded": Workload(8, 4_000, 0.7, 8 * KIB, 8 * KIB),
    "media": Workload(0, 40_000, 0.95, 512 * KIB, 512 * KIB, swing=0.05),
    "noisy": Workload(1, 20_000, 0.7, 8 * KIB, 8 * KIB),
}
