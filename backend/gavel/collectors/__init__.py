"""One package per kind of source, all behind one contract."""
