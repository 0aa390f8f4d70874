"""The log never holds a secret, whatever it is given."""

import io
import json
import logging
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from gavel.log import HIDDEN, configure, hide_in_text, hide_secrets


@dataclass(frozen=True)
class Wanted:
    log_level: str = "info"
    log_format: str = "json"


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> Iterator[io.StringIO]:
    """What a process with our log configuration writes to stderr."""
    root = logging.getLogger()
    before, configuration = (root.handlers[:], root.level), structlog.get_config()
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    configure(Wanted())
    yield stream
    root.handlers[:], level = before
    root.setLevel(level)
    structlog.configure(**configuration)


def test_a_line_says_what_happened_where_and_when(written: io.StringIO) -> None:
    structlog.get_logger("gavel.test").info("run", source="array-1", samples=3)
    line = json.loads(written.getvalue())
    assert (line["event"], line["level"], line["logger"]) == ("run", "info", "gavel.test")
    assert (line["source"], line["samples"]) == ("array-1", 3)
    assert line["timestamp"].endswith("Z")


def test_lines_of_libraries_look_the_same(written: io.StringIO) -> None:
    logging.getLogger("some.library").warning("token=%s refused", "hunter2hunter2")
    line = json.loads(written.getvalue())
    assert line["logger"] == "some.library"
    assert "hunter2" not in written.getvalue()


def test_a_secret_inside_an_exception_is_hidden_too(written: io.StringIO) -> None:
    try:
        int("connect to postgresql://gavel:hunter2@db/gavel failed")
    except ValueError:
        structlog.get_logger("gavel.test").exception("no database")
    assert "postgresql://gavel:•••@db/gavel" in written.getvalue()
    assert "hunter2" not in written.getvalue()


SECRET_NAMES = ["token", "api_token", "apiToken", "password", "PASSWORD", "client_secret", "Authorization", "x-auth-token",
                "api_key", "apikey", "cookie", "credentials"]  # fmt: skip


@given(
    name=st.sampled_from(SECRET_NAMES),
    secret=st.text(alphabet="abcdefghijklmnop", min_size=8, max_size=30),
    depth=st.integers(0, 3),
)
def test_a_value_named_like_a_secret_is_hidden_at_any_depth(name: str, secret: str, depth: int) -> None:
    value: object = {name: secret}
    for _ in range(depth):
        value = {"settings": [value]}
    event = hide_secrets(None, "info", {"event": "x", "given": value})
    assert secret not in json.dumps(event)
    assert HIDDEN in json.dumps(event, ensure_ascii=False)


@pytest.mark.parametrize(
    "text",
    [
        "GET / Authorization: Bearer hunter2hunter2",
        "Basic hunter2hunter2==",
        "redis://:hunter2hunter2@mq/0",
        '{"password": "hunter2hunter2", "user": "a"}',
        "api-token=hunter2hunter2&x=1",
        "http://127.0.0.1:8321/#setup=gvl_hunter2hunter2",
    ],
)
def test_a_secret_inside_a_text_is_hidden(text: str) -> None:
    assert "hunter2" not in hide_in_text(text)


@pytest.mark.parametrize("text", ["12 samples of array-1", "https://array-1/api/2.52/volumes", "tokens: none yet"])
def test_plain_texts_stay_as_they_are(text: str) -> None:
    assert hide_in_text(text) == text
