"""HTTP: validates, asks a stage or the database, answers."""
