"""The embedded PostgreSQL: real servers on real data directories, stopped in every rude way."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from tests.supervise.processes import is_alive
from tests.waiting import wait_for

from gavel.embedded import postgres, postmaster
from gavel.embedded.errors import StartError

TEST_SETTINGS = postgres.UNSAFE_SETTINGS
SERVE_UNTIL_KILLED = """
import sys
from pathlib import Path
from gavel.embedded import postgres
with postgres.running(Path(sys.argv[1]), settings=postgres.UNSAFE_SETTINGS):
    print("ready", flush=True)
    sys.stdin.read()
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder below which one database is created once, then used by test after test."""
    return tmp_path_factory.mktemp("embedded")


@pytest.fixture
def data_dir(home: Path) -> Path:
    return home / "postgres"


def answers(cluster: postgres.DataDirectory) -> bool:
    try:
        return query(cluster, "SELECT 1") == [(1,)]
    except psycopg.OperationalError:
        return False


def query(cluster: postgres.DataDirectory, sql: str, database: str = "gavel") -> list[tuple[object, ...]]:
    with psycopg.connect(host=str(cluster.socket_dir), user="gavel", dbname=database, autocommit=True) as connection:
        cursor = connection.execute(sql)
        return cursor.fetchall() if cursor.description else []


@pytest.fixture
def serving_process(data_dir: Path) -> Iterator[subprocess.Popen[str]]:
    owner = subprocess.Popen(
        [sys.executable, "-c", SERVE_UNTIL_KILLED, str(data_dir)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert owner.stdout is not None
    assert owner.stdout.readline() == "ready\n"
    yield owner
    owner.kill()
    owner.communicate()


def test_data_written_before_a_stop_is_there_after_the_next_start(data_dir: Path) -> None:
    with postgres.running(data_dir, settings=TEST_SETTINGS) as cluster:
        query(cluster, "CREATE TABLE IF NOT EXISTS kept AS SELECT 42 AS answer")
    with postgres.running(data_dir, settings=TEST_SETTINGS) as cluster:
        assert query(cluster, "SELECT answer FROM kept") == [(42,)]


def test_the_order_of_names_does_not_depend_on_the_operating_system(data_dir: Path) -> None:
    with postgres.running(data_dir, settings=TEST_SETTINGS) as cluster:
        [locale] = query(
            cluster,
            "SELECT pg_encoding_to_char(encoding), datlocprovider::text, datlocale FROM pg_database WHERE datname='gavel'",
        )
        assert locale == ("UTF8", "b", "C.UTF-8")


def test_nothing_listens_on_the_network_and_only_its_account_may_open_the_folder(data_dir: Path) -> None:
    with postgres.running(data_dir, settings=TEST_SETTINGS) as cluster:
        assert query(cluster, "SHOW listen_addresses") == [("",)]
        assert cluster.socket_dir.stat().st_mode & 0o077 == 0
        [(process_user,)] = query(cluster, "SELECT current_setting('data_directory_mode')")
        assert process_user == "0700"


def test_root_hands_the_server_to_another_account_and_creates_none(data_dir: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root has to hand the server over")
    before = Path("/etc/passwd").read_bytes()
    with postgres.running(data_dir, settings=TEST_SETTINGS) as cluster:
        pid = postmaster.postmaster_pid(data_dir)
        assert pid is not None
        assert Path(f"/proc/{pid}").stat().st_uid == cluster.account.uid != 0
    assert Path("/etc/passwd").read_bytes() == before


def test_only_the_account_that_runs_gavel_is_the_databases_user() -> None:
    """Root hands the server to an account that other services may share; whoever runs as that may open the socket, and no more."""
    if os.geteuid() != 0:
        pytest.skip("only root hands the server to another account")
    with (
        tempfile.TemporaryDirectory(dir="/tmp") as name,
        postgres.running(Path(name, "pg"), settings=TEST_SETTINGS) as cluster,
    ):
        Path(name).chmod(0o755)
        arguments = [str(cluster.programs / "createdb"), "-h", str(cluster.socket_dir), "-U", "gavel", "intruder"]
        stranger = subprocess.run(
            arguments, cwd="/", env=postgres.server_environment(), capture_output=True, text=True, check=False,
            **cluster.account.popen_options(),
        )  # fmt: skip
        assert stranger.returncode != 0
        assert query(cluster, "SELECT count(*) FROM pg_database WHERE datname = 'intruder'") == [(0,)]
        assert 'Peer authentication failed for user "gavel"' in stranger.stderr


def test_a_database_made_when_everybody_was_trusted_trusts_nobody_from_its_next_start_on(data_dir: Path) -> None:
    with postgres.running(data_dir, settings=TEST_SETTINGS):
        pass
    (data_dir / "pg_hba.conf").write_text("local all all trust\n")
    with postgres.running(data_dir, settings=TEST_SETTINGS) as cluster:
        methods = query(cluster, "SELECT type, auth_method FROM pg_hba_file_rules")
        assert methods == [("local", "peer")]


def test_killing_the_parent_leaves_no_server_behind(data_dir: Path, serving_process: subprocess.Popen[str]) -> None:
    pid = postmaster.postmaster_pid(data_dir)
    assert pid is not None
    assert is_alive(pid)
    serving_process.kill()
    wait_for(lambda: not is_alive(pid), "end of the server")


@pytest.mark.usefixtures("serving_process")
def test_a_killed_server_leaves_files_that_the_next_start_clears(data_dir: Path) -> None:
    pid = postmaster.postmaster_pid(data_dir)
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not is_alive(pid), "end of the server")
    assert (data_dir / "postmaster.pid").exists()
    with postgres.running(data_dir, settings=TEST_SETTINGS) as cluster:
        assert query(cluster, "SELECT 1") == [(1,)]


@pytest.mark.usefixtures("serving_process")
def test_children_that_outlive_a_killed_server_are_waited_for_and_named_when_they_stay(data_dir: Path) -> None:
    """On a busy machine they end seconds after it; here one of them is held up."""
    pid = postmaster.postmaster_pid(data_dir)
    assert pid is not None
    socket_dir = postgres.default_socket_dir(data_dir)
    with psycopg.connect(host=str(socket_dir), user="gavel", dbname="gavel") as connection:
        child = connection.info.backend_pid
        os.kill(child, signal.SIGSTOP)
        os.kill(pid, signal.SIGKILL)
        wait_for(lambda: not is_alive(pid), "end of the server")
        with pytest.raises(StartError, match=r"still in use by \d+ process(es)? of a server that was killed"):
            postmaster.wait_for_previous(data_dir, socket_dir, patience_s=0)
        timer = threading.Timer(1, os.kill, (child, signal.SIGCONT))
        timer.start()
        try:
            with postgres.running(data_dir, settings=TEST_SETTINGS) as cluster:
                assert query(cluster, "SELECT 1") == [(1,)]
        finally:
            timer.join()
            connection.close()


def test_a_stale_lock_file_that_names_another_living_process_does_not_stop_the_start(data_dir: Path) -> None:
    with postgres.running(data_dir, settings=TEST_SETTINGS) as cluster:
        content = (data_dir / "postmaster.pid").read_text()
    # A process of the server's own account: the one case PostgreSQL cannot tell from a running server.
    stranger = subprocess.Popen(["sleep", "infinity"], **cluster.account.popen_options())
    try:
        first, rest = content.split("\n", 1)
        assert first.isdigit()
        (data_dir / "postmaster.pid").write_text(f"{stranger.pid}\n{rest}")
        os.chown(data_dir / "postmaster.pid", cluster.account.uid, cluster.account.gid)
        with postgres.running(data_dir, settings=TEST_SETTINGS) as again:
            assert query(again, "SELECT 1") == [(1,)]
    finally:
        stranger.kill()
        stranger.wait()


def test_a_second_server_on_the_same_data_is_refused_and_the_first_is_named(data_dir: Path) -> None:
    with postgres.running(data_dir, settings=TEST_SETTINGS) as cluster:
        pid = postmaster.postmaster_pid(data_dir)
        with pytest.raises(StartError, match=f"already being served by process {pid}"):
            postmaster.wait_for_previous(data_dir, cluster.socket_dir, patience_s=0)


@pytest.mark.parametrize("folder", ["a" * 100, "one, two"], ids=["too long", "a comma"])
def test_a_path_that_no_socket_can_have_gets_a_short_private_folder(
    tmp_path: Path, data_dir: Path, folder: str
) -> None:
    with postgres.running(data_dir, settings=TEST_SETTINGS):
        pass  # made once, so that the copy below is quick
    deep = tmp_path / folder / "postgres"
    deep.parent.mkdir()
    data_dir.rename(deep)
    try:
        with postgres.running(deep, settings=TEST_SETTINGS) as cluster:
            assert cluster.socket_dir != deep
            assert cluster.socket_dir == postgres.default_socket_dir(deep)
            assert cluster.socket_dir.stat().st_mode & 0o077 == 0
            assert query(cluster, "SELECT 1") == [(1,)]
        cluster.socket_dir.rmdir()  # empty: the server took its socket away
    finally:
        deep.rename(data_dir)


def test_a_socket_folder_that_somebody_else_prepared_is_refused(tmp_path: Path, data_dir: Path) -> None:
    with postgres.running(data_dir, settings=TEST_SETTINGS):
        pass
    deep = tmp_path / ("b" * 100) / "postgres"
    deep.parent.mkdir()
    data_dir.rename(deep)
    planted = postgres.default_socket_dir(deep)
    planted.mkdir(mode=0o777)
    planted.chmod(0o777)
    try:
        with pytest.raises(StartError, match="not a private folder"):
            postgres.prepare(deep)
    finally:
        planted.rmdir()
        deep.rename(data_dir)


def test_data_of_another_major_version_is_refused_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "PG_VERSION").write_text("17\n")
    with pytest.raises(StartError, match=r"written by PostgreSQL 17; .* brings PostgreSQL 18.*gavel db export"):
        postgres.prepare(tmp_path)


def test_a_folder_with_other_files_is_not_taken_for_a_database(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("ten years of work")
    with pytest.raises(StartError, match="holds other files"):
        postgres.prepare(tmp_path)
    assert (tmp_path / "thesis.txt").read_text() == "ten years of work"


def test_a_database_below_folders_the_account_may_not_enter_works_and_no_mode_changes(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with postgres.running(closed / "postgres", settings=TEST_SETTINGS) as cluster:
        assert query(cluster, "SELECT 1") == [(1,)]
        backend = query(cluster, "SELECT pg_backend_pid()")
        assert backend
        query(cluster, "CREATE TABLE t AS SELECT g FROM generate_series(1, 10000) g")
        query(cluster, "CHECKPOINT")
    with postgres.running(closed / "postgres", settings=TEST_SETTINGS) as cluster:
        assert query(cluster, "SELECT count(*) FROM t") == [(10000,)]
    assert closed.stat().st_mode & 0o777 == 0o700


def test_a_backend_killed_by_force_is_recovered_by_the_server_itself(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with postgres.running(closed / "postgres", settings=TEST_SETTINGS) as cluster:
        with psycopg.connect(host=str(cluster.socket_dir), user="gavel", dbname="gavel") as victim:
            os.kill(victim.info.backend_pid, signal.SIGKILL)
            with pytest.raises(psycopg.OperationalError):
                victim.execute("SELECT 1")
        # It may still call itself ready before it has noticed.
        wait_for(lambda: answers(cluster), "server that answers again")


def test_an_interrupted_creation_is_started_over(tmp_path: Path) -> None:
    half = tmp_path / "postgres.new"
    half.mkdir()
    (half / "PG_VERSION").write_text("18\n")
    with postgres.running(tmp_path / "postgres", settings=TEST_SETTINGS) as cluster:
        assert query(cluster, "SELECT current_database()") == [("gavel",)]
    assert not half.exists()


def test_each_test_database_starts_empty_and_can_be_dropped_while_in_use(data_dir: Path) -> None:
    with postgres.running(data_dir, settings=TEST_SETTINGS) as cluster:
        url = cluster.create_database("scratch")
        assert url.startswith("postgresql+psycopg://gavel@/scratch?host=/")
        with psycopg.connect(host=str(cluster.socket_dir), user="gavel", dbname="scratch"):
            cluster.drop_database("scratch")
        with pytest.raises(StartError, match="scratch"):
            cluster.create_database("copy", template="scratch")
