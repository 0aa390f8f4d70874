"""Sets the clock of a run of tests before any other module is imported: fixtures of folders take the instant they begin at."""

import signal

from tests.shifted import shift_this_process

# A shell starts what runs in the background with Ctrl-C ignored, and every child inherits that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

shift_this_process()
