"""Files of other people's code are read as the tests of GGUF read them."""

import runpy
from pathlib import Path

import pytest

_SHARED = runpy.run_path(str(Path(__file__).parents[2] / "zoo/gguf/conftest.py"))
real_file = _SHARED["real_file"]


@pytest.fixture(scope="session")
def their_name():
    """Say how a GGUF file calls a tensor of Hugging Face."""
    return _SHARED["their_name"]
