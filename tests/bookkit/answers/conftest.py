"""The answers of a chapter stand in a module of their own, `cases_<chapter>.py`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
