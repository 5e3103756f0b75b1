"""A second device beside the CPU.

As a rule the second device is on the CPU, too: its tensors refuse to mix with others,
which finds what was made on the wrong device, and says nothing of a GPU's sums. `make
test-gpu` runs these tests on a CUDA device (`DEVICE=cuda`).
"""

import os

import pytest
import torch

from bookkit.checking import second_device


@pytest.fixture
def device():
    """The device that is compared with the CPU."""
    if os.environ.get("DEVICE") == "cuda":
        if not torch.cuda.is_available():
            pytest.exit(
                "DEVICE=cuda needs a CUDA device, and torch sees none; without DEVICE "
                "a second device stands in.",
                returncode=1,
            )
        yield torch.device("cuda")
        return
    with second_device.installed():
        yield second_device.SECOND
