"""Hosts and their managers, one package per kind."""
