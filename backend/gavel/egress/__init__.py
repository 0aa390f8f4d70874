"""Everything that leaves this machine goes through here: which addresses may be reached, deadlines, TLS."""
