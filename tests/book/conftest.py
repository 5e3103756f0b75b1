"""Let tests of the book's pages share how they follow a link."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
