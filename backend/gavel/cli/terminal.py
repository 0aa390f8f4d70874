"""What commands print, so that nothing a source sent steers the terminal it is shown on."""

from typing import Any, TextIO

from gavel.domain.text import escape_controls


class EscapedOutput:
    """A text stream that writes out every control but line breaks and tabs. Everything else of it is the stream's own."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(escape_controls(text))
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)
