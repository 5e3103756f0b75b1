"""Models on a second device, beside the same models on the CPU.

As a rule the second device is on the CPU, too: its tensors refuse to mix with others,
which finds what was made on the wrong device, and says nothing of a GPU's sums. `make
test-gpu` runs these tests on a CUDA device (`DEVICE=cuda`).
"""

import copy
import os
from dataclasses import replace
from functools import partial

import pytest
import torch

from bookkit.checking.determinism import second_device
from transformer.config import TransformerConfig

BASE = TransformerConfig(
    vocab_size=31,
    max_len=29,
    num_encoder_layers=2,
    num_decoder_layers=2,
    d_model=24,
    d_ff=37,
    num_heads=6,
    pad_id=0,
)
PRE = {"norm_placement": "pre", "final_norm": True, "scale_embeddings": False}
ROTARY = {**PRE, "norm": "rms", "position": "rotary", "tie_embeddings": False}
LLAMA = {**ROTARY, "num_kv_heads": 2, "gated": True, "activation": "silu"}
STRETCHED = {"rotary_factor": 2.0, "rotary_original_len": 11}
VARIANTS = {
    "2017": {},
    "bert": {"position": "learned", "norm_embeddings": True, "activation": "gelu"},
    "t5": {**PRE, "position": "relative", "norm": "rms", "scale_attention": False},
    "llama": LLAMA,
    "interleaved": {**ROTARY, "rotary_layout": "interleaved", "rotary_fraction": 0.5},
    "linear": {**ROTARY, "rotary_scaling": "linear", "rotary_factor": 2.0},
    "ntk": {**ROTARY, "rotary_scaling": "ntk", "rotary_factor": 2.0},
    "yarn": {**ROTARY, "rotary_scaling": "yarn", **STRETCHED},
    "llama 3.1": {**LLAMA, "rotary_scaling": "llama3", **STRETCHED},
    "shaw": {"position": "relative_keys", "relative_max_distance": 3},
    "alibi": {**PRE, "position": "alibi", "parallel_residual": True},
    "no positions": {"position": "none", "activation": "squared_relu"},
}


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


@pytest.fixture(params=VARIANTS)
def choices(request):
    """What tells a variant from the base model."""
    return VARIANTS[request.param]


@pytest.fixture
def variants():
    """What tells each variant from the base model."""
    return VARIANTS.values()


@pytest.fixture
def configured():
    """Describe a small model."""
    return partial(replace, BASE)


@pytest.fixture
def pair(choices, configured, device):
    """Build a model on the CPU, every parameter random, and a copy on the device."""

    def build(kind, dtype=torch.float64, **more):
        model = kind(configured(**choices, **more)).to(dtype).eval()
        generator = torch.Generator().manual_seed(0)
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.normal_(std=0.3, generator=generator)
        return model, copy.deepcopy(model).to(device)

    return build


@pytest.fixture
def tokens():
    """Three texts of different lengths, padded on the right with the id 0."""
    real = torch.arange(7) < torch.tensor([[7], [3], [5]])
    return torch.randint(1, 31, (3, 7)).masked_fill(~real, 0)
