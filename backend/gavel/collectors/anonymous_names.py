"""Numbers instead of names, the same for one name wherever it stands: in captures of hosts and exports of arrays that go together."""

from collections import Counter

from gavel.domain.naming import volume_serial, with_serial


class AnonymousNames:
    """Numbers are by order of appearance: nothing of a name is in them."""

    def __init__(self) -> None:
        self._names: dict[tuple[str, str], int] = {}
        self._counts: Counter[str] = Counter()

    def number(self, kind: str, name: str) -> int:
        key = kind, name
        if key not in self._names:
            self._counts[kind] += 1
            self._names[key] = self._counts[kind]
        return self._names[key]

    def numbered(self, kind: str, name: str) -> str:
        return f"{kind}-{self.number(kind, name)}"

    def serial(self, serial: str) -> str:
        """Of a volume, as long as it was."""
        return str(self.number("device", serial.upper())).zfill(len(serial))

    def device(self, name: str) -> str | None:
        """The canonical name of a volume's device, with the serial that `serial` gives the volume; None for another vendor's."""
        serial = volume_serial(name)
        return None if serial is None else with_serial(name, self.serial(serial))
