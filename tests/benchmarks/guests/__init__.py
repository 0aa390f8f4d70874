"""Guests that push to a listener under measurement."""
