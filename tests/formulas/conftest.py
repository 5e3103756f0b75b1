"""The tests of the formulas share what binds each of them to code."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
