"""Ids that look like the real ones and are functions of the seed and a name."""

import hashlib
import uuid
from dataclasses import dataclass


@dataclass(frozen=True)
class Ids:
    """Every id is a hash of the seed and the words that name the thing."""

    seed: int

    def hex(self, digits: int, *words: object) -> str:
        """So many lower-case hex digits."""
        text = "/".join(str(word) for word in (self.seed, *words))
        return hashlib.sha256(text.encode()).hexdigest()[:digits]

    def uuid(self, *words: object) -> str:
        """A version 4 uuid."""
        return str(uuid.UUID(self.hex(32, "uuid", *words), version=4))

    def number(self, below: int, *words: object) -> int:
        """0 <= number < below."""
        return int(self.hex(16, "number", *words), 16) % below

    def fraction(self, *words: object) -> float:
        """0 <= fraction < 1."""
        return int(self.hex(13, "fraction", *words), 16) / 16**13

    def wwn(self, head: str, *words: object) -> str:
        """A 16-digit upper-case WWN that starts with `head`."""
        return (head + self.hex(16 - len(head), "wwn", *words)).upper()

    def vmfs_uuid(self, *words: object) -> str:
        """`xxxxxxxx-xxxxxxxx-xxxx-xxxxxxxxxxxx`."""
        digits = self.hex(32, "vmfs", *words)
        return f"{digits[:8]}-{digits[8:16]}-{digits[16:20]}-{digits[20:]}"

    def disk_uuid(self, *words: object) -> str:
        """Backing uuid of a virtual disk, `6000C29x-…`."""
        digits = self.hex(25, "disk", *words)
        return f"6000C29{digits[0]}-{digits[1:5]}-{digits[5:9]}-{digits[9:13]}-{digits[13:25]}"
