"""What can go wrong with Gavel's own database, said so that a person knows what to do."""

from gavel.domain.errors import GavelError


class StorageError(GavelError):
    """The database refused or could not be reached."""


class SchemaError(StorageError):
    """The schema is not the one this version works with: not migrated, newer than the program, or of another storage mode."""


class NotFoundError(StorageError):
    """No such thing under this id or name."""


class NameTakenError(StorageError):
    """Another source already has this name."""


class SampleRangeError(StorageError):
    """A sample holds a number that no column can hold: a fault of the decoder or nonsense from the source."""
