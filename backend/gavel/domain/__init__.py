"""The words of Gavel: frozen dataclasses, identifiers, units and errors. Imports the standard library and NumPy's array type only."""
