"""Every kind of source Gavel can poll; a new one is a folder and a line here."""

from collections.abc import Mapping

from gavel.collectors.arrays.flasharray.collector import FLASHARRAY
from gavel.collectors.contract import CollectorKind
from gavel.collectors.hosts.vcenter.collector import VCENTER
from gavel.domain.source import SourceKind

COLLECTORS: Mapping[SourceKind, CollectorKind] = {kind.kind: kind for kind in (FLASHARRAY, VCENTER)}
