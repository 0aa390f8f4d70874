"""Entry point of `python -m gavel_lab`."""

import sys

from gavel_lab.cli import main

sys.exit(main())
