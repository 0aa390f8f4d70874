"""Text from outside: what is left of it is one line that a terminal shows and a database stores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gavel.domain.text import LONGEST_TEXT, clean_text, escape_controls

UNSHOWN = {*map(chr, range(32)), *map(chr, range(127, 160)), "\u2028", "\u2029", "\u202e", "\u2066"}


@pytest.mark.parametrize("name", ["esx-04.example.org", "Ärzte 東京 😀", "a b", "naa.624a9370"])
def test_clean_text_leaves_ordinary_names_as_they_are(name: str) -> None:
    assert clean_text(name) == name


@given(st.text(alphabet=st.characters(), max_size=200))
def test_clean_text_holds_no_control_whatever_came(text: str) -> None:
    cleaned = clean_text(text)
    assert not UNSHOWN & set(cleaned)
    cleaned.encode()  # also no half of a surrogate pair


def test_clean_text_puts_lines_on_one_line_and_marks_what_it_replaced() -> None:
    assert clean_text("a\r\n2026 [error] forged\tb") == "a 2026 [error] forged b"
    assert clean_text("x\x1b[31my\0") == "x\N{REPLACEMENT CHARACTER}[31my\N{REPLACEMENT CHARACTER}"


def test_clean_text_is_bounded_and_says_that_it_was_cut() -> None:
    cleaned = clean_text("n" * 1_000_000)
    assert len(cleaned) == LONGEST_TEXT
    assert cleaned.endswith("n…")


def test_escape_controls_writes_out_what_a_terminal_would_act_on_and_keeps_lines() -> None:
    assert escape_controls("\x1b]0;owned\x07\n\tline") == "\\x1b]0;owned\\x07\n\tline"
    assert escape_controls("\x9b31m \u202ex") == "\\x9b31m \\u202ex"
    assert escape_controls("no │ harm – 東京") == "no │ harm – 東京"
