"""What is written: samples, the ledger, inventories, states of alerts."""
