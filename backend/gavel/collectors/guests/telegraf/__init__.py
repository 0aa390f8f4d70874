"""Telegraf, unchanged: `diskio` on Linux, `win_perf_counters` on Windows, `sqlserver`."""
