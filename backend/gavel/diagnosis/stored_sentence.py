"""A diagnosis in words as it stays with an alert."""

from dataclasses import dataclass

from gavel.diagnosis.sentences import Sentence, in_one_line


@dataclass(frozen=True, slots=True)
class StoredSentence:
    """A sentence as it stays with an alert, and what to do first about its cause: one part per line, so that it comes apart again whatever
    names are in it. "": there is none. What was stored without lines is all claim."""

    claim: str
    evidence: str = ""
    limits: str = ""
    action: str = ""

    @classmethod
    def of(cls, sentence: Sentence, action: str = "") -> "StoredSentence":
        parts = (sentence.claim, sentence.evidence, sentence.limits, action)
        return cls(*(" ".join(part.split("\n")) for part in parts))

    @classmethod
    def parse(cls, stored: str) -> "StoredSentence":
        return cls(*stored.split("\n", 3))

    @property
    def stored(self) -> str:
        return "\n".join((self.claim, self.evidence, self.limits, self.action))

    @property
    def text(self) -> str:
        """All of it in one line."""
        return in_one_line(self.claim, self.evidence, self.limits)
