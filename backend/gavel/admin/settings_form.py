"""The form behind a source or a channel: which of its settings are secret, where a secret may be sent, and what may be shown.

What is secret is read off the types of the settings model, never off names: `SecretStr` and its like, also optional, in lists,
and inside nested models. A field that holds a secret anywhere is kept, and withheld, as a whole.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, is_dataclass
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, Secret, SecretBytes, SecretStr

from gavel.domain.errors import SettingsError

_SECRET_TYPES = (SecretStr, SecretBytes, Secret)
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class SplitSettings:
    """public: as the database and the API may show them. secrets: for the vault. Both as JSON, without what is not set."""

    public: dict[str, Any]
    secrets: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StoredSettings:
    """What is stored of a source or channel called `name`.

    secrets_set: the secret fields that have a value. open_secrets: their values; raises SettingsError where the key is lost.
    """

    name: str
    model: type[BaseModel]
    public: Mapping[str, Any]
    secrets_set: frozenset[str]
    open_secrets: Callable[[], Mapping[str, Any]]


def secret_fields(model: type[BaseModel]) -> frozenset[str]:
    """The fields of a settings model whose type holds a secret."""
    return frozenset(name for name, field in model.model_fields.items() if _holds_secret(field.annotation))


def destination_fields(model: type[BaseModel]) -> tuple[str, ...]:
    """The fields that say where a secret is sent, or whom it is shown to. They are declared so at the field (`DESTINATION`)."""
    return tuple(name for name, field in model.model_fields.items() if _is_destination(field.json_schema_extra))


def split_settings(settings: BaseModel) -> SplitSettings:
    """Apart: what anybody may read, and what only the vault keeps."""
    names = set(secret_fields(type(settings)))
    secrets = {name: _revealed(value) for name, value in settings.model_dump(include=names).items()}
    return SplitSettings(
        # In this mode pydantic masks every secret: one that a type hid would be stored as asterisks, not in plain.
        public=settings.model_dump(mode="json", exclude=names, exclude_none=True),
        secrets={name: value for name, value in secrets.items() if not _is_blank(value)},
    )


def public_settings(model: type[BaseModel], stored: Mapping[str, Any]) -> dict[str, Any]:
    """Of stored settings what the API may return. What the model does not know may be a secret of another release."""
    shown = model.model_fields.keys() - secret_fields(model)
    return {name: value for name, value in stored.items() if name in shown}


def merged_settings(stored: StoredSettings, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """New settings completed with the secrets that stay. Raises SettingsError where one would follow to another destination."""
    secrets = secret_fields(stored.model)
    given = {name: value for name, value in wanted.items() if not (name in secrets and _is_blank(value))}
    missing = stored.secrets_set - given.keys()
    if not missing:
        return given
    changed = changed_destinations(stored, given)
    if changed:
        raise SettingsError(
            f"{stored.name}: {', '.join(sorted(missing))} must be entered again, because {', '.join(changed)} changed: "
            "a stored secret is only ever sent to the place it was entered for."
        )
    return given | {name: value for name, value in stored.open_secrets().items() if name in missing}


def changed_destinations(stored: StoredSettings, wanted: Mapping[str, Any]) -> tuple[str, ...]:
    """The destinations that differ from the stored ones; a secret one (a webhook's URL) as soon as it is given anew.

    Whether that is the same as the stored one is not asked: the answer would let a secret be guessed.
    """
    secrets = secret_fields(stored.model)
    return tuple(
        name
        for name in destination_fields(stored.model)
        if (
            not _is_blank(wanted.get(name))
            if name in secrets
            else _effective(stored.model, wanted, name) != _effective(stored.model, stored.public, name)
        )
    )


def clean_name(name: str, noun: str) -> str:
    """The name of a source or channel on one line. Raises SettingsError."""
    cleaned = " ".join(name.split())
    if not 1 <= len(cleaned) <= _LONGEST_NAME:
        raise SettingsError(f"A {noun} needs a name of 1 to {_LONGEST_NAME} characters.")
    return cleaned


def _effective(model: type[BaseModel], settings: Mapping[str, Any], name: str) -> Any:
    """The value of a setting; left out, it is the default."""
    value = settings.get(name)
    field = model.model_fields[name]
    if _is_blank(value) and not field.is_required():
        return field.get_default(call_default_factory=True)
    return value


def _is_blank(value: Any) -> bool:
    """Left empty in a form, which means of a secret that the stored one stays."""
    if isinstance(value, Mapping):
        return all(map(_is_blank, value.values()))
    return value is None or value in ("", [], ())


def _revealed(value: Any) -> Any:
    """The same value with its secrets in plain, as JSON has it."""
    if isinstance(value, _SECRET_TYPES):
        return value.get_secret_value()
    if isinstance(value, Mapping):
        return {name: _revealed(inner) for name, inner in value.items()}
    return [_revealed(inner) for inner in value] if isinstance(value, tuple | list | set | frozenset) else value


def _is_destination(extra: object) -> bool:
    return isinstance(extra, dict) and extra.get("destination") is True


def _holds_secret(annotation: Any) -> bool:
    """Whether a value of this type is, or may hold, a secret."""
    seen: list[Any] = []
    waiting = [annotation]
    while waiting:
        looked_at = waiting.pop()
        if looked_at in seen:  # a model that holds itself
            continue
        seen.append(looked_at)
        bare = get_origin(looked_at) or looked_at
        if isinstance(bare, type) and issubclass(bare, _SECRET_TYPES):
            return True
        waiting += _parts(looked_at)
    return False


def _parts(annotation: Any) -> Iterable[Any]:
    """The types a type is made of: of a union, a list, a model."""
    if get_origin(annotation) is Annotated:
        return get_args(annotation)[:1]  # the rest are constraints
    if get_origin(annotation) is not None:
        return get_args(annotation)
    if not isinstance(annotation, type):
        return ()
    if issubclass(annotation, BaseModel):
        return [field.annotation for field in annotation.model_fields.values()]
    if is_dataclass(annotation):
        return get_type_hints(annotation, include_extras=True).values()
    return ()
