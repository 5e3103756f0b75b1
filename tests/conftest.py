"""What all tests share."""

import jaxtyping
import pytest
import torch


@pytest.fixture(autouse=True)
def _seeded():
    """Every test draws the same numbers, whatever ran before it."""
    torch.manual_seed(0)


@pytest.fixture
def bad_input():
    """Switch the test-time type checks off, to see the package's own errors."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)
