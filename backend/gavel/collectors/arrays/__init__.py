"""Storage arrays, one package per vendor."""
