"""The sheets by which people look at messages: every kind of channel, in the words that it sends."""

from html import unescape

from tests.alerting.message_sheets import sheet
from tests.alerting.messages import NAMES, USUAL, hostile

from gavel.alerting.registry import CHANNELS


def test_a_sheet_has_every_kind_of_channel_with_sentence_cause_and_what_to_do() -> None:
    made = unescape(sheet(USUAL))
    parts = made.split("<section>")[1:]
    assert len(parts) == len(CHANNELS)
    for kind, part in zip(CHANNELS.values(), parts, strict=True):
        assert kind.title in part
        for words in ("0.44 of 0.93 ms", "98 % of the I/O", "Spread the VMs over more datastores"):
            assert words in part


def test_names_in_a_sheet_are_no_markup() -> None:
    for name in NAMES:
        assert "<script>" not in sheet(hostile(name))
