"""The only home of SQL: schema, series, what is written, and what is asked."""
