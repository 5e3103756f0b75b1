"""Run a command: `python -m transformer --help`."""

import sys

try:
    from transformer.commands import main
except KeyboardInterrupt:  # the imports take a moment
    sys.exit(1)

sys.exit(main())
