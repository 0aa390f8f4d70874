"""Who may connect to the embedded PostgreSQL: only the account that runs Gavel, as the kernel reports the peer of its socket.

The server may run under an account that other services share (root hands it over): those may open its socket, so being able to open it must
not be enough.
"""

import os
import pwd
import secrets
from pathlib import Path

from gavel.embedded.account import ProcessAccount

USER = "gavel"
_MAP = "gavel"
_HBA = f"# Written by Gavel at every start.\nlocal all {USER} peer map={_MAP}\n"


def write_access(data_dir: Path, account: ProcessAccount) -> None:
    """For a server that does not run: only the operating-system account of this process is the database's user."""
    ourselves = pwd.getpwuid(os.geteuid()).pw_name
    _replace(data_dir / "pg_hba.conf", _HBA, account)
    _replace(data_dir / "pg_ident.conf", f'# Written by Gavel at every start.\n{_MAP} "{ourselves}" {USER}\n', account)


def _replace(file: Path, text: str, account: ProcessAccount) -> None:
    """The folder belongs to the server's account: nothing that lies there already is followed or opened."""
    fresh = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(handle, "w") as stream:
        if account.switch:
            os.fchown(handle, account.uid, account.gid)
        stream.write(text)
    fresh.replace(file)
