"""Diagnosis: a window of the ledger is read, compared with its baseline, explained and put into sentences."""
