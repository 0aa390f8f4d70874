"""What a source sent is shown by commands as it can be read, and never steers the terminal."""

import sys

import pytest

from gavel.cli import commands
from gavel.cli.commands import Entry
from gavel.domain.errors import SettingsError

HOSTILE = "\x1b[31mred\x9b2J\u202e"


def add_arguments(_parser: object) -> None: ...


def run(_arguments: object, _settings: object) -> int:
    print(f"array-1  failing  {HOSTILE}\n\tsecond line")  # noqa: T201 - a command's output is what is looked at
    raise SettingsError(HOSTILE)


def test_output_and_errors_of_commands_write_controls_out(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(commands.COMMANDS, "status", Entry(__name__, ""))
    monkeypatch.setitem(sys.modules, __name__, sys.modules[__name__])
    assert commands.main(["status"]) == 1
    said = capsys.readouterr()
    assert said.out == "array-1  failing  \\x1b[31mred\\x9b2J\\u202e\n\tsecond line\n"
    assert said.err == "gavel status: \\x1b[31mred\\x9b2J\\u202e\n"
