"""Labels: custom attributes and tags of objects, and which of them means an owner and an application."""

import argparse
from collections.abc import Callable

from gavel.cli.opened import opened
from gavel.config import Settings
from gavel.db.engine import Engine, reading, transaction
from gavel.db.queries.labels import label_names
from gavel.db.queries.owners import label_meanings
from gavel.db.write.labels import set_label_meaning
from gavel.domain.errors import SettingsError
from gavel.domain.labels import LONGEST_NAME, Meaning
from gavel.domain.text import clean_text


def add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="names of labels, with how many objects have them")
    choose = actions.add_parser("set", help="choose which label means an owner or an application")
    choose.add_argument("meaning", choices=[meaning.value for meaning in Meaning])
    choose.add_argument("name", help="of a custom attribute or a tag category, without regard to case")


def run(arguments: argparse.Namespace, settings: Settings) -> int:
    action: Callable[[argparse.Namespace, Engine], int] = _ACTIONS[arguments.action]
    with opened(settings) as engine:
        return action(arguments, engine)


def _list(_: argparse.Namespace, engine: Engine) -> int:
    with reading(engine) as connection:
        names, meanings = label_names(connection), label_meanings(connection)
    for meaning, name in meanings.items():
        print(f"{meaning.value}: {name}")
    if not names:
        print("No object has a label.")
    for label in names:
        kinds = " and ".join(kind.value for kind in label.kinds)
        print(f"{label.objects:>7}  {label.name}  ({kinds}, {label.values} values)")
    return 0


def _set(arguments: argparse.Namespace, engine: Engine) -> int:
    name = clean_text(arguments.name).strip()
    if not 0 < len(name) <= LONGEST_NAME:
        raise SettingsError(f"A name of a label has 1 to {LONGEST_NAME} characters.")
    with transaction(engine) as connection:
        set_label_meaning(connection, Meaning(arguments.meaning), name)
    print(f"{arguments.meaning}: {name}")
    return 0


_ACTIONS = {"list": _list, "set": _set}
