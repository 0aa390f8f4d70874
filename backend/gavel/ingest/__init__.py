"""From a source to the store: what is due, live reading, backfill, inventories, clocks, and the account of every run."""
