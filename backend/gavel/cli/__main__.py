"""`python -m gavel.cli`: what the supervisor calls, whatever the PATH is."""

import sys

from gavel.cli.commands import main

sys.exit(main())
