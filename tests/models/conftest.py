"""Every variant of the model, small: the laws must hold for each."""

from dataclasses import replace
from functools import cache, wraps
from inspect import Parameter, Signature, isfunction, signature

import pytest
import torch

from bookkit.checking.facts import facts
from transformer.config import TransformerConfig
from transformer.models import (
    DecoderOnlyTransformer,
    EncoderOnlyTransformer,
    Transformer,
)

BASE = TransformerConfig(
    vocab_size=13,
    max_len=24,
    num_encoder_layers=2,
    num_decoder_layers=2,
    d_model=24,
    d_ff=17,
    num_heads=6,
)
PRE = {"norm_placement": "pre", "final_norm": True, "scale_embeddings": False}
ROTARY = {**PRE, "norm": "rms", "position": "rotary", "tie_embeddings": False}
VARIANTS = {
    "2017": {},
    "bert": {
        "position": "learned",
        "norm_embeddings": True,
        "activation": "gelu",
        "attention_bias": True,
        "scale_embeddings": False,
        "logits_bias": True,
        "norm_eps": 1e-12,
    },
    "gpt2": {
        **PRE,
        "position": "learned",
        "activation": "gelu_tanh",
        "attention_bias": True,
    },
    "t5": {
        **PRE,
        "position": "relative",
        "relative_buckets": 8,
        "relative_max_distance": 16,
        "norm": "rms",
        "d_head": 5,
        "bias": False,
        "scale_attention": False,
        "scale_tied_logits": True,
    },
    "t5 1.1": {
        **PRE,
        "position": "relative",
        "norm": "rms",
        "gated": True,
        "activation": "gelu_tanh",
        "bias": False,
        "scale_attention": False,
        "tie_embeddings": False,
    },
    "llama": {
        **ROTARY,
        "num_kv_heads": 2,
        "gated": True,
        "activation": "silu",
        "bias": False,
    },
    "multi-query": {**ROTARY, "num_kv_heads": 1},
    "gpt-neox": {
        **PRE,
        "position": "rotary",
        "rotary_fraction": 0.5,
        "parallel_residual": True,
        "attention_bias": True,
        "tie_embeddings": False,
    },
    "interleaved": {**ROTARY, "rotary_layout": "interleaved"},
    "interpolated": {**ROTARY, "rotary_scaling": "linear", "rotary_factor": 2.0},
    "yarn": {
        **ROTARY,
        "rotary_scaling": "yarn",
        "rotary_factor": 2.0,
        "rotary_original_len": 12,
    },
    "ntk": {**ROTARY, "rotary_scaling": "ntk", "rotary_factor": 2.0},
    "llama 3.1": {
        **ROTARY,
        "num_kv_heads": 3,
        "rotary_scaling": "llama3",
        "rotary_factor": 8.0,
        "rotary_original_len": 12,
    },
    "shaw": {"position": "relative_keys", "relative_max_distance": 3},
    "shaw, grouped": {
        "position": "relative_keys",
        "relative_max_distance": 3,
        "num_kv_heads": 2,
        "gated": True,
        "activation": "sigmoid",
    },
    "alibi": {**PRE, "position": "alibi"},
    "alibi, grouped": {
        **PRE,
        "position": "alibi",
        "num_kv_heads": 2,
        "gated": True,
        "activation": "identity",
    },
    "t5, grouped": {
        **PRE,
        "position": "relative",
        "num_kv_heads": 3,
        "gated": True,
        "activation": "relu",
    },
    "no positions": {"position": "none", "activation": "squared_relu"},
}


def random_parameters(model):
    """The model in float64, in evaluation mode, every parameter random."""
    model, generator = model.double().eval(), torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.5, generator=generator)
    return model


KINDS = {
    "decoder_only": (DecoderOnlyTransformer, {"num_encoder_layers": 0}),
    "encoder_only": (EncoderOnlyTransformer, {"num_decoder_layers": 0}),
    "seq2seq": (Transformer, {}),
}
VARIED = {"config", *KINDS}


def build(name, config):
    """A model of one kind; or its configuration alone."""
    if name == "config":
        return config
    kind, layers = KINDS[name]
    with torch.random.fork_rng(devices=[]):  # so who asks first draws no other numbers
        return random_parameters(kind(replace(config, **layers)))


# The models are shared by the tests of a module: who changes one, changes a copy.


@pytest.fixture(scope="module")
def varied():
    """Build what is asked for in one of the variants, once."""
    return cache(lambda name, variant: build(name, replace(BASE, **VARIANTS[variant])))


def pytest_pycollect_makeitem(collector, name, obj):
    """Let a test that takes a model look at every variant of it."""
    law = name.startswith("test_") and isfunction(obj)
    if not law or not VARIED & {*signature(obj).parameters}:
        return None
    if collector.get_closest_marker("compiled"):  # takes its time: a test for each
        return None
    everywhere = of_every_variant(obj)
    setattr(collector.obj, name, everywhere)  # where pytest looks it up
    return collector.ihook.pytest_pycollect_makeitem(
        collector=collector, name=name, obj=everywhere
    )


def of_every_variant(test):
    """The same test, with the variants as its facts."""
    inner = getattr(test, "of_one_fact", test)
    parameters = {*signature(inner).parameters}
    taken = VARIED & parameters

    @wraps(inner)
    def of_one_variant(variant, varied, **others):
        return inner(**{name: varied(name, variant) for name in taken}, **others)

    own = {"variant", "varied"} | parameters - taken
    kinds = [Parameter(name, Parameter.KEYWORD_ONLY) for name in sorted(own)]
    of_one_variant.__signature__ = Signature(kinds)
    of_one_variant.pytestmark = getattr(test, "pytestmark", [])
    of_one_variant.axes = getattr(test, "axes", ())
    return facts("variant", VARIANTS)(of_one_variant)


@pytest.fixture(params=VARIANTS, scope="module")
def config(request):
    return replace(BASE, **VARIANTS[request.param])


@pytest.fixture(scope="module")
def decoder_only(config):
    return build("decoder_only", config)


@pytest.fixture(scope="module")
def encoder_only(config):
    return build("encoder_only", config)


@pytest.fixture(scope="module")
def seq2seq(config):
    return build("seq2seq", config)


@pytest.fixture
def tokens():
    """Two sequences of seven tokens."""
    return torch.randint(1, 13, (2, 7))
