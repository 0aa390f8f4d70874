"""How a source's secrets are kept: AES-256-GCM under a key file outside the database."""

import hashlib
import hmac
import json
import os
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from gavel.domain.errors import SettingsError

_KEY_BYTES = 32
_NONCE_BYTES = 12


@dataclass(frozen=True, slots=True)
class SealedSecrets:
    """What the database keeps: ciphertext with its nonce in front, and which key opens it."""

    envelope: bytes
    key_id: str


class Vault:
    """Seals and opens secrets with one key. `key_id` is derived from the key, so that a wrong key file is told apart from damage."""

    def __init__(self, key: bytes) -> None:
        if len(key) != _KEY_BYTES:
            raise SettingsError(
                f"The key must have {_KEY_BYTES} bytes, not {len(key)}: the key file is damaged. Put a good copy of it back. If there is"
                " none, move it away; `gavel db migrate --new-key` makes a new one, and secrets have to be entered again."
            )
        self._cipher = AESGCM(key)
        self._key = key
        self.key_id = hashlib.sha256(b"gavel key id" + key).hexdigest()[:16]

    def derived(self, purpose: str) -> bytes:
        """A key of its own for another purpose; nothing is learnt from it about this one."""
        return hmac.new(self._key, f"gavel {purpose}".encode(), hashlib.sha256).digest()

    def seal(self, secrets: Mapping[str, Any], *, owner: str) -> SealedSecrets:
        """Encrypt values that JSON can hold, for one `owner` (`source/7`): the envelope opens for no other row."""
        nonce = os.urandom(_NONCE_BYTES)
        plain = json.dumps(dict(secrets)).encode()
        return SealedSecrets(nonce + self._cipher.encrypt(nonce, plain, owner.encode()), self.key_id)

    def open(self, sealed: SealedSecrets, *, owner: str) -> dict[str, Any]:
        """Raises SettingsError when the envelope belongs to another key or row, or is damaged."""
        if sealed.key_id != self.key_id:
            raise SettingsError(
                f"The secrets of {owner} were encrypted with key {sealed.key_id}, but the key file holds {self.key_id}. "
                "Restore that key file, or enter the secrets again under Sources."
            )
        nonce, ciphertext = sealed.envelope[:_NONCE_BYTES], sealed.envelope[_NONCE_BYTES:]
        try:
            secrets: dict[str, Any] = json.loads(self._cipher.decrypt(nonce, ciphertext, owner.encode()))
        except (InvalidTag, ValueError) as error:
            raise SettingsError(
                f"The secrets of {owner} cannot be decrypted. Enter them again under Sources."
            ) from error
        return secrets


def load_vault(key_file: Path) -> Vault:
    """The vault of this installation; makes the key file (owner-only) at first use. Raises SettingsError with what to do."""
    try:
        key_file.parent.mkdir(parents=True, exist_ok=True)
        if not key_file.exists():
            _make_key(key_file)
        return Vault(key_file.read_bytes())
    except OSError as error:
        raise SettingsError(
            f"{key_file}: the key file cannot be read or made ({error.strerror}). Check GAVEL_KEY_FILE."
        ) from error


def _make_key(key_file: Path) -> None:
    """Put the key there whole: several processes may be first at once, and none may read half of it."""
    handle, fresh = tempfile.mkstemp(dir=key_file.parent, prefix=f"{key_file.name}.")  # 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(os.urandom(_KEY_BYTES))
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):  # another process was first
            os.link(fresh, key_file)
    finally:
        Path(fresh).unlink()
