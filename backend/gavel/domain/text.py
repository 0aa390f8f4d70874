"""Text that comes from outside: names and messages of sources, before they are stored, shown or written to a terminal. Pure."""

import re

# Beyond it a name is no name and a message no message; longer ones are cut.
LONGEST_TEXT = 1024
# Controls (C0, DEL, C1), line and paragraph separators, halves of surrogate pairs, byte order marks, and what turns the direction of the
# text around it.
_UNPRINTABLE = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_BLANKS = re.compile(r"[ \t\r\n\v\f\u2028\u2029]+")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_CUT = "…"


def clean_text(text: str, longest: int = LONGEST_TEXT) -> str:
    """The text on one line, of at most `longest` characters, every character of which a terminal shows and a database stores."""
    if len(text) > longest:
        text = text[: longest - len(_CUT)] + _CUT
    if text.isascii() and text.isprintable():
        return text
    return _UNPRINTABLE.sub(_REPLACEMENT, _BLANKS.sub(" ", text))


def clean_texts(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Each of them clean; the same tuple where all of them are."""
    together = "".join(texts)
    if together.isascii() and together.isprintable() and max(map(len, texts), default=0) <= LONGEST_TEXT:
        return texts
    found = tuple(map(clean_text, texts))
    return texts if found == texts else found


def escape_controls(text: str) -> str:
    """The text with every character that a terminal would act on written out (`\\x1b`); line breaks and tabs stay."""
    if text.isprintable():
        return text
    return _UNPRINTABLE.sub(lambda match: match[0] if match[0] in "\n\t" else _written_out(match[0]), text)


def _written_out(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")
