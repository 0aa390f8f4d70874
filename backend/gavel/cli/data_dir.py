"""Choose the data directory: --data-dir, else GAVEL_DATA_DIR, else the folder of the last `gavel up`, else .data.

The folder of the last `gavel up` is noted per user and installation, in the user's state folder.
"""

import argparse
import hashlib
import os
import sys
from pathlib import Path
from typing import Any

from gavel.config import Settings
from gavel.domain.errors import SettingsError

_HELP = "folder with database, key and logs (GAVEL_DATA_DIR; default: that of the last `gavel up`, else .data)"
_REMEDY = "Set another data directory with --data-dir DIR or GAVEL_DATA_DIR"


class DataDirParser(argparse.ArgumentParser):
    """A parser with --data-dir, at every level: argparse creates the parsers of actions from the same class."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # The parser of an action would reset a value that stands before the action.
        self.add_argument("--data-dir", type=_folder, metavar="DIR", default=argparse.SUPPRESS, help=_HELP)


def _folder(text: str) -> Path:
    """Raises argparse.ArgumentTypeError for an empty text, which would be the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("the name of a folder is needed")
    return Path(text)


def chosen(arguments: argparse.Namespace) -> dict[str, Path]:
    """Return `data_dir` for the settings; empty where the environment or the default decides."""
    if arguments.data_dir is not None:
        return {"data_dir": arguments.data_dir}
    last = None if _in_environment() else remembered()
    return {} if last is None else {"data_dir": last}


def require_remembered(arguments: argparse.Namespace, settings: Settings) -> None:
    """Raise SettingsError where the folder of the last start is gone and no other is given.

    The disk may not be mounted, which leaves no folder or an empty one. A new database in its place would hide the data.
    """
    folder = settings.data_dir
    is_given = arguments.data_dir is not None or _in_environment()
    # Whoever removes .data of the current folder starts anew there, noted or not.
    if not is_given and folder != _default() and folder == remembered() and _is_gone(folder):
        raise SettingsError(_gone(folder))


def no_database(settings: Settings) -> str:
    """Return the sentences for a data directory without a database."""
    folder = settings.data_dir
    is_last = folder == remembered()
    if is_last and folder != _default() and _is_gone(folder):
        return _gone(folder)
    which = ", the folder of the last `gavel up`" if is_last else ""
    return (
        f"No database in {folder}{which}. {_REMEDY}, a PostgreSQL of your own with GAVEL_DATABASE_URL. "
        "`gavel up` creates a new database."
    )


def _gone(folder: Path) -> str:
    state = "empty" if folder.exists() else "missing"
    return f"{folder}, the folder of the last `gavel up`, is {state}. Mount its disk if it has its own. {_REMEDY}."


def _is_gone(folder: Path) -> bool:
    try:
        return not any(folder.iterdir())
    except FileNotFoundError:
        return True
    except OSError:  # a file, or a folder of another user: opening it names the cause
        return False


def _default() -> Path:
    return Path(".data").resolve()


def _in_environment() -> bool:
    # Empty counts as unset, and letters of both cases count, as for every setting.
    return any(value for name, value in os.environ.items() if name.upper() == "GAVEL_DATA_DIR")


def remember(folder: Path) -> None:
    """Note the folder for later commands of this user and installation. Raises OSError."""
    note = _note()
    note.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = note.with_name(f"{note.name}.{os.getpid()}")
    try:
        fresh.write_bytes(os.fsencode(folder))
        fresh.replace(note)
    finally:
        fresh.unlink(missing_ok=True)


def remembered() -> Path | None:
    """Return the folder of the last `gavel up`; None where none is noted or the note cannot be read."""
    try:
        noted = Path(os.fsdecode(_note().read_bytes()))
    except OSError:
        return None
    return noted if noted.is_absolute() else None


def _note() -> Path:
    """Raises OSError without a home folder."""
    state = Path(os.environ.get("XDG_STATE_HOME") or "")
    if not state.is_absolute():
        try:
            state = Path.home() / ".local" / "state"
        except RuntimeError as error:
            raise FileNotFoundError("the home folder is unknown") from error
    # Two checkouts of one user keep their data apart.
    installation = hashlib.sha256(os.fsencode(sys.prefix)).hexdigest()[:12]
    return state / "gavel" / f"data-dir-{installation}"
