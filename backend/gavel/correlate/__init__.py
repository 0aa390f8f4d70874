"""Minutes of both sides become rows of the ledger, and what is usual at each hour."""
