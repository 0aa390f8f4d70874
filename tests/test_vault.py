"""Secrets at rest: only the right key and the right row open an envelope."""

import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.domain.errors import SettingsError
from gavel.vault import SealedSecrets, Vault, load_vault

KEY = bytes(range(32))


@given(st.dictionaries(st.text(), st.text()))
def test_what_was_sealed_opens_again(secrets: dict[str, str]) -> None:
    vault = Vault(KEY)
    assert vault.open(vault.seal(secrets, owner="source/1"), owner="source/1") == secrets


def test_an_envelope_moved_to_another_row_does_not_open() -> None:
    vault = Vault(KEY)
    sealed = vault.seal({"api_token": "s3cret"}, owner="source/1")
    with pytest.raises(SettingsError, match="source/2"):
        vault.open(sealed, owner="source/2")


def test_another_key_is_named_and_not_tried() -> None:
    sealed = Vault(KEY).seal({"api_token": "s3cret"}, owner="source/1")
    with pytest.raises(SettingsError, match="Restore that key file"):
        Vault(bytes(32)).open(sealed, owner="source/1")


@given(st.integers(0, 40))
def test_one_flipped_bit_is_noticed(position: int) -> None:
    vault = Vault(KEY)
    sealed = vault.seal({"password": "hunter22"}, owner="source/1")
    damaged = bytearray(sealed.envelope)
    damaged[position] ^= 1
    with pytest.raises(SettingsError):
        vault.open(SealedSecrets(bytes(damaged), sealed.key_id), owner="source/1")


def test_equal_secrets_never_look_equal() -> None:
    vault = Vault(KEY)
    assert vault.seal({"a": "b"}, owner="x").envelope != vault.seal({"a": "b"}, owner="x").envelope


def test_the_key_file_is_made_once_and_for_the_owner_only(tmp_path: Path) -> None:
    key_file = tmp_path / "keys" / "secret.key"
    first = load_vault(key_file)
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert load_vault(key_file).key_id == first.key_id


def test_a_damaged_key_file_is_refused_with_its_length(tmp_path: Path) -> None:
    key_file = tmp_path / "secret.key"
    key_file.write_bytes(b"short")
    with pytest.raises(SettingsError, match="32 bytes"):
        load_vault(key_file)
