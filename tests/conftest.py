"""What all tests share."""

import jaxtyping
import pytest
import torch


@pytest.fixture(autouse=True)
def _seeded():
    """Every test draws the same numbers, whatever ran before it."""
    torch.manual_seed(0)


@pytest.fixture
def refuses():
    """Check that a call is refused, and with which words.

    The test-time type checks are off meanwhile, to see the package's own errors.
    """

    def check(call, error, message):
        jaxtyping.config.update("jaxtyping_disable", True)
        try:
            with pytest.raises(error, match=message):
                call()
        finally:
            jaxtyping.config.update("jaxtyping_disable", False)

    return check
