"""Gavel's own scripts: POSIX shell over /proc/diskstats, PowerShell over performance counters."""
