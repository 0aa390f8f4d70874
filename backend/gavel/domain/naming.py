"""What a device's canonical name says about the volume behind it: how vendors write a volume's serial into NAA and EUI names."""

import re
from dataclasses import dataclass
from enum import StrEnum


class NameForm(StrEnum):
    NAA = "naa"
    EUI = "eui"


@dataclass(frozen=True, slots=True)
class NamingScheme:
    """One vendor's way: a name that matches `pattern` holds the serial in its groups."""

    vendor: str
    form: NameForm
    pattern: re.Pattern[str]

    def serial(self, canonical_name: str) -> str | None:
        """Upper-case hex digits; None when the name is not one of this vendor's."""
        match = self.pattern.fullmatch(canonical_name)
        return None if match is None else "".join(match.groups()).upper()

    def with_serial(self, canonical_name: str, serial: str) -> str | None:
        """The name of another volume of this vendor; None as of `serial`."""
        match = self.pattern.fullmatch(canonical_name)
        if match is None:
            return None
        made, at, used = "", 0, 0
        for group, digits in enumerate(match.groups(), 1):
            made += canonical_name[at : match.start(group)] + serial[used : used + len(digits)].lower()
            at, used = match.end(group), used + len(digits)
        return made + canonical_name[at:]


# 24a937 is Pure Storage's OUI. SCSI: `naa.6` + OUI + `0` + serial. NVMe: `eui.00` + serial[0:14] + OUI + serial[14:24].
SCHEMES = (
    NamingScheme("Pure Storage", NameForm.NAA, re.compile(r"naa\.624a9370([0-9a-f]{24})", re.IGNORECASE)),
    NamingScheme("Pure Storage", NameForm.EUI, re.compile(r"eui\.00([0-9a-f]{14})24a937([0-9a-f]{10})", re.IGNORECASE)),
)


def volume_serial(canonical_name: str) -> str | None:
    """Upper-case hex digits, or None when the name is of no array that Gavel can read."""
    return next((serial for scheme in SCHEMES if (serial := scheme.serial(canonical_name)) is not None), None)


def with_serial(canonical_name: str, serial: str) -> str | None:
    """The name that a volume of this serial would have instead; None when the name is of no array that Gavel can read."""
    made = (scheme.with_serial(canonical_name, serial) for scheme in SCHEMES)
    return next((name for name in made if name is not None), None)


def name_form(canonical_name: str) -> NameForm | None:
    prefix = canonical_name.split(".", 1)[0].lower()
    return NameForm(prefix) if prefix in (NameForm.NAA, NameForm.EUI) else None
