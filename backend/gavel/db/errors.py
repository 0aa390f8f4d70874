"""What can go wrong with Gavel's own database, said so that a person knows what to do."""

from gavel.domain.errors import GavelError


class StorageError(GavelError):
    """The database refused or could not be reached."""


class UnavailableError(StorageError):
    """The database can do nothing at all for now, whoever asks: one kind of it for each cause."""


class DatabaseUnreachableError(UnavailableError):
    """No connection."""


class LostError(UnavailableError):
    """The connection broke, or the server shut down or crashed."""


class DiskFullError(UnavailableError):
    """The server has no room left to write."""


class ConnectionsInUseError(StorageError):
    """This process uses all its connections, and none became free in time."""


class TooSlowError(StorageError):
    """The server canceled a statement, as a rule at its time limit."""


class LockedError(StorageError):
    """Another transaction holds what a statement needs, and did not give it up in time."""


class SnapshotError(StorageError):
    """Another transaction changed a row that a snapshot has to change or to refer to. The same work succeeds on a newer snapshot."""


class SchemaError(StorageError):
    """The schema is not the one this version works with: not migrated, newer than the program, or of another storage mode."""


class NotFoundError(StorageError):
    """No such thing under this id or name."""


class NameTakenError(StorageError):
    """Another source already has this name."""


class ConflictError(StorageError):
    """What was asked for does not fit the state that the thing is in."""


class SampleRangeError(StorageError):
    """A sample holds a number that no column can hold: a fault of the decoder or nonsense from the source."""


class ValueRefusedError(StorageError):
    """A text, number or time that PostgreSQL cannot hold was to be stored or asked for."""
