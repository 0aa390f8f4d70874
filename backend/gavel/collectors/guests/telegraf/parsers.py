"""Which measurement of Telegraf is read by what."""

from collections.abc import Mapping

from gavel.collectors.guest_lines import LineParser
from gavel.collectors.guests.telegraf import diskio, sqlserver, windows

PARSERS: Mapping[str, LineParser] = {
    **dict.fromkeys(diskio.MEASUREMENTS, diskio.diskio),
    **dict.fromkeys(windows.MEASUREMENTS, windows.perf_counters),
    **dict.fromkeys(sqlserver.MEASUREMENTS, sqlserver.database_io),
}
