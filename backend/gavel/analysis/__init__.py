"""The maths: from samples on one minute to the ledger and what a window of it means. NumPy only, no I/O."""
