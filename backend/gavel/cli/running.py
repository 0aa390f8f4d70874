"""What the commands need to know of an installation that may be running or not."""

from collections.abc import Iterator
from contextlib import contextmanager

from gavel.cli.data_dir import no_database
from gavel.config import Settings
from gavel.domain.errors import SettingsError
from gavel.embedded import postgres
from gavel.embedded.room import ENOUGH_BYTES, LEAST_BYTES
from gavel.supervise.checks import ensure_data_dir
from gavel.supervise.lock import InstanceLock, running_pid, write_private
from gavel.supervise.stack import listener_url, own_url

_ADDRESS_FILE, _LISTENER_FILE = "address", "guest-address"


@contextmanager
def published_address(settings: Settings) -> Iterator[None]:
    """For the length of the block other commands know where this Gavel listens, whatever their own settings say."""
    file, listener = (settings.data_dir / name for name in (_ADDRESS_FILE, _LISTENER_FILE))
    write_private(file, own_url(settings))
    listener.unlink(missing_ok=True)
    if settings.ingest_host:
        write_private(listener, listener_url(settings))
    try:
        yield
    finally:
        file.unlink(missing_ok=True)
        listener.unlink(missing_ok=True)


def setup_link(settings: Settings) -> str:
    """Address of the pages; with the one-time setup token in its fragment until somebody has used it."""
    base = settings.public_url or _published(settings, _ADDRESS_FILE) or own_url(settings)
    try:
        token = settings.setup_token_file.read_text().strip()
    except FileNotFoundError:
        token = ""
    return f"{base.rstrip('/')}/#setup={token}" if token else f"{base.rstrip('/')}/"


def running_listener(settings: Settings) -> str | None:
    """Address on this machine at which guests push to the Gavel that runs; None where none does, or without a listener."""
    return _published(settings, _LISTENER_FILE)


def _published(settings: Settings, name: str) -> str | None:
    if running_pid(settings.data_dir) is None:
        return None
    try:
        return (settings.data_dir / name).read_text().strip() or None
    except FileNotFoundError:
        return None


@contextmanager
def database(settings: Settings, *, create: bool = False) -> Iterator[str]:
    """URL of the database, which is served for the length of the block when it is the embedded one and Gavel is down.

    A missing embedded database is created only with `create`: in a wrong folder, an empty one would pass for the data.
    Raises SettingsError.
    """
    if settings.embedded_postgres and not create and not postgres.exists(settings.postgres_dir):
        raise SettingsError(no_database(settings))
    if not settings.embedded_postgres or running_pid(settings.data_dir) is not None:
        yield settings.database_url
        return
    # Reading and exporting work on a disk that is too full to collect.
    ensure_data_dir(settings.data_dir, enough_bytes=ENOUGH_BYTES if create else LEAST_BYTES)
    lock = InstanceLock(settings.data_dir)
    try:
        with postgres.running(settings.postgres_dir, user=settings.pg_user):
            yield settings.database_url
    finally:
        lock.release()
