"""Print the table: `python tests/benchmarks`."""

import sys

from bench_command import main

sys.exit(main())
