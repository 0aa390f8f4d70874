"""The database and the vault of a command."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gavel.cli.running import database
from gavel.config import Settings
from gavel.db.engine import Engine, Role, open_engine, reading
from gavel.db.queries.health import sealed_with
from gavel.domain.errors import SettingsError
from gavel.vault import Vault, load_vault


@contextmanager
def opened(settings: Settings) -> Iterator[Engine]:
    """Of an installation that may be running or not."""
    with database(settings) as url:
        engine = open_engine(url, Role.API)
        try:
            yield engine
        finally:
            engine.dispose()


def open_vault(engine: Engine, key_file: Path) -> Vault:
    """Open the vault; create the key file only where no stored secret needs another one. Raises SettingsError."""
    refuse_new_key(engine, key_file)
    return load_vault(key_file)


def refuse_new_key(engine: Engine, key_file: Path) -> None:
    """Raise SettingsError where a new key would decrypt nothing: the key is lost, or the folder is the wrong one."""
    if key_file.exists():
        return
    with reading(engine) as connection:
        sealed = sealed_with(connection)
    if sealed:
        raise SettingsError(
            f"The key file {key_file} is missing, and the secrets of {sum(sealed.values())} sources and channels are encrypted with"
            f" its key ({', '.join(sorted(sealed))}). Put it back, or set where it is: --data-dir, GAVEL_DATA_DIR or GAVEL_KEY_FILE."
            " If it is lost: `gavel db migrate --new-key` makes a new one; then enter the secrets again under Sources and Channels."
        )
