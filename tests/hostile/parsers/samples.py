"""Every parser of what comes from outside, with a good text of its own: hostile texts begin where a good one is."""

import io
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType

from tests.collectors.guests.test_otlp import body, disk, metric
from tests.collectors.guests.test_script import LINUX, WINDOWS
from tests.collectors.imports.esxtop.twin import incident
from tests.collectors.imports.test_broken_results import GIVEN, GOOD

from gavel.alerting.rules.file import read_rules
from gavel.collectors.arrays.flasharray.export import decode_export
from gavel.collectors.arrays.flasharray.parse import error_message, parse_rows, parse_versions
from gavel.collectors.arrays.flasharray.wire import VolumeItem
from gavel.collectors.guest_registry import read_line_protocol
from gavel.collectors.guests.otlp.parse import parse_json, parse_protobuf
from gavel.collectors.hosts.vcenter.csv import CsvDecoder, NotCsvError, TooMuchError
from gavel.collectors.hosts.vcenter.esxcli import EsxcliError, rows
from gavel.collectors.hosts.vcenter.soap import has_doctype
from gavel.collectors.import_registry import FORMATS
from gavel.domain.errors import GavelError
from gavel.domain.naming import volume_serial
from gavel.domain.path_policy import PathPolicy
from gavel.domain.text import clean_text, escape_controls
from gavel.log import hide_in_text

EXPECTED = (GavelError, EsxcliError, NotCsvError, TooMuchError, ValueError)
_FIO_LOG = "".join(f"{at}, {500000 + at}, {at % 2}, 4096, 0\n" for at in range(0, 4000, 100))
_CSV = (
    '<?xml version="1.0"?><Body><QueryPerfResponse><returnval type="PerfEntityMetricCSV"><entity type="VirtualMachine">vm-1</entity>'
    "<sampleInfoCSV>20,2026-11-20T22:17:00Z,20,2026-11-20T22:17:20Z</sampleInfoCSV>"
    "<value><id><counterId>6</counterId><instance>scsi0:0</instance></id><value>1,2</value></value>"
    "</returnval></QueryPerfResponse></Body>"
)
_ROWS = (
    '<obj xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><DataObject xsi:type="row"><Name>iscsi</Name>'
    "<Description>Default: 128 default value is 64</Description></DataObject></obj>"
)
_ARRAY = '{"continuation_token":null,"items":[{"id":"a","name":"vol1","serial":"0123456789ABCDEF01234567"}]}'
_EXPORT = '{"gavel_array_export":1,"address":"a","rest_version":[2,26],"clock":null,"windows":[],"answers":[]}'
_RULES = """rules:
- key: kernel
  name: Kernel latency
  of: vm
  when:
  - latency: kernel
    at_least: 1 ms
"""


@dataclass(frozen=True, slots=True)
class Parser:
    """A function over bytes, and a good input of it."""

    parse: Callable[[bytes], object]
    good: bytes


def _imported(kind: str, name: str = "its name") -> Callable[[bytes], object]:
    return lambda data: FORMATS[kind].read(io.BytesIO(data), name, GIVEN)


def _clean(text: str) -> object:
    """Both with a character that is not printable: a text without one is not looked through."""
    return clean_text(f"{text}\0"), escape_controls(f"{text}\0")


def _texts(parse: Callable[[str], object]) -> Callable[[bytes], object]:
    return lambda data: parse(data.decode("utf-8", "replace"))


def _csv(data: bytes) -> object:
    decoder = CsvDecoder({6: 0})
    for at in range(0, len(data), 512):
        decoder.feed(data[at : at + 512])
    return decoder.finish()


PARSERS: Mapping[str, Parser] = {
    **{name: Parser(_imported(kind), text.encode()) for name, (kind, text) in GOOD.items()},
    "fio log": Parser(_imported("fio", "run_lat.1.log"), _FIO_LOG.encode()),
    "esxtop": Parser(_imported("esxtop"), b"\n".join(incident().data().split(b"\n")[:4])),
    "lines of scripts": Parser(lambda data: read_line_protocol(data, "ns"), f"{LINUX}\n{WINDOWS}\n".encode()),
    "lines of Telegraf": Parser(
        lambda data: read_line_protocol(data, "ns"),
        b"diskio,host=web01,name=sda reads=10i,writes=20i,read_bytes=5120i,write_bytes=1i,read_time=7i,write_time=9i 17\n",
    ),
    "OTLP JSON": Parser(parse_json, body(metric("system.disk.io", *disk()))),
    "OTLP protobuf": Parser(parse_protobuf, b"\n\x04\n\x02\n\x00"),
    "vCenter CSV": Parser(_csv, _CSV.encode()),
    "esxcli": Parser(_texts(rows), _ROWS.encode()),
    "SOAP": Parser(has_doctype, _CSV.encode()),
    "array rows": Parser(lambda data: parse_rows(data, "volumes", VolumeItem), _ARRAY.encode()),
    "array versions": Parser(lambda data: parse_versions(data, "array"), b'{"version":["1.0","2.26"]}'),
    "array error": Parser(error_message, b'{"errors":[{"message":"a","context":"b"}]}'),
    "array export": Parser(lambda data: decode_export(io.BytesIO(data), "export"), _EXPORT.encode()),
    "rules": Parser(_texts(read_rules), _RULES.encode()),
    "path policy": Parser(_texts(PathPolicy.parse), b"policy=rr,iops=1,bytes=0,useANO=0"),
    "names": Parser(_texts(volume_serial), b"naa.624a93700123456789abcdef01234567"),
    "texts": Parser(_texts(_clean), b"a name\n"),
    "log": Parser(
        _texts(hide_in_text), b"GET https://user:password@host/a?token=abc authorization: bearer 0123456789abc\n"
    ),
}


def modules() -> list[ModuleType]:
    """Modules whose regular expressions are counted."""
    names = ("gavel.collectors.", "gavel.alerting.rules.", "gavel.domain.", "gavel.log")
    return [module for name, module in sorted(sys.modules.items()) if name.startswith(names)]
