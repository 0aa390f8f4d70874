"""Shifts a run of tests before any other module of it is read: folders' fixtures take the instant that they begin at."""

from tests.shifted import shift_this_process

shift_this_process()
