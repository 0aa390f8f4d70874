"""An export of an array without names: objects, addresses and serials become numbered ones, alike all over the files; numbers stay."""

import re
from collections.abc import Callable
from typing import IO, Any

import msgspec

from gavel.collectors.anonymous_names import AnonymousNames
from gavel.collectors.arrays.flasharray.export import ExportFile, load_export_file, write_export_file
from gavel.collectors.arrays.flasharray.inventory import VVOL_ID_KEY
from gavel.domain.errors import SettingsError

# What is the same at every site. Whatever other text an array sends may hold a name.
_PLAIN = frozenset({
    "version", "os", "model", "type", "subtype", "status", "services", "interface_type", "personality", "mode", "namespace",
})  # fmt: skip
# What the items of a list, and what a field refers to, are; else a name is of the kind of its field.
_KINDS = {
    "volumes": "volume", "pods": "pod", "volume-groups": "group", "hosts": "host", "arrays": "array", "directories": "directory",
    "controllers": "controller", "ports": "port", "network-interfaces": "port", "volume_group": "group", "preferred_arrays": "array",
    "resource": "volume", "host_group": "hostgroup",
}  # fmt: skip
_HARDWARE = re.compile(r"CT\d+(?:\.(?:FC|ETH)\d+)?|SH\d+(?:\.\w{1,4}\d+)?", re.IGNORECASE)
_HEX = re.compile(r"[0-9A-Fa-f]")
_PORTAL = re.compile(r"(.+):(\d{1,5})")
# A block for tests of networks, which is nobody's.
_NETWORK, _ADDRESSES = "198.18", 256


class ExportAnonymizer:
    """Gives every name the number that captures of the same call have for it."""

    def __init__(self, names: AnonymousNames) -> None:
        self._names = names
        # By field.
        self._made: dict[str, Callable[[str], str]] = {
            "id": lambda text: f"00000000-0000-4000-8000-{names.number('id', text):012d}",
            "serial": names.serial,
            **dict.fromkeys(("wwn", "wwns"), self._wwn),
            **dict.fromkeys(("iqn", "iqns"), lambda text: f"iqn.1998-01.com.example:{names.number('initiator', text)}"),
            **dict.fromkeys(("nqn", "nqns"), lambda text: f"nqn.2014-08.com.example:{names.number('initiator', text)}"),
            **dict.fromkeys(("address", "portal"), self._address),
            "path": lambda text: "/".join(part and names.numbered("path", part) for part in text.split("/")),
            "continuation_token": lambda text: names.numbered("page", text),
        }

    def write(self, stream: IO[bytes], path: str, target: IO[bytes]) -> None:
        """Raises SettingsError for what is no export, or holds an answer that is no JSON."""
        write_export_file(self._anonymous(load_export_file(stream, path), path), target)

    def _anonymous(self, file: ExportFile, path: str) -> ExportFile:
        for answer in file.answers:
            listed = answer.resource.partition("/")[0]
            try:
                body = msgspec.json.decode(answer.body)
            except msgspec.DecodeError as error:
                raise SettingsError(f"{path}: the answer to {answer.resource} is no JSON.") from error
            answer.body = msgspec.Raw(msgspec.json.encode(self._value(body, "", _KINDS.get(listed, listed))))
            if "continuation_token" in answer.params:
                answer.params["continuation_token"] = self._names.numbered(
                    "page", str(answer.params["continuation_token"])
                )
        file.address = f"{self._names.numbered('address', file.address)}.example"
        return file

    def _value(self, value: Any, field: str, kind: str) -> Any:
        """field: whose value it is. kind: of the object that a name in it would be of."""
        if isinstance(value, dict):
            own = kind if field in ("", "items") else _KINDS.get(field, field)
            return {name: self._value(each, name, own) for name, each in value.items()}
        if isinstance(value, list):
            return [self._value(each, field, kind) for each in value]
        return self._text(value, field, kind) if isinstance(value, str) else value

    def _text(self, text: str, field: str, kind: str) -> str:
        if field in _PLAIN or not text or text == VVOL_ID_KEY:
            return text
        if field == "name":
            return self._name(text, kind)
        made = self._made.get(field)
        return self._names.numbered("text", text) if made is None else made(text)

    def _name(self, text: str, kind: str) -> str:
        """What stands before it says in which pod, volume group or file system it is."""
        if kind in ("controller", "port"):
            return text if _HARDWARE.fullmatch(text) else self._names.numbered("port", text.lower())
        pod, pods, rest = text.rpartition("::")
        parent, separator, last = rest.rpartition("/" if "/" in rest else ":")
        before = f"{self._names.numbered('pod', pod)}{pods}" if pods else ""
        if separator:
            before += f"{self._names.numbered('group' if separator == '/' else 'filesystem', parent)}{separator}"
        return before + self._names.numbered(kind, last)

    def _wwn(self, text: str) -> str:
        """Of as many digits, with what stands between them."""
        plain = "".join(_HEX.findall(text)).upper()
        digits = iter(str(self._names.number("wwn", plain)).zfill(len(plain)))
        return _HEX.sub(lambda _: next(digits), text)

    def _address(self, text: str) -> str:
        portal = _PORTAL.fullmatch(text)
        host, port = (portal[1], f":{portal[2]}") if portal else (text, "")
        number = self._names.number("address", host)
        return f"{_NETWORK}.{number // _ADDRESSES % _ADDRESSES}.{number % _ADDRESSES}{port}"
