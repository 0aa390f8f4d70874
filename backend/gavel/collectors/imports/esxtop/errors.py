"""Why a capture, or a row of it, is refused; and what is remarkable about one that is used."""

from dataclasses import dataclass

from gavel.domain.errors import GavelError
from gavel.domain.text import clean_text

CAPTURE_COMMAND = "esxtop -b -a -d 5 -n 61 > capture.csv"


class EsxtopFileError(GavelError):
    """The file cannot be used. The text names file, line, cause and remedy; it may quote the file, on one line of bounded length."""

    def __init__(self, file: str, reason: str, *, line: int | None = None) -> None:
        where = f", line {line}" if line is not None else ""
        super().__init__(clean_text(f"{file}{where}: {reason}"))


class EsxtopRowError(Exception):
    """A row cannot be used. `column`: the name of the cell it was seen in, where it is one cell."""

    def __init__(self, reason: str, column: str | None = None) -> None:
        super().__init__(clean_text(reason, 300))
        self.column = clean_text(column, 300) if column is not None else None


@dataclass(frozen=True, slots=True)
class RefusedRow:
    """A row that is not used, and why. `column`: where one cell is the reason."""

    line: int
    reason: str
    column: str | None = None


@dataclass(frozen=True, slots=True)
class FileWarning:
    """What limits the use of a capture, and what to do about it. `code` is for programs, and stable."""

    code: str
    text: str
    line: int | None = None
    column: str | None = None
