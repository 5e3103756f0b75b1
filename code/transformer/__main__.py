"""Run a command: `python -m transformer --help`."""

import sys

from transformer.commands import main

sys.exit(main())
