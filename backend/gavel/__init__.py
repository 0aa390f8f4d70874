"""Gavel: storage-array and host latency on one clock, with a diagnosis on where each millisecond goes."""

__version__ = "0.1.0"
