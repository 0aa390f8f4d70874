module gavel/tests/truth/per_io/engine

go 1.25
