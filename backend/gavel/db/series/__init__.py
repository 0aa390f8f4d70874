"""Series of samples, the ledger and their roll-ups, on plain PostgreSQL and on TimescaleDB: one list makes both."""
