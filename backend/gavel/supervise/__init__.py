"""Runs the processes of an installation: starts them in order, heals what dies, stops them in reverse, leaves nothing behind."""
