"""What `make explore` tries beyond `make test`: short runs of every campaign, with seeds and orders that are drawn anew.

    .venv/bin/python scripts/run_checks.py explore [NAME ...]

A failure is repeated with the command that the end of the run prints. Its cause then gets a fixed example in `make test`.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from scheduling import ROOT, Check, cores

PYTEST = (str(ROOT / ".venv/bin/pytest"), "-q", "-p", "no:cacheprovider")
IN_ORDER = (*PYTEST, "-p", "no:randomly", "-s")
CORES = cores()
WORKERS = ("-n", str(max(2, CORES)), "--dist", "loadfile", "--ignore=tests/product")
# Two to three times what the longest one takes. It only says that something hangs.
DEADLINE_S = 1500
# Whole files that are run alone, each in a process of its own.
FILES_ALONE = 24
LARGEST_SEED = 1_000_000
# `make test` always begins at one instant. Here it begins at a drawn second of the next eleven days.
DRAWN_CLOCK = "+{seed}"
BUILD = "front end: build"


@dataclass(frozen=True)
class Part:
    """Checks that run one after another under one name. Each gets the seed as SEED and as `{seed}` in its command."""

    says: str
    checks: tuple[Check, ...]


def _pytest(name: str, *arguments: str, **doses: int | str) -> Check:
    """A campaign in order, as its target of `make` runs it, with smaller doses."""
    return _check(name, (*IN_ORDER, *arguments), ".", **doses)


def _check(name: str, command: tuple[str, ...], folder: str = ".", **variables: int | str) -> Check:
    named = tuple((key, str(value)) for key, value in variables.items())
    after = (BUILD,) if folder == "frontend" else ()
    return Check(f"explore: {name}", command, folder, deadline_s=DEADLINE_S, cores=CORES, after=after, variables=named)


PARTS: Mapping[str, Part] = {
    "truth": Part(
        "20 labs and 20 environments in which every I/O is timed",
        (_pytest("truth", "--labs=20", "--seed={seed}", "tests/truth"),),
    ),
    "hostile": Part(
        "4,000 documents of sources, 4,000 requests to the API, and 100 inputs of each parser",
        (_pytest("hostile", "tests/hostile", DOCUMENTS=4000, REQUESTS=4000, FILES=100),),
    ),
    "chaos": Part(
        "6 kills and faults of a product, and bad sources beside good ones for a minute",
        (_pytest("chaos", "tests/chaos/test_campaign.py", "tests/chaos/test_bad_sources.py", KILLS=6, WATCHED_S=60),),
    ),
    "alerts": Part(
        "kills while alerts are evaluated and sent, for 4 minutes",
        (_pytest("alerts", "tests/chaos/test_alerts.py", MINUTES=4),),
    ),
    "pushes": Part(
        "100 kills of the listener, 5 with its database, and 3 of the whole product while guests push",
        (_pytest("pushes", "tests/chaos/test_guests.py", "tests/chaos/test_whole.py", KILLS=100, BOTH=5, WHOLE=3),),
    ),
    "writes": Part(
        "300 kills of the process that writes samples, 15 with its database",
        (_pytest("writes", "tests/chaos/test_writer.py", KILLS=300, BOTH=15),),
    ),
    "peers": Part(
        "clients and servers of other projects against the lab and the collectors",
        (
            _pytest(
                "peers",
                "tests/peers",
                "tests/collectors/hosts/vcenter/test_vcsim.py",
                "tests/collectors/arrays/flasharray/test_captured_bodies.py",
            ),
        ),
    ),
    "stories": Part(
        "living products: as a newcomer has them, with faults, mistakes, captures, guests and open pages",
        (
            _check("stories", (*IN_ORDER, "-n", "3", "--dist", "loadfile", "tests/stories")),
            _check("pages of a living product", ("npm", "run", "--silent", "e2e:living"), "frontend"),
        ),
    ),
    "hours": Part(
        "the browser tests of the held hour, held at another instant",
        (_check("hours", ("npm", "run", "--silent", "e2e:held"), "frontend", GAVEL_TEST_HOUR="{seed}"),),
    ),
    "orders": Part(
        "tests in a drawn order from a drawn instant on, files in reverse, and files alone",
        (
            _check(
                "a drawn order",
                (*PYTEST, *WORKERS, "-p", "randomly", "--randomly-seed={seed}"),
                GAVEL_TEST_CLOCK=DRAWN_CLOCK,
            ),
            _check(
                "files in reverse",
                (*PYTEST, *WORKERS, "-p", "no:randomly"),
                GAVEL_TEST_ORDER="reverse",
                GAVEL_TEST_CLOCK=DRAWN_CLOCK,
            ),
            _check(
                "front end in a drawn order",
                ("npm", "run", "--silent", "test"),
                "frontend",
                GAVEL_TEST_PROFILE="explore",
            ),
            _check(
                "files alone",
                (str(ROOT / ".venv/bin/python"), "scripts/alone.py", "{seed}", str(FILES_ALONE)),
                GAVEL_TEST_CLOCK=DRAWN_CLOCK,
            ),
        ),
    ),
    "seeds": Part(
        "every property over examples that are drawn anew",
        (
            _check(
                "seeds",
                (*PYTEST, *WORKERS, "-p", "no:randomly", "-m", "hypothesis", "--hypothesis-seed={seed}"),
                GAVEL_TEST_PROFILE="explore",
            ),
        ),
    ),
}

NEED_BROWSER = {
    check.name for part in PARTS.values() for check in part.checks if any("e2e" in word for word in check.command)
}


def drawn_seed() -> int:
    """SEED of the environment, or a new one."""
    return int(os.environ.get("SEED") or 1 + secrets.randbelow(LARGEST_SEED))


def checks(names: Iterable[str], seed: int) -> tuple[Check, ...]:
    """The checks of these parts, of all where none is named."""
    return tuple(_seeded(check, seed) for name in list(names) or PARTS for check in PARTS[name].checks)


def _seeded(check: Check, seed: int) -> Check:
    def filled(text: str) -> str:
        return text.replace("{seed}", str(seed))

    variables = (("SEED", "{seed}"), *check.variables)
    return replace(
        check,
        command=tuple(map(filled, check.command)),
        variables=tuple((name, filled(value)) for name, value in variables),
    )


def repeat(check_name: str, seed: int) -> str:
    """The command that runs the part of a check with the same seed again; empty for a check of no part."""
    parts = (name for name, part in PARTS.items() if any(check.name == check_name for check in part.checks))
    return next((f"make explore WHAT={name} SEED={seed}" for name in parts), "")
