"""What a device's canonical name says about the volume behind it: FlashArray serials in NAA and EUI names."""

import re
from enum import StrEnum


class NameForm(StrEnum):
    NAA = "naa"
    EUI = "eui"


# 24a937 is the vendor's OUI. SCSI: `naa.6` + OUI + `0` + serial. NVMe: `eui.00` + serial[0:14] + OUI + serial[14:24].
_NAA = re.compile(r"naa\.624a9370([0-9a-f]{24})", re.IGNORECASE)
_EUI = re.compile(r"eui\.00([0-9a-f]{14})24a937([0-9a-f]{10})", re.IGNORECASE)


def volume_serial(canonical_name: str) -> str | None:
    """24 upper-case hex digits, or None when the name is not one of a FlashArray volume."""
    match = _NAA.fullmatch(canonical_name) or _EUI.fullmatch(canonical_name)
    return None if match is None else "".join(match.groups()).upper()


def name_form(canonical_name: str) -> NameForm | None:
    prefix = canonical_name.split(".", 1)[0].lower()
    return NameForm(prefix) if prefix in (NameForm.NAA, NameForm.EUI) else None


def canonical_names(serial: str) -> tuple[str, str]:
    """The names under which hosts may see the volume: over SCSI and over NVMe."""
    digits = serial.lower()
    return f"naa.624a9370{digits}", f"eui.00{digits[:14]}24a937{digits[14:]}"
