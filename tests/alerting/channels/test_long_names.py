"""Names far longer than any that a vCenter or an array gives: a message about them arrives, and is still a message."""

import email
import email.policy
import re
from dataclasses import replace

import pytest
from tests.alerting.channel_settings import settings_of
from tests.alerting.messages import hostile

from gavel.alerting.registry import CHANNELS
from gavel.alerting.render.message import Message

KINDS = pytest.mark.parametrize("kind", sorted(CHANNELS))


def body(kind: str, message: Message) -> bytes:
    made: bytes = CHANNELS[kind].render(settings_of(kind), message, {}).body
    return made


def text(kind: str, made: bytes) -> str:
    if kind != "email":
        return made.decode()
    part = email.message_from_bytes(made, policy=email.policy.default).get_body(("plain",))
    assert part is not None
    return str(part.get_content())


@KINDS
@pytest.mark.parametrize("name", ["n" * 20_000, "🔥" * 20_000, '"\\' * 10_000, "&<> " * 5_000], ids=range(4))
def test_any_name_stays_within_the_limit_as_a_label_and_in_a_summary(kind: str, name: str) -> None:
    labels = {f"{number}{name}": name for number in range(30)}
    message = replace(hostile(name), labels=labels, objects=(f"{name} › {name}",) * 10, object_count=37)
    assert 0 < len(body(kind, message)) <= CHANNELS[kind].largest


@KINDS
@pytest.mark.parametrize(
    "name", ["n" * 20_000, "long name " * 2_000, "n" * 1_024], ids=["one word", "words", "as stored"]
)
def test_a_sentence_about_a_long_name_keeps_its_layer_and_its_numbers(kind: str, name: str) -> None:
    sentence = f"Kernel queue on {name}: 0.44 of 0.93 ms since 02:10 UTC."
    made = body(kind, replace(hostile(name), rule_name="Kernel latency", sentence=sentence))
    assert len(made) <= CHANNELS[kind].largest
    # Without the signs that make a text inert, and without line breaks.
    shown = re.sub(r"[\\\u200b]|\s", "", text(kind, made))
    assert "Kernelqueueon" in shown
    assert "0.44of0.93ms" in shown


def test_a_sentence_keeps_names_of_ordinary_length_whole() -> None:
    name = "vm-" + "x" * 77
    message = replace(hostile(name), sentence=f"Kernel queue on {name}: 0.44 of 0.93 ms")
    assert f"Kernel queue on {name}: 0.44 of 0.93 ms" in text("webhook", body("webhook", message))
