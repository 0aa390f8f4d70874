"""Findings: which limits and settings hold I/Os back, from evidence that was read before. Pure: neither the store nor a clock."""
